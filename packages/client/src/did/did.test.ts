import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { signStatement, statementHash, verifyStatement } from '@svc/protocol/base/statement'
import { type DidDocument, didDocumentOf, didDocumentSchema, RESOLUTION_ERROR_BASE } from '@svc/protocol/did/did'
import { registerRequestSchema } from '@svc/protocol/did/registration'
import type { AccountAnswer } from '@svc/protocol/keys/transparency'
import { describe, expect, it } from 'vitest'
import { fetchOf } from '../../test/fetch.ts'
import { REALM, REALMS } from '../../test/realm.ts'
import { signerOf } from '../../test/signer.ts'
import { Identity } from '../identity/identity.ts'
import { RollbackError } from '../memory/errors.ts'
import { Memory } from '../memory/memory.ts'
import { Transport } from '../transport/transport.ts'
import { Did } from './did.ts'
import { LoggedAgreements } from './logged-agreements.ts'

const DID = 'https://did.test'
const NOW = 1_790_000_000_000
const identityOf = (byte: number) =>
  Identity.fromSeeds({ signing: new Uint8Array(32).fill(byte), kem: new Uint8Array(32).fill(byte) })
const alice = await identityOf(1)
const mallory = await identityOf(2)

const authorityOf = async (identity: Identity) => ({
  did: identity.did,
  scope: identity.scope,
  epoch: 0,
  publicKeyB64u: identity.publicKeyB64u,
  createdAt: NOW,
  updatedAt: NOW,
  deactivated: false,
  previousKeys: [],
  keyAgreement: await identity.keyAgreement({ realm: REALM, now: NOW }),
})
const good = didDocumentOf(await authorityOf(alice), [{ id: '#s', type: 'X', serviceEndpoint: 'https://a.test' }])
const theirs = didDocumentOf(await authorityOf(mallory), [])
const [multikey, jwk] = good.verificationMethod as [Method, Method]
const [kem] = good.keyAgreement as [Method]
const [theirMultikey, theirJwk] = theirs.verificationMethod as [Method, Method]
const [theirKem] = theirs.keyAgreement as [Method]
type Method = DidDocument['verificationMethod'][number]

const resultOf = (didDocument: unknown, metadata: object = {}) => ({
  '@context': 'https://w3id.org/did-resolution/v1',
  didDocument,
  didResolutionMetadata: { retrieved: '2026-10-23T10:00:00Z', ...metadata },
  didDocumentMetadata: {},
})

/** A resolver that answers whatever it is told to, with its status. */
function resolving(body: unknown, status = 200) {
  const requests: Request[] = []
  const fetch = (request: Request) => {
    requests.push(request)
    return Promise.resolve(typeof body === 'string' ? new Response(body, { status }) : Response.json(body, { status }))
  }
  return {
    requests,
    did: new Did(new Transport({ realm: REALM, fetch: fetchOf(fetch), retries: false }), DID),
  }
}
const resolved = (members: Partial<DidDocument>) => resolving(resultOf({ ...good, ...members })).did.resolve(alice.did)

describe('resolve', () => {
  it('gives a document whose keys its DID vouches for', async () => {
    const { did, requests } = resolving(resultOf(good))
    expect((await did.resolve(alice.did)).didDocument).toEqual(good)
    expect(requests[0]?.url).toBe(`${DID}/1.0/identifiers/${encodeURIComponent(alice.did)}`)
    expect(requests[0]?.headers.get('accept')).toBe('application/did-resolution')
    expect(requests[0]?.headers.has('authorization')).toBe(false)
  })

  it('gives a document without key agreement and services', async () => {
    const bare = didDocumentOf({ ...(await authorityOf(alice)), keyAgreement: null }, [])
    expect((await resolving(resultOf(bare)).did.resolve(alice.did)).didDocument).toEqual(bare)
  })

  it('answers a DID that does not resolve', async () => {
    const error = { type: 'https://www.w3.org/ns/did#NOT_FOUND', title: 'Not found', detail: 'x' }
    const result = await resolving(resultOf(null, { error }), 404).did.resolve(alice.did)
    expect(result.didDocument).toBeNull()
    expect(result.didResolutionMetadata.error).toEqual(error)
  })

  it.each<[unknown, number, string]>([
    [{ error: 'not_found', status: 404 }, 404, 'not_found'],
    [{ success: false, error: 'Rate limit exceeded', retryAfter: 5, tier: 'resolve' }, 429, 'rate_limited'],
    ['<html>bad gateway</html>', 502, 'unknown'],
    ['', 503, 'unknown'],
    [good, 200, 'unknown'],
  ])('throws a ServiceError for anything but a resolution result: %j', async (body, status, error) => {
    await expect(resolving(body, status).did.resolve(alice.did)).rejects.toMatchObject({
      name: 'ServiceError',
      status,
      error,
    })
  })

  it('refuses the document of another DID', async () => {
    await expect(resolving(resultOf(theirs)).did.resolve(alice.did)).rejects.toThrow(
      'The document belongs to another DID',
    )
  })
})

describe('resolve refuses a root key', () => {
  const pub = mallory.publicKeyB64u
  const kid = `${mallory.scope}.0`

  it('that was swapped', async () => {
    const swapped = { ...jwk, publicKeyJwk: { ...jwk.publicKeyJwk!, pub } }
    const both = [{ ...multikey, publicKeyMultibase: theirMultikey.publicKeyMultibase }, swapped]
    await expect(resolved({ verificationMethod: both })).rejects.toThrow('The root key does not match the DID')
    const alone = [{ ...theirJwk, controller: alice.did, id: jwk.id }]
    await expect(resolved({ verificationMethod: alone })).rejects.toThrow('The root key does not match the DID')
  })

  it.each([`${alice.scope}.1`, `${alice.scope}.10`, kid, ''])('that was swapped under the kid %j', async (other) => {
    const swapped = { ...jwk, publicKeyJwk: { ...jwk.publicKeyJwk!, pub, kid: other } }
    await expect(resolved({ verificationMethod: [multikey, swapped] })).rejects.toThrow(
      'The root key does not match the DID',
    )
  })

  it('that was swapped in one of its forms', async () => {
    const swapped = { ...multikey, publicKeyMultibase: theirMultikey.publicKeyMultibase }
    await expect(resolved({ verificationMethod: [swapped, jwk] })).rejects.toThrow(
      'A verification method is not the root key',
    )
    const mixed = { ...jwk, publicKeyMultibase: theirMultikey.publicKeyMultibase }
    await expect(resolved({ verificationMethod: [multikey, mixed] })).rejects.toThrow(
      'A verification method is not the root key',
    )
  })

  it('beside the root key', async () => {
    for (const method of [theirJwk, theirMultikey, { ...theirJwk, controller: alice.did }]) {
      await expect(resolved({ verificationMethod: [multikey, jwk, method] })).rejects.toThrow(
        'A verification method is not the root key',
      )
    }
  })

  it('that another DID controls, or that is not a key at all', async () => {
    const foreign = { ...multikey, controller: mallory.did }
    const { publicKeyMultibase: _, ...empty } = multikey
    for (const method of [foreign, empty]) {
      await expect(resolved({ verificationMethod: [method, jwk] })).rejects.toThrow(
        'A verification method is not the root key',
      )
    }
  })

  it('that is only referred to', async () => {
    for (const relation of ['authentication', 'assertionMethod', 'capabilityInvocation'] as const) {
      await expect(resolved({ [relation]: [jwk.id, theirJwk.id] })).rejects.toThrow(
        'The document refers to a key that it does not contain',
      )
    }
  })

  it('that is missing', async () => {
    await expect(resolved({ verificationMethod: [] })).rejects.toThrow('The document has no root key')
    await expect(resolved({ verificationMethod: [multikey] })).rejects.toThrow('The document has no root key')
  })
})

describe('resolve refuses a KEM key', () => {
  const unstated = 'The root key does not state the key-agreement key'

  it('that was swapped under a good statement', async () => {
    const swapped = { ...kem, publicKeyMultibase: theirKem.publicKeyMultibase }
    await expect(resolved({ keyAgreement: [swapped] })).rejects.toThrow(unstated)
  })

  it('that another root key states', async () => {
    await expect(resolved({ keyAgreement: [theirKem] })).rejects.toThrow(unstated)
    await expect(resolved({ keyAgreement: [{ ...theirKem, controller: alice.did }] })).rejects.toThrow(unstated)
    await expect(resolved({ keyAgreement: [kem, theirKem] })).rejects.toThrow(unstated)
    const forged = await mallory.keyAgreement({ realm: REALM, now: NOW })
    const claimed = { ...forged, statement: { ...forged.statement, did: alice.did, scope: alice.scope } }
    await expect(resolved({ keyAgreement: [{ ...theirKem, signedStatement: claimed }] })).rejects.toThrow(unstated)
  })

  it('with a changed statement or signature', async () => {
    const { statement, signatureB64u } = kem.signedStatement!
    const other = encodeBase64url(await signerOf(alice)(new Uint8Array()))
    for (const signedStatement of [
      { statement: { ...statement, issuedAt: NOW + 1 }, signatureB64u },
      { statement: { ...statement, scope: mallory.scope }, signatureB64u },
      { statement: { ...statement, did: mallory.did }, signatureB64u },
      { statement: { ...statement, publicKeyB64u: mallory.kemPublicKeyB64u }, signatureB64u },
      { statement, signatureB64u: other },
    ]) {
      await expect(resolved({ keyAgreement: [{ ...kem, signedStatement }] })).rejects.toThrow(unstated)
    }
  })

  it('that the root key states for another DID or scope', async () => {
    for (const members of [{ did: mallory.did }, { scope: mallory.scope }]) {
      const statement = { ...kem.signedStatement!.statement, ...members }
      const signedStatement = await signStatement(statement, signerOf(alice))
      await expect(resolved({ keyAgreement: [{ ...kem, signedStatement }] })).rejects.toThrow(unstated)
    }
  })

  it('without statement, without key, of another controller or with a JWK beside it', async () => {
    const { signedStatement: _, ...bare } = kem
    const { publicKeyMultibase: __, ...keyless } = kem
    const foreign = { ...kem, controller: mallory.did }
    const withJwk = { ...kem, publicKeyJwk: jwk.publicKeyJwk }
    for (const method of [bare, keyless, foreign, withJwk]) {
      expect(didDocumentSchema.safeParse({ ...good, keyAgreement: [method] }).success).toBe(true)
      await expect(resolved({ keyAgreement: [method as Method] })).rejects.toThrow(unstated)
    }
  })
})

describe('register', () => {
  const registration = { did: alice.did, registeredAt: NOW, updatedAt: NOW }

  it('sends the signed KEM key, an assertion for the audience identity and the Origin', async () => {
    const requests: Request[] = []
    const fetch = (request: Request) => {
      requests.push(request)
      return Promise.resolve(Response.json(registration))
    }
    const transport = new Transport(
      { realm: REALM, fetch: fetchOf(fetch), now: () => NOW, origin: 'https://app.test' },
      alice,
    )
    const services = [{ id: '#s', type: 'X', serviceEndpoint: 'https://a.test' }]
    expect(await new Did(transport, DID, { identity: alice, sheets: [] }).register({ services })).toEqual(registration)
    const [request] = requests
    expect(request?.headers.get('origin')).toBe('https://app.test')
    const body = registerRequestSchema.parse(await request?.json())
    expect(body).toMatchObject({ did: alice.did, services })
    const { keyAgreement } = body
    expect(keyAgreement?.statement).toMatchObject({ publicKeyB64u: alice.kemPublicKeyB64u, issuedAt: NOW })
    expect(keyAgreement && (await verifyStatement(keyAgreement, bytesOf(alice.publicKeyB64u), REALMS))).toBe(true)
  })

  it('never dates a statement by a clock that a host has told it', async () => {
    const issued: number[] = []
    const fetch = async (request: Request) => {
      const body = await request.json<{ keyAgreement: { statement: { issuedAt: number } } }>()
      issued.push(body.keyAgreement.statement.issuedAt)
      return issued.length === 1
        ? Response.json({ error: 'assertion_expired', status: 401, serverTime: NOW + 31_536_000_000 }, { status: 401 })
        : Response.json(registration)
    }
    const transport = new Transport({ realm: REALM, fetch: fetchOf(fetch), now: () => NOW }, alice)
    await new Did(transport, DID, { identity: alice, sheets: [] }).register()
    expect(issued).toEqual([NOW, NOW])
  })

  it('remembers what it has registered: the resolver shows nothing older afterwards', async () => {
    const memory = new Memory([REALM])
    const fetch = ({ method }: Request) =>
      Promise.resolve(Response.json(method === 'POST' ? registration : resultOf(good)))
    const transport = new Transport({ realm: REALM, fetch: fetchOf(fetch), now: () => NOW + 1 }, alice)
    const did = new Did(transport, DID, { identity: alice, sheets: [mallory], memory })
    await did.resolve(alice.did)
    await did.register()
    const later = new Memory([REALM], { value: JSON.parse(JSON.stringify(await memory.export())) })
    expect((await later.recallAll('agreement', '')).map(({ name }) => name.of)).toEqual([`${alice.did}/0`])
    const stranger = new Did(transport, DID, { memory: later })
    for (const one of [did, stranger]) await expect(one.resolve(alice.did)).rejects.toThrow(RollbackError)
    await expect(stranger.resolve(alice.did)).rejects.toMatchObject({
      subject: 'agreement',
      remembered: { position: NOW + 1, signed: { statement: { sheets: [{ x25519B64u: mallory.x25519B64u }] } } },
      received: { position: NOW, signed: good.keyAgreement?.[0]?.signedStatement },
    })
  })

  it('does not register without the published sheets because the resolver failed', async () => {
    const requests: string[] = []
    const error = { type: `${RESOLUTION_ERROR_BASE}INTERNAL_ERROR`, title: 'Internal error', detail: 'Try again.' }
    const fetch = ({ method }: Request) => {
      requests.push(method)
      return Promise.resolve(Response.json(resultOf(null, { error }), { status: 500 }))
    }
    const transport = new Transport({ realm: REALM, fetch: fetchOf(fetch), now: () => NOW, retries: false }, alice)
    const failed = 'The DID service could not resolve the identity: Internal error'
    await expect(new Did(transport, DID, { identity: alice }).register()).rejects.toThrow(failed)
    expect(requests).toEqual(['GET'])
  })

  it('replaces what the log refutes only with the sheets at hand', async () => {
    const requests: string[] = []
    const fetch = ({ method }: Request) => {
      requests.push(method)
      return Promise.resolve(Response.json(method === 'POST' ? registration : resultOf(good)))
    }
    const transport = new Transport({ realm: REALM, fetch: fetchOf(fetch), now: () => NOW + 2 }, alice)
    const { statement } = await alice.keyAgreement({ realm: REALM, now: NOW + 1 })
    const agreement = { hash: statementHash(statement), issuedAt: NOW + 1 }
    const account = () => Promise.resolve({ agreement } as AccountAnswer)
    const memory = new Memory([REALM])
    const agreements = new LoggedAgreements(
      () => Promise.resolve({ account }),
      memory,
      () => NOW + 2,
    )
    const parts = { identity: alice, logged: () => Promise.resolve(agreements), memory }
    await expect(new Did(transport, DID, parts).register()).rejects.toThrow(RollbackError)
    expect(requests).toEqual(['GET'])
    expect(await new Did(transport, DID, { ...parts, sheets: [] }).register()).toEqual(registration)
    expect(requests).toEqual(['GET', 'POST'])
  })

  it('remembers nothing that the service refused', async () => {
    const memory = new Memory([REALM])
    const refusal = { success: false, error: 'forbidden_origin', message: 'x', timestamp: NOW }
    const fetch = () => Promise.resolve(Response.json(refusal, { status: 403 }))
    const transport = new Transport({ realm: REALM, fetch: fetchOf(fetch), now: () => NOW }, alice)
    await expect(new Did(transport, DID, { identity: alice, sheets: [], memory }).register()).rejects.toThrow()
    expect((await memory.export()).logs).toEqual([])
  })

  it('needs an identity', async () => {
    await expect(resolving({}).did.register()).rejects.toThrow(
      new TypeError('Only a client with an identity can register'),
    )
  })
})
