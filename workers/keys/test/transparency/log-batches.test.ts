import { runInDurableObject } from 'cloudflare:test'
import { fromHex } from '@svc/protocol/base/hash'
import { type AuditAnswer, type InclusionAnswer, verifyUpdate } from '@svc/protocol/keys/transparency'
import { verifyConsistency } from '@svc/protocol/merkle/tree'
import { REALMS } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { call, dataOf } from '../harness.ts'
import { leavesOf, log, logList, opened, sequence } from './log.fixture.ts'

const get = async <T>(path: string) => dataOf<T>(await call(null, 'GET', `/api/transparency/${path}`))
const state = async () => {
  const { size, root } = await log().head()
  return { size, root }
}

describe('the log after every batch', () => {
  it('extends what it was after the one before it', async () => {
    await opened()
    const states = [await state()]
    const earlier = states[0]?.size ?? 0
    let next = 0
    // Batches that end before, at and behind the ends of tiles, and one of two tiles and more.
    for (const count of [1, 1, 2, 251, 1, 1, 255, 1, 600, 143, 256, 512, 3]) {
      await log().submit(leavesOf(next, count))
      next += count
      await sequence()
      states.push(await state())
      expect(states.at(-1)?.size).toBe(earlier + next)
    }
    for (const [i, second] of states.entries()) {
      const first = states[i - 1]
      if (!first || first.size === 0) continue
      const { proof } = await get<AuditAnswer>(`audit/${first.size}-${second.size}`)
      const hashes = proof.map(fromHex)
      expect(
        verifyConsistency(first.size, fromHex(first.root), second.size, fromHex(second.root), hashes),
        `${first.size} to ${second.size}`,
      ).toBe(true)
    }
    const list = await logList()
    for (const [i, { leafId, update }] of leavesOf(0, next).entries()) {
      if (i % 97 > 0 && next - i > 4) continue
      const answer = await get<InclusionAnswer>(`proof/${leafId}`)
      expect(await verifyUpdate(update, answer, list, REALMS)).toEqual({ ok: true, value: undefined })
    }
  }, 60_000)

  it('has every leaf of writers who submit while batches are made, each once', async () => {
    const states = [await state()]
    const before = states[0]?.size ?? 0
    const writer = async (own: number) => {
      for (let i = 0; i < 10; i++) await log().submit(leavesOf(10_000 + 100 * own + i, 1))
    }
    const writers = Promise.all(Array.from({ length: 20 }, (_, i) => writer(i)))
    while ((states.at(-1)?.size ?? 0) < before + 200) {
      await sequence()
      const now = await state()
      if (now.size !== states.at(-1)?.size) states.push(now)
    }
    await writers
    expect(states.at(-1)?.size).toBe(before + 200)
    for (const [i, second] of states.entries()) {
      const first = states[i - 1]
      if (!first || first.size === 0) continue
      const { proof } = await get<AuditAnswer>(`audit/${first.size}-${second.size}`)
      const hashes = proof.map(fromHex)
      expect(verifyConsistency(first.size, fromHex(first.root), second.size, fromHex(second.root), hashes)).toBe(true)
    }
    const indexes = await runInDurableObject(log(), (_, { storage }) =>
      storage.sql.exec<{ idx: number }>('SELECT idx FROM leaves ORDER BY idx').toArray(),
    )
    expect(indexes.map(({ idx }) => idx)).toEqual(Array.from({ length: before + 200 }, (_, i) => i))
  }, 60_000)
})
