import { env } from 'cloudflare:workers'
import { signStatement } from '@svc/protocol/base/statement'
import { coreAnswering, expectRefusal } from '@svc/service/testing'
import { signerOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { caller, device } from '../harness.ts'
import { freshFile, IMAGE, register, units } from './capsules.fixture.ts'

const writer = (options: Parameters<typeof device>[0] = {}) =>
  device({ capabilities: ['provenance:write'], ...options })
type Writer = Awaited<ReturnType<typeof writer>>
const signed = (by: Writer) => by.client.provenance.sign(freshFile(), IMAGE)

describe('a capsule that a device has signed', () => {
  it('is registered by the device itself', async () => {
    const by = await writer()
    const registered = await by.client.provenance.register(await signed(by))
    expect(registered).toMatchObject({ did: by.owner.identity.did, duplicate: false })
    const { deviceId } = by.device
    expect(await by.client.provenance.capsule(registered.assetId)).toMatchObject({
      signer: { kind: 'device', deviceId },
    })
    expect(await by.client.provenance.verifyCapsule(registered.assetId)).toMatchObject({
      valid: true,
      keyStatus: { state: 'current', kind: 'device' },
    })
    expect(await units(by.owner)).toEqual({ used: 1, reserved: 0 })
  })

  it('is registered by the root key, and one of the root key by the device', async () => {
    const by = await writer()
    expect((await register(by.owner, await signed(by))).status).toBe(200)
    expect((await register(by, await by.owner.client.provenance.sign(freshFile(), IMAGE))).status).toBe(200)
  })

  it('names the event that attested the device, and is refused without one', async () => {
    const by = await writer()
    const { capsule, signature } = await signed(by)
    expect(capsule.inception).toMatchObject({ sequence: 1 })
    const unplaced = { ...capsule, inception: null }
    const { signatureB64u } = await signStatement(unplaced, signerOf(by.device))
    const sent = { capsule: unplaced, signature: { ...signature, signatureB64u } }
    expectRefusal(await register(by, sent), 'invalid_request')
  })

  it('stays verifiable when the device is revoked, and says so', async () => {
    const by = await writer()
    const { assetId } = await by.client.provenance.register(await signed(by))
    await by.owner.client.devices.revoke(by.device.deviceId)
    expect(await by.owner.client.provenance.verifyCapsule(assetId)).toMatchObject({
      valid: true,
      keyStatus: { state: 'revoked' },
    })
  })

  it.each(['revoke', 'suspend'] as const)('is refused after a %s, at once', async (change) => {
    const by = await writer()
    const sent = await signed(by)
    await by.client.provenance.register(await signed(by))
    await by.owner.client.devices[change](by.device.deviceId)
    expectRefusal(await register(by.owner, sent), 'invalid_signature')
    expect(await units(by.owner)).toEqual({ used: 1, reserved: 0 })
  })

  it('is refused of a device that may not write capsules, was never attested, or is another identity’s', async () => {
    const [reader, stranger, other] = [
      await device({ capabilities: ['account:read'] }),
      await writer({ attested: false }),
      await writer(),
    ]
    const by = await caller()
    const foreign = await signed(other)
    expectRefusal(await register(reader.owner, await signed(reader)), 'invalid_signature')
    const { capsule } = await by.client.provenance.sign(freshFile(), IMAGE)
    for (const keys of [stranger.device, other.device]) {
      const { signatureB64u } = await (await import('@svc/protocol/base/statement')).signStatement(
        capsule,
        signerOf(keys),
      )
      const signature = { algorithm: 'ml-dsa-65', publicKeyB64u: keys.devicePublicKeyB64u, signatureB64u }
      expectRefusal(await register(by, { capsule, signature }), 'invalid_signature')
    }
    expectRefusal(await register(by, foreign), 'owner_mismatch')
    expect(await units(by)).toEqual({ used: 0, reserved: 0 })
  })

  it('is looked up where a revocation is effective at once', async () => {
    const by = await writer()
    const asked: string[] = []
    const CORE = coreAnswering(async (request) => {
      asked.push(request.url.replace(/^https:\/\/internal|\?issuedAt=\d+$/g, ''))
      return env.CORE.fetch(request)
    })
    await register(by.owner, await signed(by), { replaced: { CORE } })
    expect(asked).toEqual([
      '/api/internal/assertion/spend',
      `/api/internal/device/${by.device.deviceId}?consistency=primary`,
    ])
  })
})

describe('while core cannot say whose device it is, nothing is registered', () => {
  const answering = (answer: () => Promise<Response>) => ({
    CORE: coreAnswering(async (request) => (request.url.includes('/device/') ? answer() : env.CORE.fetch(request))),
  })
  const named = (error: string, status: number) => async () => Response.json({ success: false, error }, { status })

  it.each<
    [
      string,
      () => Promise<Response>,
      'dependency_unavailable' | 'device_index_unavailable' | 'device_keys_disabled' | 'invalid_signature',
    ]
  >([
    ['is gone', () => Promise.reject(new Error('gone')), 'dependency_unavailable'],
    ['answers 500', named('not_found', 500), 'dependency_unavailable'],
    ['answers nonsense', async () => Response.json({ ok: true }), 'dependency_unavailable'],
    ['does not know the caller', named('forbidden', 403), 'dependency_unavailable'],
    ['has no index', named('device_index_unavailable', 503), 'device_index_unavailable'],
    ['takes no devices', named('device_keys_disabled', 403), 'device_keys_disabled'],
    ['cannot verify the attestation', named('attestation_unverifiable', 403), 'invalid_signature'],
  ])('because it %s', async (_, answer, error) => {
    const by = await writer()
    expectRefusal(await register(by.owner, await signed(by), { replaced: answering(answer) }), error)
    expect(await units(by.owner)).toEqual({ used: 0, reserved: 0 })
  })

  it('because it answers about another device', async () => {
    const [by, other] = [await writer(), await writer()]
    const CORE = coreAnswering(async (request) =>
      env.CORE.fetch(new Request(request.url.replace(by.device.deviceId, other.device.deviceId), request)),
    )
    expectRefusal(await register(by.owner, await signed(by), { replaced: { CORE } }), 'dependency_unavailable')
  })
})
