import { env } from 'cloudflare:workers'
import { fromHex } from '@svc/protocol/base/hash'
import { entryHash } from '@svc/protocol/merkle/entries'
import { verifyConsistency, verifyInclusion } from '@svc/protocol/merkle/tree'
import { expect, it } from 'vitest'
import { KeptTiles, LogFiles, LogReader } from '../src/index.ts'
import { leaf, leaves, TestLog } from './logs.fixture.ts'

const { TILES } = env as unknown as { TILES: R2Bucket }

it('a log extends what it was after every batch, and proves every leaf', async () => {
  const log = new TestLog()
  const reader = new LogReader(new LogFiles(TILES, log.name), new KeptTiles())
  const heads = [await log.object.head()]
  let next = 0
  // Batches that end before, at and behind the ends of tiles, and one of two tiles and more.
  for (const count of [1, 1, 2, 251, 1, 1, 255, 1, 600]) {
    await log.placed(leaves(next, count))
    next += count
    heads.push(await log.object.head())
  }
  const newest = heads.at(-1)!
  expect(newest.size).toBe(next + 1)
  for (const first of heads) {
    for (const second of heads.filter(({ size }) => size >= first.size)) {
      const proof = await reader.consistency(newest, first.size, second.size)
      if (!proof.ok) throw new Error(proof.error.reason)
      const roots = [first, second].map(({ root }) => fromHex(root)) as [Uint8Array, Uint8Array]
      const holds = verifyConsistency(first.size, roots[0], second.size, roots[1], proof.value.map(fromHex))
      expect(holds, `${first.size} to ${second.size}`).toBe(true)
    }
    expect(await reader.root(newest, first.size)).toBe(first.root)
  }
  for (let i = 0; i < next; i += i % 200 === 0 ? 1 : 53) {
    const proof = (await reader.inclusion(newest, i + 1)).map(fromHex)
    const hash = entryHash(leaf(i).entry)
    expect(verifyInclusion(hash, i + 1, newest.size, proof, fromHex(newest.root)), `leaf ${i}`).toBe(true)
  }
}, 60_000)

it('what is beyond the log is not found', async () => {
  const log = new TestLog()
  const reader = new LogReader(new LogFiles(TILES, log.name))
  await log.placed(leaves(0, 3))
  const head = await log.object.head()
  expect(await reader.entries(head, 0)).toMatchObject({ ok: true, value: { from: 0, size: 4 } })
  for (const answer of [
    await reader.entries(head, 1),
    await reader.consistency(head, 0, 2),
    await reader.consistency(head, 3, 2),
    await reader.consistency(head, 3, 5),
  ]) {
    expect(answer).toEqual({ ok: false, error: { reason: 'not_found' } })
  }
})
