import { signStatement } from '@svc/protocol/base/statement'
import { ALLOWED_ORIGIN, expectRefusal, Prober } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { REALM, signerOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../../src/app.ts'
import { BASE, caller, send } from '../harness.ts'

const prober = new Prober({ service, send, base: BASE })
const site = { id: '#site', type: 'LinkedDomains', serviceEndpoint: 'https://a.example' }

async function register(by: TestCaller, body: object, authorization?: string) {
  const headers = { origin: ALLOWED_ORIGIN, authorization: authorization ?? (await by.assertion('identity')) }
  return prober.send({ method: 'POST', path: '/1.0/register', headers, body: JSON.stringify(body) })
}

async function documentOf(did: string) {
  const { body } = await prober.send({ method: 'GET', path: `/1.0/identifiers/${did}` })
  return (body as { didDocument: { service?: unknown; keyAgreement?: { signedStatement: unknown }[] } | null })
    .didDocument
}

describe('registration', () => {
  it('registers through the SDK and resolves', async () => {
    const { client, identity } = await caller()
    const registration = await client.did.register({ services: [site] })
    expect(registration).toEqual({
      did: identity.did,
      registeredAt: expect.any(Number),
      updatedAt: registration.registeredAt,
    })
    const { didDocument } = await client.did.resolve(identity.did)
    expect(didDocument?.service).toEqual([{ ...site, id: `${identity.did}#site` }])
  })

  it('answers the same registration again the same, and keeps when it began', async () => {
    const by = await caller()
    const body = {
      did: by.identity.did,
      services: [site],
      keyAgreement: await by.identity.keyAgreement({ realm: REALM, now: Date.now() }),
    }
    const first = (await register(by, body)).body as { registeredAt: number; updatedAt: number }
    const second = (await register(by, body)).body as { registeredAt: number; updatedAt: number }
    expect(second.registeredAt).toBe(first.registeredAt)
    expect(second.updatedAt).toBeGreaterThanOrEqual(first.updatedAt)
  })

  it('keeps services when absent and replaces them when given', async () => {
    const by = await caller()
    const { did } = by.identity
    await register(by, { did, services: [site] })
    await register(by, { did })
    expect((await documentOf(did))?.service).toEqual([{ ...site, id: `${did}#site` }])
    const other = { id: '#other', type: 'Other', serviceEndpoint: 'did:example:1' }
    await register(by, { did, services: [other] })
    expect((await documentOf(did))?.service).toEqual([{ ...other, id: `${did}#other` }])
    await register(by, { did, services: [] })
    expect(await documentOf(did)).not.toHaveProperty('service')
  })

  it('keeps the key agreement when absent and replaces it by a newer one', async () => {
    const by = await caller()
    const { did } = by.identity
    await register(by, { did })
    expect(await documentOf(did)).not.toHaveProperty('keyAgreement')
    const older = await by.identity.keyAgreement({ realm: REALM, now: Date.now() - 1 })
    await register(by, { did, keyAgreement: older })
    await register(by, { did })
    expect((await documentOf(did))?.keyAgreement?.[0]?.signedStatement).toEqual(older)
    const newer = await by.identity.keyAgreement({ realm: REALM, now: Date.now() })
    await register(by, { did, keyAgreement: newer })
    expect((await documentOf(did))?.keyAgreement?.[0]?.signedStatement).toEqual(newer)

    expectRefusal(await register(by, { did, keyAgreement: older, services: [site] }), 'key_agreement_stale')
    expect((await documentOf(did))?.keyAgreement?.[0]?.signedStatement).toEqual(newer)
    expect(await documentOf(did)).not.toHaveProperty('service')
  })

  it('takes 32 key agreements of a root key in a day, and the services alone after that', async () => {
    const by = await caller()
    const { did } = by.identity
    const agreed = (now: number) => by.identity.keyAgreement({ realm: REALM, now })
    for (let now = 1; now <= 32; now++)
      expect((await register(by, { did, keyAgreement: await agreed(now) })).status).toBe(200)
    expectRefusal(await register(by, { did, keyAgreement: await agreed(33) }), 'key_agreement_limit')
    expect((await register(by, { did, services: [site] })).status).toBe(200)
  })

  it('refuses the DID of somebody else', async () => {
    const [by, other] = [await caller(), await caller()]
    expectRefusal(await register(by, { did: other.identity.did }), 'owner_mismatch')
    expect(await documentOf(other.identity.did)).toBeNull()
  })

  it('refuses a key agreement for another DID, and one that another key signed', async () => {
    const [by, other] = [await caller(), await caller()]
    const { did, scope } = by.identity
    const theirs = await other.identity.keyAgreement({ realm: REALM, now: Date.now() })
    expectRefusal(await register(by, { did, keyAgreement: theirs }), 'owner_mismatch')
    const forged = await signStatement({ ...theirs.statement, did, scope }, signerOf(other.identity))
    expectRefusal(await register(by, { did, keyAgreement: forged }), 'invalid_signature')
    const mixed = { ...theirs.statement, did }
    const signed = await signStatement(mixed, signerOf(by.identity))
    expectRefusal(await register(by, { did, keyAgreement: signed }), 'owner_mismatch')
    expect(await documentOf(did)).toBeNull()
  })

  it('refuses a key agreement from the future, which would bar every later one', async () => {
    const by = await caller()
    const startedAt = Date.now()
    const keyAgreement = await by.identity.keyAgreement({ realm: REALM, now: startedAt + 600_000 })
    const refused = await register(by, { did: by.identity.did, keyAgreement })
    expectRefusal(refused, 'statement_expired')
    expect((refused.body as { serverTime: number }).serverTime).toBeGreaterThanOrEqual(startedAt)
  })

  it('refuses a used assertion', async () => {
    const by = await caller()
    const assertion = await by.assertion('identity')
    expect((await register(by, { did: by.identity.did }, assertion)).status).toBe(200)
    expectRefusal(await register(by, { did: by.identity.did }, assertion), 'assertion_replay')
  })

  it.each([
    ['no DID', {}],
    ['an unknown member', { controller: 'x' }],
    ['a script for an endpoint', { services: [{ ...site, serviceEndpoint: 'javascript:alert(1)' }] }],
    ['a relative endpoint', { services: [{ ...site, serviceEndpoint: '/path' }] }],
    ['white space in an endpoint', { services: [{ ...site, serviceEndpoint: 'https://a b' }] }],
    ['an absolute id', { services: [{ ...site, id: 'did:svc:x#site' }] }],
    ['one id twice', { services: [site, site] }],
    ['a key agreement without signature', { keyAgreement: { statement: {} } }],
  ])('refuses %s', async (name, members) => {
    const by = await caller()
    const did = name === 'no DID' ? {} : { did: by.identity.did }
    expectRefusal(await register(by, { ...did, ...members }), 'invalid_request')
  })

  it('refuses more than 16 services, and says so', async () => {
    const by = await caller()
    const services = Array.from({ length: 17 }, (_, i) => ({ ...site, id: `#s${i}` }))
    expectRefusal(await register(by, { did: by.identity.did, services }), 'too_many_items')
  })
})
