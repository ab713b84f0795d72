import { env, exports } from 'cloudflare:workers'
import { INTERNAL_HEADER } from '@svc/service'
import { REALM } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { internalService } from '../../src/app.ts'
import { anonymous, freshCaller } from '../harness.ts'

const SECRET = 'internal-secret-of-the-tests-only'

/** Calls as a sibling does over its binding: `caller` is the name in the binding’s props. */
async function internal(
  path: string,
  options: { caller?: unknown; secret?: string | null; method?: string; body?: unknown; bindings?: object } = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const { caller = 'did', secret = SECRET, method = 'GET', body, bindings = env } = options
  const request = new Request(`https://internal${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(secret === null ? {} : { [INTERNAL_HEADER]: secret }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const context = { props: { caller }, waitUntil: () => {}, passThroughOnException: () => {} }
  const response = await internalService.app.fetch(request, bindings, context)
  return { status: response.status, body: await response.json() }
}

describe('internal routes', () => {
  it('are 404 on the public hostname, with and without the secret', async () => {
    const { identity } = await freshCaller()
    for (const headers of [{}, { [INTERNAL_HEADER]: SECRET }]) {
      const path = `/api/internal/key-scope/${identity.userId}`
      expect(await anonymous('GET', path, undefined, headers)).toMatchObject({
        status: 404,
        body: { error: 'not_found' },
      })
    }
  })

  it.each([
    ['no secret', { secret: null }],
    ['a wrong secret', { secret: 'internal-secret-of-the-tests-onlx' }],
    ['a shorter secret', { secret: 'internal' }],
    ['an empty secret', { secret: '' }],
    ['an unknown caller', { caller: 'stranger' }],
    ['no caller', { caller: null }],
    ['a caller by prototype', { caller: 'constructor' }],
    ['a secret that the deployment does not have', { bindings: { ...env, SVC_INTERNAL_SECRET: undefined } }],
    ['an empty secret on both sides', { secret: '', bindings: { ...env, SVC_INTERNAL_SECRET: '' } }],
  ])('refuse %s', async (_, options) => {
    expect(await internal('/api/internal/health', options)).toMatchObject({
      status: 403,
      body: { success: false, error: 'forbidden' },
    })
  })

  it('let a caller use only its own routes', async () => {
    const { identity } = await freshCaller()
    const path = `/api/internal/authority/${identity.did}`
    expect((await internal(path, { caller: 'did' })).status).toBe(200)
    for (const caller of ['provenance', 'keys', 'pay']) expect((await internal(path, { caller })).status).toBe(403)
  })

  it('name exactly the callers that need them', () => {
    const siblings = ['provenance', 'did', 'keys', 'pay']
    expect(Object.fromEntries(internalService.routes.map(({ operation: { id, callers } }) => [id, callers]))).toEqual({
      checkInternal: siblings,
      resolveKeyScope: siblings,
      spendAssertion: siblings,
      resolveDevice: siblings,
      consumeNonce: siblings,
      readAuthority: ['did'],
      checkInceptionEvent: ['did', 'keys'],
      readRootKey: ['did', 'keys'],
      readOfficers: ['did'],
      putRegistration: ['did'],
      requestRotation: ['did'],
      readRotation: ['did'],
      bindBlock: ['provenance'],
      readStored: ['pay'],
      reportEvents: ['keys', 'pay'],
    })
  })

  it('are reached by the named entrypoint, which rejects callers without props', async () => {
    const entrypoint = (exports as unknown as { CoreInternal: Fetcher }).CoreInternal
    const response = await entrypoint.fetch('https://internal/api/internal/health', {
      headers: { [INTERNAL_HEADER]: SECRET },
    })
    expect(response.status).toBe(403)
  })
})

describe('key-scope', () => {
  it('returns scope, DID and epoch of a current key', async () => {
    const { identity } = await freshCaller()
    expect(await internal(`/api/internal/key-scope/${identity.userId}`)).toEqual({
      status: 200,
      body: {
        userId: identity.userId,
        did: identity.did,
        scope: identity.scope,
        epoch: 0,
        publicKeyB64u: identity.publicKeyB64u,
      },
    })
  })

  it('is 404 for a key without an identity, even if it shares the DID’s 24 bytes', async () => {
    const { identity } = await freshCaller()
    const twin = identity.userId.slice(0, 48) + 'f'.repeat(48)
    for (const userId of ['a'.repeat(96), twin]) {
      expect(await internal(`/api/internal/key-scope/${userId}`)).toMatchObject({
        status: 404,
        body: { error: 'not_found' },
      })
    }
  })
})

describe('nonce/consume', () => {
  const consume = (body: unknown) => internal('/api/internal/nonce/consume', { method: 'POST', body })

  it('spends a nonce once, of twenty concurrent calls', async () => {
    const { identity } = await freshCaller()
    const body = { subject: 'dev:laptop', did: identity.did, nonce: 'n-1', keepUntil: Date.now() + 60_000 }
    const answers = await Promise.all(Array.from({ length: 20 }, () => consume(body)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body: { error } }) => error === 'assertion_replay')).toHaveLength(19)
    expect((await consume({ ...body, subject: 'dev:phone' })).status).toBe(200)
    expect((await consume({ ...body, subject: `attest:${identity.scope}` })).status).toBe(200)
  })

  it('rejects expired nonces, unknown identities and other subjects', async () => {
    const { identity } = await freshCaller()
    const body = { subject: 'dev:laptop', did: identity.did, nonce: 'n-2', keepUntil: Date.now() - 1 }
    expect(await consume(body)).toMatchObject({ status: 401, body: { error: 'assertion_expired' } })
    const later = { ...body, keepUntil: Date.now() + 60_000 }
    expect((await consume({ ...later, did: `did:svc:${'y'.repeat(32)}` })).status).toBe(404)
    expect((await consume({ ...later, subject: identity.userId })).status).toBe(400)
  })

  it('cannot spend the nonce of a root key', async () => {
    const { identity, client } = await freshCaller()
    await consume({
      subject: `attest:${identity.scope}`,
      did: identity.did,
      nonce: 'shared',
      keepUntil: Date.now() + 60_000,
    })
    expect((await client.chain.head()).index).toBe('0')
  })
})

describe('registration', () => {
  const put = (did: string, body: unknown) => internal(`/api/internal/registration/${did}`, { method: 'PUT', body })
  const authority = async (did: string) => (await internal(`/api/internal/authority/${did}`)).body
  const site = { id: '#site', type: 'LinkedDomains', serviceEndpoint: 'https://a.example' }

  it('appears only in the authority of its identity, and keeps omitted members', async () => {
    const [{ identity }, other] = [await freshCaller(), await freshCaller()]
    const { did } = identity
    expect((await authority(did))['registration']).toBeNull()
    const first = await put(did, { services: [site] })
    expect(first).toEqual({
      status: 200,
      body: { did, registeredAt: expect.any(Number), updatedAt: expect.any(Number) },
    })
    const keyAgreement = await identity.keyAgreement({ realm: REALM, now: 1_000 })
    expect((await put(did, { keyAgreement })).body['registeredAt']).toBe(first.body['registeredAt'])
    expect(await authority(did)).toMatchObject({ registration: { services: [site] }, keyAgreement })
    expect((await put(did, { services: [] })).status).toBe(200)
    expect(await authority(did)).toMatchObject({ registration: { services: [] }, keyAgreement })
    expect((await authority(other.identity.did))['registration']).toBeNull()
  })

  it('keeps the newest statement of the root key and never goes back, including its services', async () => {
    const { identity } = await freshCaller()
    const { did } = identity
    const [older, newer] = [
      await identity.keyAgreement({ realm: REALM, now: 1_000 }),
      await identity.keyAgreement({ realm: REALM, now: 2_000 }),
    ]
    expect((await put(did, { keyAgreement: newer })).status).toBe(200)
    expect((await put(did, { keyAgreement: newer })).status).toBe(200)
    expect(await put(did, { keyAgreement: older, services: [site] })).toMatchObject({
      status: 409,
      body: { error: 'key_agreement_stale' },
    })
    expect(await authority(did)).toMatchObject({ keyAgreement: newer, registration: { services: [] } })
  })

  it('is one of those requested, of twenty concurrent calls', async () => {
    const { identity } = await freshCaller()
    const { did } = identity
    const asked = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => ({
        services: [{ ...site, id: `#s${i}` }],
        keyAgreement: await identity.keyAgreement({ realm: REALM, now: 1_000 + i }),
      })),
    )
    const answers = await Promise.all(asked.map((body) => put(did, body)))
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
    const { keyAgreement, registration } = await authority(did)
    expect(keyAgreement).toEqual(asked[19]?.keyAgreement)
    expect(registration).toMatchObject({ services: asked[19]?.services })
  })

  it('takes 32 key agreements of a root key in a day, and changes nothing with those beyond', async () => {
    const { identity } = await freshCaller()
    const { did } = identity
    const agreed = (now: number) => identity.keyAgreement({ realm: REALM, now })
    for (let i = 0; i < 32; i++) expect((await put(did, { keyAgreement: await agreed(1_000 + i) })).status).toBe(200)
    const last = (await authority(did))['keyAgreement']
    expect(await put(did, { keyAgreement: await agreed(2_000), services: [site] })).toMatchObject({
      status: 409,
      body: { error: 'key_agreement_limit' },
    })
    expect(await authority(did)).toMatchObject({ keyAgreement: last, registration: { services: [] } })
    expect((await put(did, { keyAgreement: last, services: [site] })).status).toBe(200)
  })

  it('rejects a statement from the future, which would block every later one', async () => {
    const { identity } = await freshCaller()
    const keyAgreement = await identity.keyAgreement({ realm: REALM, now: Date.now() + 301_000 })
    expect(await put(identity.did, { keyAgreement })).toMatchObject({
      status: 401,
      body: { error: 'statement_expired', serverTime: expect.any(Number) },
    })
    expect((await authority(identity.did))['registration']).toBeNull()
  })

  it('rejects a statement by another key or about another identity', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const { did, scope } = alice.identity
    const theirs = await bob.identity.keyAgreement({ realm: REALM, now: 1_000 })
    expect(await put(did, { keyAgreement: theirs })).toMatchObject({ status: 403, body: { error: 'owner_mismatch' } })
    const keyAgreement = { ...theirs, statement: { ...theirs.statement, did, scope } }
    expect(await put(did, { keyAgreement })).toMatchObject({ status: 403, body: { error: 'invalid_signature' } })
    expect(await authority(did)).toMatchObject({ keyAgreement: null, registration: null })
  })

  it('is rejected for an unknown or deactivated identity', async () => {
    expect((await put(`did:svc:${'z'.repeat(32)}`, {})).status).toBe(404)
    const { client, identity } = await freshCaller()
    await client.security.deactivate()
    for (const body of [{}, { keyAgreement: await identity.keyAgreement({ realm: REALM, now: 1_000 }) }]) {
      expect((await put(identity.did, body)).status).toBe(404)
    }
    expect((await authority(identity.did))['registration']).toBeNull()
  })
})
