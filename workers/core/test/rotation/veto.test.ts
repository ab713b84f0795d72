import type { TestCaller } from '@svc/testing'
import { REALM } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { anonymous, call, freshCaller } from '../harness.ts'
import { at, cancelBy, DAY_MS, freezeBy, memberOf, newestOf, opened } from './rotation.fixture.ts'

const FREEZE = '/api/chain/rotation/freeze'

afterEach(() => {
  vi.useRealTimers()
})

describe('a freeze', () => {
  it.each<[string, (caller: TestCaller) => Promise<TestCaller['client']>]>([
    ['the root key', async ({ client }) => client],
    ['an active device that may do nothing else', async (caller) => (await memberOf(caller)).client],
    ['a device with every right', async (caller) => (await memberOf(caller, 'rotation:cosign', 'chain:read')).client],
  ])('by %s ends the rotation for good', async (_, clientOf) => {
    const caller = await freshCaller()
    const client = await clientOf(caller)
    const { rotation } = await opened(caller, 2)
    const frozen = await client.rotation.freeze(rotation.rotationId)
    expect(frozen).toMatchObject({ status: 'frozen', freezes: 1, cancels: 0 })
    expect(frozen.vetoes).toHaveLength(1)
    at((rotation.deadline ?? 0) + DAY_MS)
    await expect(caller.client.rotation.activate(rotation)).rejects.toMatchObject({
      status: 409,
      error: 'rotation_not_pending',
      details: { status: 'frozen' },
    })
    const root = await caller.client.chain.root(caller.identity.did)
    expect(root).toMatchObject({ epoch: 0, rotation: { status: 'frozen', freezes: 1 } })
  })

  it('makes room for another request', async () => {
    const caller = await freshCaller()
    const first = await opened(caller, 2)
    await caller.client.rotation.freeze(first.rotation.rotationId)
    const second = await opened(caller, 2, first.successor)
    expect(second.rotation.rotationId).not.toBe(first.rotation.rotationId)
    at(second.rotation.deadline ?? 0)
    expect((await caller.client.rotation.activate(second.rotation)).status).toBe('active')
  })

  it('does not run out: one device stops twelve requests in a row', async () => {
    const caller = await freshCaller()
    const phone = await memberOf(caller)
    for (let i = 0; i < 12; i += 1) {
      const { rotationId } = (await opened(caller, 2)).rotation
      expect((await phone.client.rotation.freeze(rotationId)).status).toBe('frozen')
    }
    expect(await newestOf(caller)).toMatchObject({ status: 'frozen' })
  })

  it('is idempotent, and nothing else can follow it', async () => {
    const caller = await freshCaller()
    const phone = await memberOf(caller)
    const { rotationId } = (await opened(caller, 2)).rotation
    const signed = await freezeBy(caller.identity, 'root', caller.identity, rotationId)
    const first = await call(caller, 'POST', FREEZE, signed)
    const second = await call(caller, 'POST', FREEZE, signed)
    expect(second).toMatchObject({ status: 200, body: { data: first.body['data'] } })
    const over = { status: 409, error: 'rotation_not_pending', details: { status: 'frozen' } }
    await expect(phone.client.rotation.freeze(rotationId)).rejects.toMatchObject(over)
    await expect(caller.client.rotation.cancel(rotationId)).rejects.toMatchObject(over)
    expect(await newestOf(caller)).toMatchObject({ freezes: 1, cancels: 0, status: 'frozen' })
  })

  it('can be sent with anyone’s assertion, and requires one: its own signature is the authority', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const { device } = await memberOf(alice)
    const { rotationId } = (await opened(alice, 2)).rotation
    const forged = await freezeBy(bob.identity, 'root', alice.identity, rotationId)
    expect(await call(bob, 'POST', FREEZE, forged)).toMatchObject({ status: 403, body: { error: 'invalid_signature' } })
    expect(await call(alice, 'POST', FREEZE, forged)).toMatchObject({ status: 403 })
    const signed = await freezeBy(device, device.deviceId, alice.identity, rotationId)
    expect(await anonymous('POST', FREEZE, signed)).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
    expect(await newestOf(alice)).toMatchObject({ status: 'pending', freezes: 0 })
    expect(await call(bob, 'POST', FREEZE, signed)).toMatchObject({ status: 200, body: { data: { status: 'frozen' } } })
  })
})

describe('a cancellation', () => {
  it('by the root key cancels the rotation', async () => {
    const caller = await freshCaller()
    const { rotation } = await opened(caller, 2)
    const cancelled = await caller.client.rotation.cancel(rotation.rotationId)
    expect(cancelled).toMatchObject({ status: 'cancelled', cancels: 1, freezes: 0 })
    at(rotation.deadline ?? 0)
    await expect(caller.client.rotation.activate(rotation)).rejects.toMatchObject({
      status: 409,
      error: 'rotation_not_pending',
      details: { status: 'cancelled' },
    })
  })

  it('cannot be signed by a device, in its own name or in that of the root key', async () => {
    const caller = await freshCaller()
    const phone = await memberOf(caller, 'rotation:request', 'rotation:cosign')
    const { rotationId } = (await opened(caller, 2)).rotation
    const own = await cancelBy(phone.device, phone.device.deviceId, caller.identity, rotationId)
    expect((await call(caller, 'POST', FREEZE, own)).status).toBe(400)
    await expect(phone.client.rotation.cancel(rotationId)).rejects.toMatchObject({
      status: 403,
      error: 'invalid_signature',
    })
    expect(await newestOf(caller)).toMatchObject({ status: 'pending', cancels: 0 })
  })

  it('is not made out of a freeze', async () => {
    const caller = await freshCaller()
    const { rotationId } = (await opened(caller, 2)).rotation
    const freeze = await freezeBy(caller.identity, 'root', caller.identity, rotationId)
    const relabelled = { ...freeze, statement: { ...freeze.statement, type: 'svc/rotation-cancel/v1', realm: REALM } }
    expect(await call(caller, 'POST', FREEZE, relabelled)).toMatchObject({
      status: 403,
      body: { error: 'invalid_signature' },
    })
  })
})
