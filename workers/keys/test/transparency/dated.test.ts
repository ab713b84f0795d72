/** The time by which an update was in the log, proved by the first map that includes it. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { fromHex } from '@svc/protocol/base/hash'
import { mapEntryOf } from '@svc/protocol/keys/account-map'
import { leafIdOf } from '@svc/protocol/keys/account-updates'
import { openedHash, rotationOpened } from '@svc/protocol/keys/replacement'
import type { InclusionAnswer } from '@svc/protocol/keys/transparency'
import { entryHash } from '@svc/protocol/merkle/entries'
import { verifyInclusion } from '@svc/protocol/merkle/tree'
import { afterEach, expect, it, vi } from 'vitest'
import { recordRootStatements } from '../../src/directory/root-statements.ts'
import { mapped } from '../account-map/map.fixture.ts'
import { call, caller, dataOf } from '../harness.ts'
import { labelOf, logged } from './log.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

const dated = async (leafId: string) =>
  dataOf<InclusionAnswer>(await call(null, 'GET', `/api/transparency/proof/${leafId}?dated=true`))

/** Reports, as core, that it has opened a request. */
async function opened(did: string, rotationId: string) {
  const about = { did, rotationId, requestedAt: Date.now() }
  const context = createExecutionContext()
  await recordRootStatements(env, context, did, [rotationOpened(about)])
  await waitOnExecutionContext(context)
  return leafIdOf(labelOf(did), openedHash(about))
}

it('is proved by the first map after the update, even if more follow', async () => {
  const owner = await caller()
  const { did } = owner.identity
  const first = await opened(did, 'a7'.repeat(48))
  await logged(owner)
  expect(await dated(first)).toMatchObject({ seq: 1, map: null })
  vi.setSystemTime(Date.now() + 10_000)
  await mapped()
  const second = await opened(did, 'b7'.repeat(48))
  await logged(owner)
  vi.setSystemTime(Date.now() + 20_000)
  await mapped()
  const [one, two] = [await dated(first), await dated(second)]
  expect([one.seq, two.seq]).toEqual([1, 2])
  for (const { position, map, checkpoint } of [one, two]) {
    const entry = mapEntryOf(map?.leaf ?? '')
    expect(entry?.size).toBeGreaterThan(position.index)
    const { size, root } = checkpoint.statement
    const path = map?.proof.map(fromHex) ?? []
    expect(verifyInclusion(entryHash(map?.leaf ?? ''), map?.position.index ?? 0, size, path, fromHex(root))).toBe(true)
  }
  expect(one.map?.position.index).toBeLessThan(two.position.index)
  expect(two.map?.position.index).toBeGreaterThan(two.position.index)
})

it('accepts no other value of the parameter', async () => {
  const leafId = leafIdOf('a7'.repeat(32), 'a7'.repeat(48))
  expect(await call(null, 'GET', `/api/transparency/proof/${leafId}?dated=false`)).toMatchObject({ status: 400 })
})
