import { signStatement } from '@svc/protocol/base/statement'
import type { TestCaller } from '@svc/testing'
import { REALM, signerOf } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { anonymous, call, freshCaller } from '../harness.ts'
import { at, cosignerOf, DAY_MS, freezeBy, memberOf, newestOf, opened } from '../rotation/rotation.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

const PATH = '/api/chain/deactivate'

/** A deactivation signed by the caller's root key, with other members. */
function deactivationBy({ identity }: TestCaller, changes: object = {}) {
  const { did, scope, epoch } = identity
  const statement = {
    type: 'svc/did-deactivate/v1' as const,
    realm: REALM,
    did,
    scope,
    epoch,
    inception: null,
    issuedAt: Date.now(),
    ...changes,
  }
  return signStatement(statement, signerOf(identity))
}

describe('POST /api/chain/deactivate', () => {
  it('is final: none of the identity’s assertions is accepted again', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    const ended = await caller.client.security.deactivate()
    expect(ended).toEqual({
      did,
      status: 'deactivated',
      deactivatedAt: expect.any(Number),
      rotationId: null,
      deadline: null,
    })
    expect(await call(caller, 'GET', '/api/chain/head')).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
    expect(await caller.client.chain.root(did)).toMatchObject({ did, deactivated: true })
    await expect(caller.client.security.deactivate()).rejects.toMatchObject({ status: 401 })
  })

  it('rejects a statement of another identity, scope, epoch or key', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const { did, scope } = alice.identity
    const refusals: [Promise<unknown>, number, string][] = [
      [deactivationBy(bob), 403, 'owner_mismatch'],
      [deactivationBy(alice, { scope: bob.identity.scope }), 403, 'owner_mismatch'],
      [deactivationBy(bob, { did, scope }), 403, 'invalid_signature'],
      [deactivationBy(alice, { epoch: 1 }), 409, 'stale_epoch'],
    ]
    for (const [signed, status, error] of refusals)
      expect(await call(alice, 'POST', PATH, await signed)).toMatchObject({ status, body: { error } })
    expect((await call(alice, 'GET', '/api/chain/head')).status).toBe(200)
  })

  it('rejects a statement that is more than five minutes old or ahead', async () => {
    const caller = await freshCaller()
    at(Date.now())
    for (const offset of [-300_001, 300_001]) {
      const signed = await deactivationBy(caller, { issuedAt: Date.now() + offset })
      expect(await call(caller, 'POST', PATH, signed)).toMatchObject({
        status: 401,
        body: { error: 'statement_expired' },
      })
    }
    const signed = await deactivationBy(caller, { issuedAt: Date.now() - 300_000 })
    expect((await call(caller, 'POST', PATH, signed)).status).toBe(200)
  })

  it('needs an assertion by the root key', async () => {
    const caller = await freshCaller()
    const phone = await memberOf(caller, 'rotation:request', 'rotation:cosign')
    const signed = await deactivationBy(caller)
    const authorization = await phone.assertion('chain')
    expect(await anonymous('POST', PATH, signed, { authorization })).toMatchObject({ status: 403 })
    expect((await caller.client.chain.root(caller.identity.did)).deactivated).toBe(false)
  })

  it('racing twenty appends lets none through afterwards', async () => {
    const caller = await freshCaller()
    const blocks = await Promise.all(
      Array.from({ length: 20 }, () => caller.client.chain.makeBlock({ index: '0', hash: 'a'.repeat(96) }, {})),
    )
    const [ended, ...answers] = await Promise.all([
      caller.client.security.deactivate(),
      ...blocks.map((block) => call(caller, 'POST', '/api/chain/append', block)),
    ])
    expect(ended.did).toBe(caller.identity.did)
    expect(answers.every(({ status }) => status === 409 || status === 401)).toBe(true)
    expect((await call(caller, 'GET', '/api/chain/head')).status).toBe(401)
  })
})

describe('a deactivation of an identity with a device that has standing', () => {
  /** An identity with a phone that counts, and its deactivation, which waits. */
  async function waiting() {
    const caller = await freshCaller()
    const phone = await memberOf(caller)
    at(Date.now() + DAY_MS)
    const answer = await caller.client.security.deactivate()
    return { caller, phone, answer, rotationId: answer.rotationId ?? '', deadline: answer.deadline ?? 0 }
  }

  it('waits a window, in public, and then takes effect by itself', async () => {
    const { caller, answer, rotationId, deadline } = await waiting()
    const { did } = caller.identity
    expect(answer).toEqual({ did, status: 'pending', deactivatedAt: null, rotationId, deadline: Date.now() + DAY_MS })
    const root = await caller.client.chain.root(did)
    expect(root).toMatchObject({
      deactivated: false,
      rotation: { rotationId, kind: 'deactivation', status: 'pending', newUserId: null, epoch: 1 },
    })
    at(deadline - 1)
    expect((await caller.client.chain.root(did)).deactivated).toBe(false)
    at(deadline)
    expect(await caller.client.chain.root(did)).toMatchObject({ deactivated: true, rotation: { status: 'active' } })
    await expect(caller.client.chain.head()).rejects.toMatchObject({ status: 401 })
  })

  it('takes effect before anything else that comes after the deadline', async () => {
    const { caller, phone, rotationId, deadline } = await waiting()
    at(deadline)
    await expect(phone.client.rotation.freeze(rotationId)).rejects.toMatchObject({ status: 401 })
    await expect(caller.client.security.placeHold()).rejects.toMatchObject({ status: 401 })
  })

  it('is stopped by the device, also after the root key revoked it', async () => {
    const { caller, phone, rotationId } = await waiting()
    await caller.client.devices.revoke(phone.device.deviceId)
    const bob = await freshCaller()
    const freeze = await freezeBy(phone.device, phone.device.deviceId, caller.identity, rotationId)
    expect(await call(bob, 'POST', '/api/chain/rotation/freeze', freeze)).toMatchObject({
      status: 200,
      body: { data: { kind: 'deactivation', status: 'frozen' } },
    })
    at(Date.now() + 2 * DAY_MS)
    expect((await caller.client.chain.root(caller.identity.did)).deactivated).toBe(false)
  })

  it('is cancelled by the root key', async () => {
    const { caller, rotationId } = await waiting()
    expect((await caller.client.rotation.cancel(rotationId)).status).toBe('cancelled')
  })

  it('is stored once, and a stopped one cannot be sent again', async () => {
    const { caller } = await waiting()
    await caller.client.rotation.cancel((await newestOf(caller)).rotationId)
    at(Date.now() + 1_000)
    const signed = await deactivationBy(caller)
    const first = await call(caller, 'POST', PATH, signed)
    expect(await call(caller, 'POST', PATH, signed)).toMatchObject({ status: 200, body: { data: first.body['data'] } })
    await caller.client.rotation.cancel((await newestOf(caller)).rotationId)
    expect(await call(caller, 'POST', PATH, signed)).toMatchObject({
      status: 409,
      body: { error: 'rotation_not_pending', details: { status: 'cancelled' } },
    })
  })

  it('does not take effect without the co-signature that a device could give', async () => {
    const caller = await freshCaller()
    const phone = await cosignerOf(caller)
    const { rotationId, deadline } = await caller.client.security.deactivate()
    at(deadline ?? 0)
    expect((await caller.client.chain.root(caller.identity.did)).deactivated).toBe(false)
    await phone.client.rotation.cosign(await newestOf(caller))
    expect(await caller.client.chain.root(caller.identity.did)).toMatchObject({
      deactivated: true,
      rotation: { rotationId, status: 'active' },
    })
  })

  it('does not take effect under a hold, and does when the hold is lifted', async () => {
    const { caller, phone, deadline } = await waiting()
    await phone.client.security.placeHold()
    at(deadline + DAY_MS)
    expect((await caller.client.chain.root(caller.identity.did)).deactivated).toBe(false)
    await caller.client.security.liftHold()
    expect((await caller.client.chain.root(caller.identity.did)).deactivated).toBe(true)
  })

  it('is not found by an activation', async () => {
    const { caller, rotationId, deadline } = await waiting()
    at(deadline - 1)
    const activated = caller.client.rotation.activate({ rotationId, version: 2 })
    await expect(activated).rejects.toMatchObject({ status: 404, error: 'not_found' })
  })

  it('and a rotation exclude each other', async () => {
    const { caller } = await waiting()
    await expect(opened(caller, 2)).rejects.toThrow('rotation_pending')
    await caller.client.rotation.cancel((await newestOf(caller)).rotationId)
    await opened(caller, 2)
    at(Date.now() + 1_000)
    await expect(caller.client.security.deactivate()).rejects.toMatchObject({ status: 409, error: 'rotation_pending' })
  })
})

describe('a deactivation under a hold', () => {
  it('waits a window although no device counts, and takes effect when the hold is lifted', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    at(Date.now())
    await caller.client.security.placeHold()
    const answer = await caller.client.security.deactivate()
    const deadline = Date.now() + DAY_MS
    expect(answer).toMatchObject({ did, status: 'pending', deactivatedAt: null, deadline })
    at(deadline + DAY_MS)
    expect((await caller.client.chain.root(did)).deactivated).toBe(false)
    expect((await caller.client.security.hold()).held).toBe(true)
    await caller.client.security.liftHold()
    expect(await caller.client.chain.root(did)).toMatchObject({
      deactivated: true,
      rotation: { rotationId: answer.rotationId, kind: 'deactivation', status: 'active' },
    })
  })

  it('waits for its deadline if the hold is lifted before, and is cancelled by the root key', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    await caller.client.security.placeHold()
    const { rotationId } = await caller.client.security.deactivate()
    await caller.client.security.liftHold()
    expect((await caller.client.chain.root(did)).deactivated).toBe(false)
    expect((await caller.client.rotation.cancel(rotationId ?? '')).status).toBe('cancelled')
    at(Date.now() + 2 * DAY_MS)
    expect((await caller.client.chain.root(did)).deactivated).toBe(false)
  })

  it('keeps the place of a pending rotation', async () => {
    const caller = await freshCaller()
    await opened(caller, 2)
    await caller.client.security.placeHold()
    await expect(caller.client.security.deactivate()).rejects.toMatchObject({ status: 409, error: 'rotation_pending' })
  })
})

describe('a deactivation of an identity without such a device', () => {
  it('takes effect at once, also beside a request without a co-signature', async () => {
    const caller = await freshCaller()
    await memberOf(caller)
    await opened(caller, 2)
    expect((await caller.client.security.deactivate()).status).toBe('deactivated')
  })
})
