import { expectRefusal } from '@svc/service/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, caller, dataOf } from '../harness.ts'

const keysOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ keyId: `old-${from + i}`, keyHash: 'a7'.repeat(48) }))
afterEach(() => {
  vi.useRealTimers()
})

describe('the inventory of an earlier system', () => {
  it('records names and hashes, and hands nothing out', async () => {
    const owner = await caller()
    const { userId } = owner.identity
    const upload = (path: string, from: number) =>
      call(owner, 'POST', `/api/prekeys/${path}`, { body: { user_id: userId, keys: keysOf(from, 2) } })
    dataOf(await upload('upload', 0))
    const { keys, handedOut, sunset } = dataOf<{ keys: { keyId: string }[]; handedOut: boolean; sunset: string }>(
      await upload('replenish', 1),
    )
    expect([keys.map(({ keyId }) => keyId), handedOut]).toEqual([['old-0', 'old-1', 'old-2'], false])
    expect(sunset).toBe('2027-06-30T00:00:00.000Z')
    expect(dataOf<{ keys: unknown }>(await call(owner, 'GET', `/api/prekeys/${userId}`)).keys).toEqual(keys)
  })

  it('is refused for native v4, before the body is looked at further', async () => {
    const owner = await caller()
    for (const path of ['upload', 'replenish']) {
      for (const body of [{ profile: 'bound-v4' }, { suiteId: null, user_id: owner.identity.userId }]) {
        expectRefusal(await call(owner, 'POST', `/api/prekeys/${path}`, { body }), 'migration_only')
      }
    }
    const body = { user_id: owner.identity.userId, keys: [{ ...keysOf(0, 1)[0], publicKeyB64u: 'AAAA' }] }
    expectRefusal(await call(owner, 'POST', '/api/prekeys/upload', { body }), 'invalid_request')
  })

  it('is the owner’s alone, and has an end', async () => {
    const [owner, other] = [await caller(), await caller()]
    const body = { user_id: other.identity.userId, keys: keysOf(0, 1) }
    expectRefusal(await call(owner, 'POST', '/api/prekeys/upload', { body }), 'owner_mismatch')
    expectRefusal(await call(owner, 'GET', `/api/prekeys/${other.identity.userId}`), 'owner_mismatch')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2027-06-30T00:00:00.000Z') })
    expectRefusal(await call(owner, 'GET', `/api/prekeys/${owner.identity.userId}`), 'endpoint_retired')
    const own = { ...body, user_id: owner.identity.userId }
    expectRefusal(await call(owner, 'POST', '/api/prekeys/upload', { body: own }), 'endpoint_retired')
  })

  it('holds at most 500 of an identity', async () => {
    const owner = await caller()
    const upload = (from: number, count: number) =>
      call(owner, 'POST', '/api/prekeys/upload', {
        body: { user_id: owner.identity.userId, keys: keysOf(from, count) },
      })
    for (let from = 0; from < 500; from += 100) dataOf(await upload(from, 100))
    expectRefusal(await upload(500, 1), 'inventory_limit')
    dataOf(await upload(0, 100))
  }, 30_000)
})
