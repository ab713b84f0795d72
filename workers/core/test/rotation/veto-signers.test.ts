import { deviceOf, type TestCaller, type TestDevice } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, freshCaller, send } from '../harness.ts'
import { at, cosignBy, DAY_MS, freezeBy, memberOf, newestOf, opened, rotated } from './rotation.fixture.ts'

const FREEZE = '/api/chain/rotation/freeze'

afterEach(() => {
  vi.useRealTimers()
})

/** Who freezes alice’s rotation, in whose name. */
type Attempt = (alice: TestCaller, phone: TestDevice, bob: TestCaller) => Promise<{ by: TestDevice; as?: string }>
const after = (change: (alice: TestCaller, deviceId: string) => Promise<unknown>): Attempt => {
  return async (alice, phone) => {
    await change(alice, phone.device.deviceId)
    return { by: phone }
  }
}

describe('a freeze by a device that had standing', () => {
  it.each<[string, Attempt]>([
    ['is revoked since', after(({ client }, id) => client.devices.revoke(id))],
    ['is suspended since', after(({ client }, id) => client.devices.suspend(id))],
  ])('and %s is taken: a thief does not rid the owner of it', async (_, attempt) => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const phone = await memberOf(alice)
    at(Date.now() + DAY_MS)
    const { rotationId } = (await opened(alice, 2)).rotation
    const { by } = await attempt(alice, phone, bob)
    const signed = await freezeBy(by.device, by.device.deviceId, alice.identity, rotationId)
    expect(await call(bob, 'POST', FREEZE, signed)).toMatchObject({ status: 200, body: { data: { status: 'frozen' } } })
  })

  it('and expired since is taken', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const expiresAt = Date.now() + 2 * DAY_MS
    const { device } = await deviceOf(alice, { fetch: send, expiresAt })
    at(expiresAt - 1)
    const { rotationId } = (await opened(alice, 2)).rotation
    at(expiresAt + 1)
    const signed = await freezeBy(device, device.deviceId, alice.identity, rotationId)
    expect((await call(bob, 'POST', FREEZE, signed)).status).toBe(200)
  })
})

describe('a freeze by a device that was taken in after the request', () => {
  it('is accepted while it is active, and rejected once it is revoked', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const { rotationId } = (await opened(alice, 2)).rotation
    const [late, gone] = [await memberOf(alice), await memberOf(alice)]
    await alice.client.devices.revoke(gone.device.deviceId)
    const signed = await freezeBy(gone.device, gone.device.deviceId, alice.identity, rotationId)
    expect(await call(bob, 'POST', FREEZE, signed)).toMatchObject({ status: 403, body: { error: 'not_eligible' } })
    expect((await late.client.rotation.freeze(rotationId)).status).toBe('frozen')
  })
})

describe('a freeze is rejected', () => {
  it.each<[string, Attempt, string]>([
    [
      'by a device that was revoked before the request',
      after(({ client }, id) => client.devices.revoke(id)),
      'not_eligible',
    ],
    [
      'by a device that was suspended before the request',
      after(({ client }, id) => client.devices.suspend(id)),
      'not_eligible',
    ],
    [
      'by an expired device',
      async (alice) => ({ by: await deviceOf(alice, { fetch: send, expiresAt: Date.now() }) }),
      'not_eligible',
    ],
    [
      'by a device that nobody attested',
      async (alice) => ({ by: await deviceOf(alice, { fetch: send, attested: false }) }),
      'not_eligible',
    ],
    ['by a device of another identity', async (_, __, bob) => ({ by: await memberOf(bob) }), 'not_eligible'],
    [
      'by a device of another identity in the name of one that may',
      async (_, phone, bob) => ({ by: await memberOf(bob), as: phone.device.deviceId }),
      'not_eligible',
    ],
    ['by a device in the name of the root key', async (_, phone) => ({ by: phone, as: 'root' }), 'invalid_signature'],
  ])('%s', async (_, attempt, error) => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const { by, as } = await attempt(alice, await memberOf(alice), bob)
    const { rotationId } = (await opened(alice, 2)).rotation
    const signed = await freezeBy(by.device, as ?? by.device.deviceId, alice.identity, rotationId)
    expect(await call(bob, 'POST', FREEZE, signed)).toMatchObject({ status: 403, body: { error } })
    expect(await newestOf(alice)).toMatchObject({ status: 'pending', freezes: 0, vetoes: [] })
  })

  it('with the assertion of a revoked device', async () => {
    const caller = await freshCaller()
    const phone = await memberOf(caller)
    const { rotationId } = (await opened(caller, 2)).rotation
    await caller.client.devices.revoke(phone.device.deviceId)
    await expect(phone.client.rotation.freeze(rotationId)).rejects.toMatchObject({
      status: 401,
      error: 'unauthorized',
    })
    expect((await newestOf(caller)).freezes).toBe(0)
  })

  it('by a root key or a device of an epoch that is over', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const { device } = await memberOf(alice)
    const { next } = await rotated(alice)
    const { rotationId } = (await opened(next, 2)).rotation
    const byRoot = await freezeBy(alice.identity, 'root', alice.identity, rotationId)
    expect(await call(bob, 'POST', FREEZE, byRoot)).toMatchObject({ status: 403, body: { error: 'invalid_signature' } })
    const byDevice = await freezeBy(device, device.deviceId, alice.identity, rotationId)
    expect(await call(bob, 'POST', FREEZE, byDevice)).toMatchObject({ status: 403, body: { error: 'not_eligible' } })
    expect(await newestOf(next)).toMatchObject({ status: 'pending', freezes: 0 })
  })

  it('about another scope, an unknown rotation or an unknown identity', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const { rotationId } = (await opened(alice, 2)).rotation
    const { did, scope } = alice.identity
    const by = (owner: { did: string; scope: string }, id = rotationId) => freezeBy(alice.identity, 'root', owner, id)
    const mixed = await by({ did, scope: bob.identity.scope })
    expect(await call(bob, 'POST', FREEZE, mixed)).toMatchObject({ status: 403, body: { error: 'owner_mismatch' } })
    const unknown = await by({ did, scope }, 'a'.repeat(96))
    const nobody = await by({ did: `did:svc:${'u'.repeat(32)}`, scope })
    const theirs = await freezeBy(bob.identity, 'root', bob.identity, rotationId)
    for (const signed of [unknown, nobody, theirs]) {
      expect(await call(bob, 'POST', FREEZE, signed)).toMatchObject({ status: 404, body: { error: 'not_found' } })
    }
    expect((await newestOf(alice)).status).toBe('pending')
  })

  it('once the rotation is active', async () => {
    const caller = await freshCaller()
    const { next, rotation } = await rotated(caller)
    await expect(next.client.rotation.freeze(rotation.rotationId)).rejects.toMatchObject({
      status: 409,
      error: 'rotation_not_pending',
      details: { status: 'active' },
    })
    expect((await newestOf(next)).freezes).toBe(0)
  })

  it('when it is a co-signature', async () => {
    const caller = await freshCaller()
    const { device } = await memberOf(caller, 'rotation:cosign')
    const { rotationId } = (await opened(caller, 2)).rotation
    const signed = await cosignBy(device, device.deviceId, caller.identity, rotationId)
    expect((await call(caller, 'POST', FREEZE, signed)).status).toBe(400)
  })
})
