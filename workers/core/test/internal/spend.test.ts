import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { INTERNAL_HEADER } from '@svc/service'
import { describe, expect, it } from 'vitest'
import { internalService } from '../../src/app.ts'
import { freshCaller } from '../harness.ts'
import { rotated } from '../rotation/rotation.fixture.ts'
import { freshDevice, refusal, SECRET } from './device.fixture.ts'

type Caller = Awaited<ReturnType<typeof freshCaller>>

/** Spends as a sibling does once it has verified a signature. */
async function spend(
  body: object,
  { caller = 'keys', bindings = {}, query = '' }: { caller?: unknown; bindings?: object; query?: string } = {},
) {
  const request = new Request(`https://internal/api/internal/assertion/spend${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [INTERNAL_HEADER]: SECRET },
    body: JSON.stringify(body),
  })
  const context = { props: { caller }, waitUntil: () => {}, passThroughOnException: () => {} }
  const response = await internalService.app.fetch(request, { ...env, ...bindings }, context)
  return { status: response.status, body: await response.json<Record<string, unknown>>() }
}

const once = () => ({ nonce: crypto.randomUUID(), keepMs: 60_000 })
const byRoot = ({ identity }: Caller) => ({ userId: identity.userId, device: null, ...once() })

type Owned = Awaited<ReturnType<typeof freshDevice>>
const byDevice = ({ device, owner }: Owned, claims: object = {}) => ({
  userId: owner.identity.userId,
  device: {
    deviceId: device.deviceId,
    publicKeyB64u: device.devicePublicKeyB64u,
    scope: owner.identity.scope,
    origin: 'app:testing',
    rootEpoch: 0,
    capabilities: ['chain:read'],
    ...claims,
  },
  ...once(),
})
const replay = { body: { error: 'assertion_replay' } }

describe('the assertion of a root key', () => {
  it('is spent with an answer that says whose it is', async () => {
    const by = await freshCaller()
    const { userId, did, scope, publicKeyB64u } = by.identity
    const body = byRoot(by)
    expect(await spend(body)).toEqual({ status: 200, body: { userId, did, scope, epoch: 0, publicKeyB64u } })
    expect(await spend(body)).toMatchObject(replay)
  })

  it('is spent once, of twenty that arrive together at the two services that share an audience', async () => {
    const body = byRoot(await freshCaller())
    const callers = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 'pay' : 'provenance'))
    const answers = await Promise.all(callers.map((caller) => spend(body, { caller })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body: { error } }) => error === 'assertion_replay')).toHaveLength(19)
  })

  it('is apart from those of services with other audiences, and of core', async () => {
    const by = await freshCaller()
    const body = byRoot(by)
    for (const caller of ['pay', 'did', 'keys']) expect((await spend(body, { caller })).status).toBe(200)
    for (const caller of ['provenance', 'did', 'keys']) expect(await spend(body, { caller })).toMatchObject(replay)
    expect((await by.client.chain.head()).index).toBe('0')
  })

  it('is refused by a rebuilt object if it was signed before, and accepted a moment later', async () => {
    const by = await freshCaller()
    await runInDurableObject(env.IDENTITIES.getByName(by.identity.did), (object) =>
      object.stored.transact(() => object.transaction.onRebuilt(Date.now() - 10_000)),
    )
    const expired = { status: 401, body: { error: 'assertion_expired' } }
    expect(await spend(byRoot(by), { query: '?signedAgoMs=20000' })).toMatchObject(expired)
    expect(await spend(byRoot(by), { query: '?signedAgoMs=5000' })).toMatchObject({ status: 200 })
    // It may have the longest lifetime.
    expect(await spend(byRoot(by))).toMatchObject(expired)
  })

  it('is refused for a key that is unknown, superseded or over, and spends nothing', async () => {
    const by = await freshCaller()
    expect(await spend({ ...byRoot(by), userId: 'a'.repeat(96) })).toMatchObject(refusal(404, 'not_found'))
    const early = byRoot(by)
    const { next } = await rotated(by)
    expect(await spend(early)).toMatchObject(refusal(409, 'key_superseded'))
    const later = { ...early, userId: next.identity.userId }
    expect((await spend(later)).status).toBe(200)
    await next.client.security.deactivate()
    expect(await spend({ ...later, ...once() })).toMatchObject(refusal(409, 'did_deactivated'))
  })

  it('is refused when it is kept longer than an assertion can be, or not at all', async () => {
    const by = await freshCaller()
    for (const keepMs of [4_300_000, 0, -1, 0.5]) expect((await spend({ ...byRoot(by), keepMs })).status).toBe(400)
  })

  it('is spent for no one but the services that take assertions', async () => {
    const body = byRoot(await freshCaller())
    for (const caller of ['consent', 'auth', 'docs', 'core', null]) {
      expect(await spend(body, { caller })).toMatchObject(refusal(403, 'forbidden'))
    }
    expect((await spend(body)).status).toBe(200)
  })
})

describe('the assertion of a device', () => {
  it('is spent with an answer that says whose it is, apart from those of the root key', async () => {
    const owned = await freshDevice()
    const { userId, did, scope, publicKeyB64u } = owned.owner.identity
    const body = byDevice(owned)
    expect(await spend(body)).toEqual({ status: 200, body: { userId, did, scope, epoch: 0, publicKeyB64u } })
    expect(await spend(body)).toMatchObject(replay)
    expect((await spend({ ...byRoot(owned.owner), nonce: body.nonce })).status).toBe(200)
  })

  it.each<[string, object]>([
    ['key', { publicKeyB64u: 'A'.repeat(2603) }],
    ['origin', { origin: 'app:elsewhere' }],
    ['root epoch', { rootEpoch: 1 }],
    ['capability', { capabilities: ['chain:read', 'chain:append'] }],
  ])('is refused for another %s than its record has, and spends nothing', async (_, claims) => {
    const owned = await freshDevice()
    const body = byDevice(owned)
    expect(await spend({ ...body, device: { ...body.device, ...claims } })).toMatchObject(refusal(401, 'unauthorized'))
    expect((await spend(body)).status).toBe(200)
  })

  it('is refused for another owner, whose object does not know it', async () => {
    const owned = await freshDevice()
    const { scope, userId } = (await freshCaller()).identity
    const body = byDevice(owned)
    const stolen = { ...body, userId, device: { ...body.device, scope } }
    expect(await spend(stolen)).toMatchObject(refusal(404, 'not_found'))
    expect(await spend({ ...body, userId })).toMatchObject(refusal(401, 'unauthorized'))
    expect((await spend(body)).status).toBe(200)
  })

  it('is refused at once after a suspension and a revocation', async () => {
    const owned = await freshDevice()
    const { devices } = owned.owner.client
    await devices.suspend(owned.device.deviceId)
    expect(await spend(byDevice(owned))).toMatchObject(refusal(401, 'unauthorized'))
    await devices.resume(owned.device.deviceId)
    expect((await spend(byDevice(owned))).status).toBe(200)
    await devices.revoke(owned.device.deviceId)
    expect(await spend(byDevice(owned))).toMatchObject(refusal(401, 'unauthorized'))
  })

  it('is refused by name after its owner’s rotation, whatever it claims', async () => {
    const owned = await freshDevice()
    await rotated(owned.owner)
    for (const rootEpoch of [0, 1]) {
      expect(await spend(byDevice(owned, { rootEpoch }))).toMatchObject(refusal(403, 'attestation_unverifiable'))
    }
  })

  it('is refused by name if the deployment has device keys off', async () => {
    const owned = await freshDevice()
    const off = { bindings: { DEVICE_KEYS: 'off' } }
    expect(await spend(byDevice(owned), off)).toMatchObject(refusal(403, 'device_keys_disabled'))
    expect((await spend(byRoot(owned.owner), off)).status).toBe(200)
  })
})
