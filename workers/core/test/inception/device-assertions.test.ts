import { listDurableObjectIds } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { deviceIdOf } from '@svc/protocol/base/device'
import { deviceOf, type TestDevice, type TestDeviceOptions } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { anonymous, CORE, freshCaller, send, sendWith } from '../harness.ts'

const HEAD = '/api/chain/head'
const MINUTE = 60_000
const PAGE = 'http://localhost:3000'
const REFUSED = { status: 401, body: { success: false, error: 'unauthorized' } }

const freshDevice = async (options: Partial<TestDeviceOptions> = {}): Promise<TestDevice> =>
  deviceOf(await freshCaller(), { fetch: send, capabilities: ['chain:read'], ...options })
const get = (authorization: string, headers: Record<string, string> = {}, path = HEAD) =>
  anonymous('GET', path, undefined, { authorization, ...headers })

describe('a device’s assertion on core', () => {
  it('is accepted once', async () => {
    const { assertion, owner } = await freshDevice()
    const authorization = await assertion('chain')
    expect(await get(authorization)).toMatchObject({ status: 200, body: { data: { did: owner.identity.did } } })
    expect(await get(authorization)).toMatchObject(REFUSED)
  })

  it('is accepted once of twenty concurrent uses', async () => {
    const authorization = await (await freshDevice()).assertion('chain')
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(authorization)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(19)
  })

  it.each<[string, Record<string, unknown>]>([
    ['purpose', { purpose: 'auth/session' }],
    ['userId', { userId: 'a'.repeat(96) }],
    ['scope', { scope: 'a'.repeat(96) }],
    ['DID', { did: `did:svc:${'A'.repeat(32)}` }],
    ['deviceId', { deviceId: 'A'.repeat(32) }],
    ['device key', { devicePublicKey: 'A'.repeat(2603), deviceId: deviceIdOf('A'.repeat(2603)) }],
    ['software name', { origin: 'app:elsewhere' }],
    ['origin', { origin: 'https://elsewhere.example' }],
    ['root epoch', { rootEpoch: 1 }],
    ['capability beyond what was attested', { capabilities: ['chain:read', 'chain:append'] }],
    ['capability that nobody has', { capabilities: ['chain:read', 'admin'] }],
    ['capability twice', { capabilities: ['chain:read', 'chain:read'] }],
    ['order of times', { expiresAt: 1 }],
    ['nonce', { nonce: '' }],
    ['long nonce', { nonce: 'n'.repeat(257) }],
    ['htm', { htm: 'POST' }],
    ['htu of another route', { htu: `${CORE}/api/sync/status` }],
    ['htu of another deployment', { htu: `https://core.example${HEAD}` }],
    ['bodyHash', { bodyHash: 'a'.repeat(96) }],
  ])('with another %s gets the one answer and stays unspent', async (_, members) => {
    const { assertion } = await freshDevice()
    const nonce = crypto.randomUUID()
    expect(await get(await assertion('chain', { nonce, ...members }))).toMatchObject(REFUSED)
    expect((await get(await assertion('chain', { nonce }))).status).toBe(200)
  })

  it('with a signature by another key, or over other bytes, does not spend the device’s nonce', async () => {
    const [device, other] = [await freshDevice(), await freshDevice()]
    const { devicePublicKeyB64u: devicePublicKey, deviceId } = device.device
    const { userId, scope, did } = device.owner.identity
    const nonce = crypto.randomUUID()
    const forged = await other.assertion('chain', { userId, scope, did, devicePublicKey, deviceId, nonce })
    expect(await get(forged)).toMatchObject(REFUSED)
    const [, signature] = (await device.assertion('chain')).split('.')
    const [payload] = (await device.assertion('chain', { nonce })).split('.')
    expect(await get(`${payload}.${signature}`)).toMatchObject(REFUSED)
    expect((await get(await device.assertion('chain', { nonce }))).status).toBe(200)
  })

  it.each(['notes', 'genesis', 'core', 'chain ', '*', ''])(
    'for audience "%s" is rejected before any storage access',
    async (aud) => {
      const { assertion } = await freshDevice()
      const untouchable = {
        getByName: () => {
          throw new Error('storage was accessed')
        },
      }
      const headers = { authorization: await assertion(aud), 'cf-connecting-ip': '2001:db8:a:c::1' }
      const response = await sendWith({ IDENTITIES: untouchable, CACHE: null })(new Request(CORE + HEAD, { headers }))
      expect(response.status).toBe(403)
      expect(await response.json()).toMatchObject({ success: false, error: 'wrong_audience' })
    },
  )

  it('returns the server’s time if the clock is off by more than two minutes', async () => {
    const { assertion } = await freshDevice()
    const now = Date.now()
    const early = { issuedAt: now + 2 * MINUTE + 5_000, expiresAt: now + 3 * MINUTE }
    const late = { issuedAt: now - 10 * MINUTE, expiresAt: now - 2 * MINUTE - 1 }
    const told = { serverTime: expect.any(Number) }
    expect((await get(await assertion('chain', early))).body).toMatchObject({
      error: 'assertion_not_yet_valid',
      ...told,
    })
    expect((await get(await assertion('chain', late))).body).toMatchObject({ error: 'assertion_expired', ...told })
    const long = { issuedAt: now, expiresAt: now + 60 * MINUTE + 1 }
    expect((await get(await assertion('chain', long))).body).toMatchObject({ error: 'assertion_too_long' })
    expect((await get(await assertion('chain', { issuedAt: now - 10 * MINUTE, expiresAt: now - MINUTE }))).status).toBe(
      200,
    )
  })

  it('without the required capability gets a specific error, and is spent', async () => {
    const { assertion } = await freshDevice({ capabilities: ['account:read'] })
    const authorization = await assertion('chain')
    expect(await get(authorization)).toMatchObject({ status: 403, body: { error: 'capability_required' } })
    expect(await get(authorization)).toMatchObject(REFUSED)
    const unclaimed = await (await freshDevice()).assertion('chain', { capabilities: [] })
    expect(await get(unclaimed)).toMatchObject({ status: 403, body: { error: 'capability_required' } })
  })

  it('has nonces separate from those of the root key and of other devices', async () => {
    const first = await freshDevice()
    const second = await deviceOf(first.owner, { fetch: send, capabilities: ['chain:read'] })
    const nonce = crypto.randomUUID()
    for (const { assertion } of [first, second, first.owner]) {
      const authorization = await assertion('chain', { nonce })
      expect((await get(authorization)).status).toBe(200)
      expect(await get(authorization)).toMatchObject(REFUSED)
    }
  })
})

describe('the origin of a device', () => {
  it('must match the page’s, and a request without Origin passes', async () => {
    const { assertion } = await freshDevice({ home: PAGE })
    expect((await get(await assertion('chain'), { origin: PAGE })).status).toBe(200)
    expect((await get(await assertion('chain'))).status).toBe(200)
  })

  it('is compared with the sending page, even if that page is allowed', async () => {
    const { assertion } = await freshDevice({ home: 'https://elsewhere.example' })
    const nonce = crypto.randomUUID()
    expect(await get(await assertion('chain', { nonce }), { origin: PAGE })).toMatchObject(REFUSED)
    expect(await get(await assertion('chain', { nonce, origin: PAGE }), { origin: PAGE })).toMatchObject(REFUSED)
    expect((await get(await assertion('chain', { nonce }))).status).toBe(200)
  })

  it('is null for software, and a page cannot pose as it', async () => {
    const { assertion } = await freshDevice({ home: 'app:notes' })
    expect((await get(await assertion('chain'), { origin: PAGE })).status).toBe(200)
    expect(await get(await assertion('chain', { origin: PAGE }), { origin: PAGE })).toMatchObject(REFUSED)
    const page = await freshDevice({ home: PAGE })
    expect(await get(await page.assertion('chain', { origin: 'app:notes' }), { origin: PAGE })).toMatchObject(REFUSED)
  })

  it('outside the allowlist is rejected before the assertion is checked', async () => {
    const { assertion } = await freshDevice({ home: 'https://elsewhere.example' })
    const authorization = await assertion('chain')
    expect(await get(authorization, { origin: 'https://elsewhere.example' })).toMatchObject({
      status: 403,
      body: { error: 'cors_denied' },
    })
    expect((await get(authorization)).status).toBe(200)
  })
})

describe('the standing of a device', () => {
  it('is missing for a device that was never attested, and checking leaves no trace', async () => {
    const { assertion, device } = await freshDevice({ attested: false })
    const before = (await listDurableObjectIds(env.IDENTITIES)).length
    expect(await get(await assertion('chain'))).toMatchObject(REFUSED)
    expect((await listDurableObjectIds(env.IDENTITIES)).length).toBe(before)
    expect((await anonymous('GET', `/api/chain/root/did:svc:${device.deviceId}`)).status).toBe(404)
  })

  it('is missing with another owner', async () => {
    const [{ assertion }, stranger] = [await freshDevice(), await freshCaller()]
    const { userId, scope, did } = stranger.identity
    expect(await get(await assertion('chain', { userId, scope, did }))).toMatchObject(REFUSED)
    const unborn = (await freshCaller({ genesis: false })).identity
    const claim = { userId: unborn.userId, scope: unborn.scope, did: unborn.did }
    expect(await get(await assertion('chain', claim))).toMatchObject(REFUSED)
    expect((await get(await assertion('chain'))).status).toBe(200)
  })

  it('ends with its revocation, also for earlier assertions', async () => {
    const { assertion, owner, device } = await freshDevice()
    const early = await assertion('chain')
    await owner.client.devices.revoke(device.deviceId)
    expect(await get(early)).toMatchObject(REFUSED)
    expect(await get(await assertion('chain'))).toMatchObject(REFUSED)
  })

  it('pauses while it is suspended', async () => {
    const { assertion, owner, device } = await freshDevice()
    const authorization = await assertion('chain')
    await owner.client.devices.suspend(device.deviceId)
    expect(await get(authorization)).toMatchObject(REFUSED)
    await owner.client.devices.resume(device.deviceId)
    expect((await get(authorization)).status).toBe(200)
  })

  it('ends when its attestation expires', async () => {
    expect(await get(await (await freshDevice({ expiresAt: Date.now() - 1 })).assertion('chain'))).toMatchObject(
      REFUSED,
    )
    const lasting = await freshDevice({ expiresAt: Date.now() + 60 * MINUTE })
    expect((await get(await lasting.assertion('chain'))).status).toBe(200)
  })

  it('follows a change of its capabilities at once', async () => {
    const { assertion, owner, device } = await freshDevice({ capabilities: ['chain:read', 'account:read'] })
    const early = await assertion('chain')
    await owner.client.devices.change(device.deviceId, { event: 'capabilities', capabilities: ['chain:read'] })
    expect(await get(early)).toMatchObject(REFUSED)
    expect((await get(await assertion('chain', { capabilities: ['chain:read'] }))).status).toBe(200)
  })
})
