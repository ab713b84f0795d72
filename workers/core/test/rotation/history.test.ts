import type { RootKeyEvidence } from '@svc/protocol/chain/rotation'
import { describe, expect, it } from 'vitest'
import { anonymous, call, freshCaller } from '../harness.ts'
import { opened, rotated } from './rotation.fixture.ts'

const historyOf = async (did: string, query = '') => {
  const { status, body } = await anonymous('GET', `/api/chain/root/${did}/history${query}`)
  return { status, data: body['data'] as { keys: RootKeyEvidence[]; next: number | null; rotation: unknown } }
}

describe('the history of root keys', () => {
  it('publicly returns each key with the request that activated it', async () => {
    const caller = await freshCaller()
    const { did, scope, userId, publicKeyB64u } = caller.identity
    expect(await historyOf(did)).toMatchObject({
      status: 200,
      data: {
        did,
        scope,
        keys: [{ epoch: 0, userId, publicKeyB64u, request: null, genesis: null }],
        next: null,
        rotation: null,
      },
    })
    const first = await rotated(caller)
    const second = await rotated(first.next)
    const { data } = await historyOf(did)
    const { block } = await caller.client.chain.readGenesis(did)
    expect(data.keys.map(({ epoch, request, genesis }) => ({ epoch, request, genesis }))).toEqual([
      { epoch: 0, request: null, genesis: { block, commitment: null } },
      { epoch: 1, request: first.signed, genesis: null },
      { epoch: 2, request: second.signed, genesis: null },
    ])
    expect(data.rotation).toMatchObject({ rotationId: second.rotation.rotationId, status: 'active' })
  })

  it('names no rotation that was not activated', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    const vetoed = await opened(caller, 2)
    await caller.client.rotation.freeze(vetoed.rotation.rotationId)
    const { next, signed } = await rotated(caller)
    const pending = await opened(next, 2)
    const { data } = await historyOf(did)
    expect(data.keys.map(({ request }) => request)).toEqual([null, signed])
    expect(data.rotation).toMatchObject({ rotationId: pending.rotation.rotationId, status: 'pending' })
  })

  it('has pages of sixteen, which the SDK combines', async () => {
    let caller = await freshCaller()
    const { did } = caller.identity
    const userIds = [caller.identity.userId]
    for (let epoch = 1; epoch <= 17; epoch++) {
      caller = (await rotated(caller)).next
      userIds.push(caller.identity.userId)
    }
    const first = await historyOf(did)
    expect(first.data.keys.map(({ epoch }) => epoch)).toEqual(Array.from({ length: 16 }, (_, i) => i))
    expect(first.data.next).toBe(16)
    const last = await historyOf(did, '?from=16')
    expect(last.data.keys.map(({ epoch }) => epoch)).toEqual([16, 17])
    expect(last.data.next).toBeNull()
    expect((await historyOf(did, '?from=18')).data).toMatchObject({ keys: [], next: null })
    const keys = await caller.client.keyHistory.of(did)
    expect(keys.map(({ userId }) => userId)).toEqual(userIds)
    await caller.client.chain.append({})
    expect(await caller.client.chain.verify()).toMatchObject({ index: '1' })
  })

  it('is 404 for an identity that does not exist, and 400 for another from than a number', async () => {
    const { identity } = await freshCaller()
    expect((await historyOf(`did:svc:${'t'.repeat(32)}`)).status).toBe(404)
    for (const from of ['-1', '1.5', 'x', '', '1'.repeat(16)]) {
      expect((await historyOf(identity.did, `?from=${from}`)).status, from).toBe(400)
    }
    expect((await historyOf(identity.did, `?from=${'9'.repeat(15)}`)).data.keys).toEqual([])
  })
})

describe('GET /api/chain/rotation/current', () => {
  it('returns the rotation that activated the key, and the newest', async () => {
    const caller = await freshCaller()
    expect(await caller.client.rotation.current()).toEqual({ active: null, latest: null })
    const frozen = await opened(caller, 2)
    const { rotationId } = frozen.rotation
    const vetoed = await caller.client.rotation.freeze(rotationId)
    expect(await caller.client.rotation.current()).toEqual({ active: null, latest: vetoed })
    const { next, rotation } = await rotated(caller)
    const pending = await opened(next, 1)
    const { active, latest } = await next.client.rotation.current()
    expect(active).toMatchObject({ rotationId: rotation.rotationId, status: 'active', epoch: 1 })
    expect(latest).toEqual(pending.rotation)
  })

  it('is only for the caller’s own identity, and requires an assertion', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    await opened(alice, 2)
    expect(await bob.client.rotation.current()).toEqual({ active: null, latest: null })
    expect((await anonymous('GET', '/api/chain/rotation/current')).status).toBe(401)
    expect(await call(bob, 'POST', '/api/chain/rotation/current')).toMatchObject({ status: 405 })
  })
})
