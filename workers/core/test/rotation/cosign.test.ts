import { bytesOf } from '@svc/protocol/base/base64url'
import { verifyStatement } from '@svc/protocol/base/statement'
import type { TestCaller, TestDevice } from '@svc/testing'
import { REALMS } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { anonymous, call, freshCaller } from '../harness.ts'
import { at, cosignBy, cosignerOf, DAY_MS, freezeBy, memberOf, newestOf, opened } from './rotation.fixture.ts'

const COSIGN = '/api/chain/rotation/cosign'

afterEach(() => {
  vi.useRealTimers()
})

describe('a co-signature', () => {
  it('is public with what was signed, which verifies under the device’s key', async () => {
    const caller = await freshCaller()
    const phone = await cosignerOf(caller)
    const { rotation } = await opened(caller, 2)
    const { rotationId } = rotation
    expect(await phone.client.rotation.cosign(rotation)).toMatchObject({ cosignatures: 1, status: 'pending' })
    const { cosigned } = await newestOf(caller)
    const [signed] = cosigned
    expect(cosigned).toHaveLength(1)
    const { did, scope } = caller.identity
    expect(signed?.statement).toMatchObject({ did, scope, rotationId, signedBy: phone.device.deviceId })
    expect(signed && (await verifyStatement(signed, bytesOf(phone.device.devicePublicKeyB64u), REALMS))).toBe(true)
    expect((await caller.client.chain.root(did)).rotation?.cosignatures).toBe(1)
  })

  it('by one device is one, however often it signs', async () => {
    const caller = await freshCaller()
    const phone = await cosignerOf(caller)
    const { rotation } = await opened(caller, 2)
    const first = await phone.client.rotation.cosign(rotation)
    at(Date.now() + 1_000)
    expect(await phone.client.rotation.cosign(rotation)).toEqual(first)
    expect((await newestOf(caller)).cosignatures).toBe(1)
  })

  it('can be sent with anyone’s assertion, since its own signature is the authority', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const { device } = await cosignerOf(alice)
    const { rotationId } = (await opened(alice, 2)).rotation
    const signed = await cosignBy(device, device.deviceId, alice.identity, rotationId)
    expect(await anonymous('POST', COSIGN, signed)).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
    expect((await newestOf(alice)).cosignatures).toBe(0)
    expect(await call(bob, 'POST', COSIGN, signed)).toMatchObject({ status: 200, body: { data: { cosignatures: 1 } } })
  })

  it('is accepted after the waiting period too, while the rotation still needs it', async () => {
    const caller = await freshCaller()
    const phone = await cosignerOf(caller)
    const { rotation } = await opened(caller, 2)
    at((rotation.deadline ?? 0) + 1)
    expect((await phone.client.rotation.cosign(rotation)).cosignatures).toBe(1)
  })
})

/** Who co-signs, in whose name, before anything else is in order. */
type Attempt = (alice: TestCaller, phone: TestDevice, bob: TestCaller) => Promise<{ by: TestDevice; as?: string }>

describe('a co-signature is rejected', () => {
  it('by a device that was taken in less than a window before the request', async () => {
    const caller = await freshCaller()
    await cosignerOf(caller)
    const late = await memberOf(caller, 'rotation:cosign')
    at(Date.now() + DAY_MS - 1)
    const { rotation } = await opened(caller, 2)
    at(rotation.deadline ?? 0)
    await expect(late.client.rotation.cosign(rotation)).rejects.toMatchObject({ error: 'not_eligible' })
    expect(await newestOf(caller)).toMatchObject({ requiredCosigners: 1, cosignatures: 0 })
  })

  it.each<[string, Attempt, string]>([
    ['by a device without rotation:cosign', async (alice) => ({ by: await memberOf(alice) }), 'not_eligible'],
    [
      'by a device that was taken in after the request',
      async (alice) => ({ by: await memberOf(alice, 'rotation:cosign') }),
      'not_eligible',
    ],
    [
      'by a device of another identity',
      async (_, __, bob) => ({ by: await memberOf(bob, 'rotation:cosign') }),
      'not_eligible',
    ],
    [
      'by another device in the name of one that may',
      async (alice, phone) => ({ by: await memberOf(alice, 'rotation:cosign'), as: phone.device.deviceId }),
      'not_eligible',
    ],
  ])('%s', async (_, attempt, error) => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const phone = await cosignerOf(alice)
    const { rotationId } = (await opened(alice, 2)).rotation
    const { by, as } = await attempt(alice, phone, bob)
    const signed = await cosignBy(by.device, as ?? by.device.deviceId, alice.identity, rotationId)
    expect(await call(bob, 'POST', COSIGN, signed)).toMatchObject({ status: 403, body: { error } })
    expect(await newestOf(alice)).toMatchObject({ cosignatures: 0, cosigned: [] })
  })

  it('by the root key, which has already signed the request', async () => {
    const caller = await freshCaller()
    const { rotationId } = (await opened(caller, 2)).rotation
    const signed = await cosignBy(caller.identity, 'root', caller.identity, rotationId)
    expect((await call(caller, 'POST', COSIGN, signed)).status).toBe(400)
  })

  it('about another scope, another identity or an unknown rotation', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const { device } = await cosignerOf(alice)
    const { rotationId } = (await opened(alice, 2)).rotation
    const { did, scope } = alice.identity
    const by = (owner: { did: string; scope: string }, id = rotationId) => cosignBy(device, device.deviceId, owner, id)
    const mixed = await by({ did, scope: bob.identity.scope })
    expect(await call(bob, 'POST', COSIGN, mixed)).toMatchObject({ status: 403, body: { error: 'owner_mismatch' } })
    const unknown = await by({ did, scope }, 'a'.repeat(96))
    expect(await call(bob, 'POST', COSIGN, unknown)).toMatchObject({ status: 404, body: { error: 'not_found' } })
    const nobody = await by({ did: `did:svc:${'v'.repeat(32)}`, scope })
    expect(await call(bob, 'POST', COSIGN, nobody)).toMatchObject({ status: 404, body: { error: 'not_found' } })
  })

  it('once the rotation is over', async () => {
    const caller = await freshCaller()
    const phone = await cosignerOf(caller)
    const { rotation } = await opened(caller, 2)
    await caller.client.rotation.cancel(rotation.rotationId)
    await expect(phone.client.rotation.cosign(rotation)).rejects.toMatchObject({
      status: 409,
      error: 'rotation_not_pending',
      details: { status: 'cancelled' },
    })
  })

  it('if it is a freeze', async () => {
    const caller = await freshCaller()
    const { device } = await cosignerOf(caller)
    const { rotationId } = (await opened(caller, 2)).rotation
    const signed = await freezeBy(device, device.deviceId, caller.identity, rotationId)
    expect((await call(caller, 'POST', COSIGN, signed)).status).toBe(400)
    expect((await newestOf(caller)).freezes).toBe(0)
  })
})
