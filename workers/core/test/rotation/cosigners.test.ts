import { deviceOf, type TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, freshCaller, send } from '../harness.ts'
import { at, cosignBy, cosignerOf, cosignersOf, DAY_MS, memberOf, opened } from './rotation.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('a version-2 rotation', () => {
  it('requires a co-signature if a device could give one, and one is enough', async () => {
    const caller = await freshCaller()
    const [phone] = await cosignersOf(caller, 2)
    const { rotation } = await opened(caller, 2)
    expect(rotation).toMatchObject({ requiredCosigners: 1, cosignatures: 0 })
    at(rotation.deadline ?? 0)
    await expect(caller.client.rotation.activate(rotation)).rejects.toMatchObject({
      status: 409,
      error: 'cosigner_required',
    })
    await phone?.client.rotation.cosign(rotation)
    expect(await caller.client.rotation.activate(rotation)).toMatchObject({ status: 'active', cosignatures: 1 })
  })

  /** What is done to a device that could co-sign. */
  const LOSSES: [string, (caller: TestCaller, deviceId: string) => Promise<unknown>][] = [
    ['is revoked', ({ client }, id) => client.devices.revoke(id)],
    ['is suspended', ({ client }, id) => client.devices.suspend(id)],
    [
      'loses the capability',
      ({ client }, id) => client.devices.change(id, { event: 'capabilities', capabilities: ['rotation:request'] }),
    ],
  ]

  it.each(LOSSES)('needs one for a window after the last that could %s, and then none', async (_, lose) => {
    const caller = await freshCaller()
    const { device } = await cosignerOf(caller)
    await lose(caller, device.deviceId)
    const lostAt = Date.now()
    at(lostAt + DAY_MS - 1)
    const { rotation } = await opened(caller, 2)
    expect(rotation.requiredCosigners).toBe(1)
    await caller.client.rotation.cancel(rotation.rotationId)
    at(lostAt + DAY_MS)
    expect((await opened(caller, 2)).rotation.requiredCosigners).toBe(0)
  })

  it('requires one for a waiting period after the last eligible device expired, and then none', async () => {
    const caller = await freshCaller()
    const expiresAt = Date.now() + 3 * DAY_MS
    await deviceOf(caller, { fetch: send, capabilities: ['rotation:cosign'], expiresAt })
    at(expiresAt + DAY_MS - 1)
    const { rotation } = await opened(caller, 2)
    expect(rotation.requiredCosigners).toBe(1)
    await caller.client.rotation.cancel(rotation.rotationId)
    at(expiresAt + DAY_MS)
    expect((await opened(caller, 2)).rotation.requiredCosigners).toBe(0)
  })

  it.each<[string, (caller: TestCaller) => Promise<unknown>]>([
    ['there is no device', async () => undefined],
    [
      'devices lack rotation:cosign',
      async (caller) => {
        await memberOf(caller, 'rotation:request', 'account:read')
        at(Date.now() + 2 * DAY_MS)
      },
    ],
    [
      'the device that could was taken in less than a window ago',
      async (caller) => {
        at(Date.now())
        await memberOf(caller, 'rotation:cosign')
        at(Date.now() + DAY_MS - 1)
      },
    ],
  ])('needs none where %s', async (_, prepare) => {
    const caller = await freshCaller()
    await prepare(caller)
    const { rotation } = await opened(caller, 2)
    expect(rotation.requiredCosigners).toBe(0)
    at(rotation.deadline ?? 0)
    expect((await caller.client.rotation.activate(rotation)).status).toBe('active')
  })

  it('cannot be activated by a thief who revokes the owner’s devices and adds one', async () => {
    const caller = await freshCaller()
    const { device } = await cosignerOf(caller)
    await caller.client.devices.revoke(device.deviceId)
    const own = await memberOf(caller, 'rotation:cosign')
    const { rotation } = await opened(caller, 2)
    await expect(own.client.rotation.cosign(rotation)).rejects.toMatchObject({ error: 'not_eligible' })
    at((rotation.deadline ?? 0) + 30 * DAY_MS)
    await expect(caller.client.rotation.activate(rotation)).rejects.toMatchObject({ error: 'cosigner_required' })
    expect((await caller.client.rotation.cancel(rotation.rotationId)).status).toBe('cancelled')
  })

  it.each(LOSSES)('keeps counting a co-signer that %s in the meantime', async (_, lose) => {
    const caller = await freshCaller()
    const phone = await cosignerOf(caller)
    const { rotation } = await opened(caller, 2)
    await phone.client.rotation.cosign(rotation)
    await lose(caller, phone.device.deviceId)
    at(rotation.deadline ?? 0)
    expect((await caller.client.rotation.activate(rotation)).status).toBe('active')
  })

  it.each(LOSSES)('can be co-signed by a device that %s since the request', async (_, lose) => {
    const [caller, bob] = [await freshCaller(), await freshCaller()]
    const { device } = await cosignerOf(caller)
    const { rotation } = await opened(caller, 2)
    await lose(caller, device.deviceId)
    const signed = await cosignBy(device, device.deviceId, caller.identity, rotation.rotationId)
    expect(await call(bob, 'POST', '/api/chain/rotation/cosign', signed)).toMatchObject({
      status: 200,
      body: { data: { cosignatures: 1 } },
    })
  })
})
