import type { ErrorName } from '@svc/protocol/http/errors'
import { expect, it } from 'vitest'
import { expectRefusal } from './credential-battery.ts'
import type { Answer, DeviceProbe, GuardDevice } from './guarded.ts'

/** What core knows of a device decides, from the moment that it does. */
export function standings({ guarded, fresh, send, expectThrough }: DeviceProbe): void {
  const { audience, names } = guarded
  const refusedNow = async (device: GuardDevice) =>
    expectRefusal(await send(await device.assertion(audience)), names.rejected)

  it('refuses a device that nobody has attested', async () => {
    await refusedNow(await fresh({ attested: false }))
  })

  it('refuses a device from the moment of its revocation', async () => {
    const device = await fresh()
    expectThrough(await send(await device.assertion(audience)))
    const early = await device.assertion(audience)
    await device.owner.client.devices.revoke(device.device.deviceId)
    expectRefusal(await send(early), names.rejected)
    await refusedNow(device)
  })

  it('refuses a device while it is suspended', async () => {
    const device = await fresh()
    const { devices } = device.owner.client
    await devices.suspend(device.device.deviceId)
    await refusedNow(device)
    await devices.resume(device.device.deviceId)
    expectThrough(await send(await device.assertion(audience)))
  })

  it('refuses a device whose attestation is over', async () => {
    await refusedNow(await fresh({ expiresAt: Date.now() - 1 }))
    expectThrough(await send(await (await fresh({ expiresAt: Date.now() + 3_600_000 })).assertion(audience)))
  })

  it('refuses a device whose owner was deactivated', async () => {
    const device = await fresh()
    await device.owner.client.security.deactivate()
    await refusedNow(device)
  })
}

/** What core answers is compared with what the device claims, passed on where it is named, and otherwise not relied on. */
export function answersOfCore({ guarded, laptop, send, expectUnspent }: DeviceProbe): void {
  const { audience, target } = guarded
  /** What core says of another identity's device with the same claims, with some of it changed. */
  const saying =
    (changes: object): Answer =>
    async () => {
      const { identity } = (await laptop()).owner
      const { userId, did, scope } = identity
      return Response.json({ userId, did, scope, epoch: 0, publicKeyB64u: 'A'.repeat(2603), ...changes })
    }
  const refusing =
    (status: number, error: unknown): Answer =>
    async () =>
      Response.json({ success: false, error, timestamp: 1 }, { status })

  it.each<[ErrorName, number]>([
    ['device_keys_disabled', 403],
    ['attestation_unverifiable', 403],
    ['device_index_unavailable', 503],
  ])('passes core’s %s on as it is, and spends nothing', async (error, status) => {
    await expectUnspent({}, error, refusing(status, error))
  })

  it('keeps taking the root key while core refuses devices', async () => {
    const core: Answer = async (request) =>
      (await request.clone().json<{ device: unknown }>()).device
        ? refusing(403, 'device_keys_disabled')(request)
        : target.core.fetch(request)
    const device = await laptop()
    expectRefusal(await send(await device.assertion(audience), core), 'device_keys_disabled')
    expect((await send(await device.owner.assertion(audience), core)).status).toBe(200)
  })

  it.each<[string, Answer]>([
    ['throws', () => Promise.reject(new Error('gone'))],
    ['answers 500', refusing(500, 'internal_error')],
    ['answers 503 with the name of a refusal', refusing(503, 'not_found')],
    ['does not know the caller', refusing(403, 'forbidden')],
    ['answers what is not JSON', async () => new Response('<html>')],
    ['answers an empty object', async () => Response.json({})],
    ['answers about another root epoch', saying({ epoch: 1 })],
    ['answers about another root key', saying({ userId: 'f'.repeat(96) })],
    ['answers about another scope', saying({ scope: 'f'.repeat(96) })],
    ['answers about another identity', saying({ did: `did:svc:${'A'.repeat(32)}` })],
    ['says that all is well', async () => Response.json({ status: 'active', verified: true })],
  ])('lets nobody through and spends nothing when core %s', async (_, answer) => {
    await expectUnspent({}, 'dependency_unavailable', answer)
  })
}
