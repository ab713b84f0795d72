import { env } from 'cloudflare:workers'
import { coreAnswering } from '@svc/service/testing'
import { signerOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { caller, device } from '../harness.ts'
import { bent, check, request, strangersKey } from './verification.fixture.ts'

const NOBODY = { did: null, scope: null, epoch: null }

async function statusOf(by: Parameters<typeof request>[0]) {
  const { status, body } = await check('/with-key-status', await request(by))
  expect(status).toBe(200)
  return (body as { data: { keyStatus: unknown } }).data.keyStatus
}

function holderOf({ device: keys }: Awaited<ReturnType<typeof device>>) {
  return { publicKeyB64u: keys.devicePublicKeyB64u, sign: signerOf(keys) }
}

describe('POST /api/verify/with-key-status', () => {
  it('knows a current root key, and whom it speaks for', async () => {
    const { identity } = await caller()
    const { did, scope } = identity
    expect(await statusOf(identity)).toEqual({ state: 'current', kind: 'root', did, scope, epoch: 0 })
  })

  it('does not know a key that core has never heard of', async () => {
    expect(await statusOf(await strangersKey())).toEqual({ state: 'unknown', kind: null, ...NOBODY })
  })

  it('calls the key of an identity that has ended revoked', async () => {
    const by = await caller()
    await by.client.security.deactivate()
    expect(await statusOf(by.identity)).toEqual({ state: 'revoked', kind: 'root', ...NOBODY })
  })

  it('knows an active device, and calls a suspended or revoked one revoked', async () => {
    const active = await device()
    const { did, scope } = active.owner.identity
    const current = { state: 'current', kind: 'device', did, scope, epoch: 0 }
    expect(await statusOf(holderOf(active))).toEqual(current)
    const suspended = await device()
    await suspended.owner.client.devices.suspend(suspended.device.deviceId)
    expect(await statusOf(holderOf(suspended))).toEqual({ state: 'revoked', kind: 'device', ...NOBODY })
    const revoked = await device()
    await revoked.owner.client.devices.revoke(revoked.device.deviceId)
    expect(await statusOf(holderOf(revoked))).toEqual({ state: 'revoked', kind: 'device', ...NOBODY })
  })

  it('refuses as verification does', async () => {
    const good = await request(await strangersKey())
    const broken = { ...good, signatureB64u: bent(good.signatureB64u) }
    expect(await check('/with-key-status', broken)).toMatchObject({ status: 400, error: 'verification_failed' })
    expect((await check('', good)).status).toBe(200)
    expect(await check('/with-key-status', good)).toMatchObject({ status: 400, error: 'nonce_replay' })
  })
})

const refusing = (error: string, status: number) => async () => Response.json({ success: false, error }, { status })

describe('when core says of a key that', () => {
  it('it was superseded, that is its state', async () => {
    const CORE = coreAnswering(refusing('key_superseded', 409))
    const { body } = await check('/with-key-status', await request(await strangersKey()), { CORE })
    expect(body).toMatchObject({ data: { keyStatus: { state: 'superseded', kind: 'root', ...NOBODY } } })
  })

  it.each([
    ['attestation_unverifiable', 403, { state: 'superseded', kind: 'device' }],
    ['did_deactivated', 409, { state: 'revoked', kind: 'device' }],
    ['device_keys_disabled', 403, { state: 'unknown', kind: null }],
    ['not_found', 404, { state: 'unknown', kind: null }],
  ])('no root key it is, and %s of the device', async (error, status, state) => {
    const CORE = coreAnswering(async ({ url }) =>
      url.includes('key-scope') ? refusing('not_found', 404)() : refusing(error, status)(),
    )
    const { body } = await check('/with-key-status', await request(await strangersKey()), { CORE })
    expect(body).toMatchObject({ data: { keyStatus: { ...state, ...NOBODY } } })
  })
})

describe('while core cannot say', () => {
  const gone = () => Promise.reject(new Error('gone'))

  it.each<[string, () => Promise<Response>]>([
    ['it is gone', gone],
    ['it answers 500', refusing('not_found', 500)],
    ['it does not know the caller', refusing('forbidden', 403)],
    ['it answers nonsense', async () => Response.json({ ok: true })],
  ])('because %s, the answer is 503 and no nonce is spent', async (_, answer) => {
    const good = await request(await strangersKey())
    const refused = await check('/with-key-status', good, { CORE: coreAnswering(answer) })
    expect(refused).toMatchObject({ status: 503, error: 'dependency_unavailable' })
    expect((await check('', good)).status).toBe(200)
  })

  it('because it answers about another key, the answer is 503', async () => {
    const other = (await caller()).identity
    const CORE = coreAnswering(() =>
      env.CORE.fetch(`https://internal/api/internal/key-scope/${other.userId}`, {
        headers: { 'x-svc-internal': env.SVC_INTERNAL_SECRET },
      }),
    )
    const refused = await check('/with-key-status', await request(await strangersKey()), { CORE })
    expect(refused).toMatchObject({ status: 503, error: 'dependency_unavailable' })
  })

  it('because the device index is gone, the answer is 503', async () => {
    const CORE = coreAnswering(async ({ url }) =>
      url.includes('key-scope') ? refusing('not_found', 404)() : refusing('device_index_unavailable', 503)(),
    )
    const refused = await check('/with-key-status', await request(await strangersKey()), { CORE })
    expect(refused).toMatchObject({ status: 503 })
  })
})

describe('while nonces cannot be kept', () => {
  const gone = { getByName: () => ({ spend: () => Promise.reject(new Error('gone')) }) }
  const full = { getByName: () => ({ spend: async () => null }) }
  const silent = { getByName: () => ({ spend: async () => [] }) }

  it.each([
    ['gone', gone],
    ['full', full],
    ['silent about it', silent],
  ])('because they are %s, nothing is called valid', async (_, replaced) => {
    const good = await request(await strangersKey())
    for (const path of ['', '/with-key-status'])
      expect(await check(path, good, { OPEN_NONCES: replaced })).toMatchObject({ status: 503 })
    const { body } = await check('/batch', { items: [good, null] }, { OPEN_NONCES: replaced })
    expect(body).toMatchObject({
      data: {
        items: [
          { valid: false, error: 'dependency_unavailable' },
          { valid: false, error: 'invalid_request' },
        ],
      },
    })
  })
})
