import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import type { ResolutionResult } from '@svc/protocol/did/did'
import { verifyResolutionProof } from '@svc/protocol/did/resolution-proof'
import { callerOf, REALM, REALMS } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { caller, send, sendToCore, toEachHost } from '../harness.ts'
import { coreWithout, prober, without } from '../organizations/organization.fixture.ts'

const RESOLVER_SEED = new Uint8Array(32).fill(14)
const resolverKeyB64u = encodeBase64url(await mlDsa65.publicKeyOf(RESOLVER_SEED))
const UNKNOWN = `did:svc:${'A'.repeat(32)}`

const resolve = async (did: string, query = '', by = prober) =>
  (await by.send({ method: 'GET', path: `/1.0/identifiers/${did}${query}` })).body as ResolutionResult
const holds = (result: ResolutionResult, did: string, version: string | null = null, key = resolverKeyB64u) =>
  verifyResolutionProof(result, { did, version, resolverKeyB64u: key, realms: REALMS })

afterEach(() => {
  vi.useRealTimers()
})

describe('what the resolver says', () => {
  it('carries a proof by the key that its own document names', async () => {
    const by = await caller()
    const { did } = by.identity
    await by.client.did.register()
    const result = await resolve(did)
    expect(await holds(result, did)).toBe(true)
    const { proof, retrieved } = result.didResolutionMetadata
    expect(proof).toMatchObject({
      type: 'SvcResolutionProof',
      verificationMethod: 'did:web:did.test#resolver-key',
      proofPurpose: 'assertionMethod',
      statement: {
        type: 'svc/resolution/v1',
        realm: REALM,
        resolver: 'did:web:did.test',
        did,
        version: null,
        retrieved,
        error: null,
      },
    })
  })

  it('is proved also when it is no, or no more, or once', async () => {
    const by = await caller()
    const { did } = by.identity
    const unknown = await resolve(UNKNOWN)
    expect([unknown.didDocument, await holds(unknown, UNKNOWN)]).toEqual([null, true])
    expect(unknown.didResolutionMetadata.proof?.statement.error).toBe('https://www.w3.org/ns/did#NOT_FOUND')
    await by.client.did.register()
    const past = await resolve(did, '?versionId=0')
    expect(await holds(past, did, 'versionId=0')).toBe(true)
    expect(await holds(past, did)).toBe(false)
    await by.client.security.deactivate()
    const ended = await resolve(did)
    expect([ended.didDocumentMetadata.deactivated, await holds(ended, did)]).toEqual([true, true])
  })

  it('is proved for this very result: nothing of it can be changed', async () => {
    const [by, other] = [await caller(), await caller()]
    const { did } = by.identity
    await by.client.did.register()
    const result = await resolve(did)
    const { didDocument, didResolutionMetadata, didDocumentMetadata } = result
    const proof = didResolutionMetadata.proof!
    const statement = { ...proof.statement, resolver: 'did:web:other.test' }
    const changed: ResolutionResult[] = [
      { ...result, didDocument: null },
      { ...result, didDocument: { ...didDocument!, authentication: [] } },
      { ...result, didDocumentMetadata: { ...didDocumentMetadata, versionId: '1' } },
      { ...result, didDocumentMetadata: { ...didDocumentMetadata, deactivated: true } },
      { ...result, didResolutionMetadata: { ...didResolutionMetadata, retrieved: '2026-01-01T00:00:00Z' } },
      { ...result, didResolutionMetadata: { ...didResolutionMetadata, proof: { ...proof, statement } } },
      { ...result, didResolutionMetadata: { retrieved: didResolutionMetadata.retrieved } },
    ]
    for (const one of changed) expect(await holds(one, did)).toBe(false)
    expect(await holds(result, other.identity.did)).toBe(false)
    expect(await holds(result, did, null, by.identity.publicKeyB64u)).toBe(false)
  })

  // A signature is cached for a second.
  it('is signed again when the result changes within a second', async () => {
    const by = await caller()
    const { did } = by.identity
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const [before, again] = [await resolve(did), await resolve(did)]
    await by.client.did.register()
    const after = await resolve(did)
    expect(again).toEqual(before)
    expect([before.didDocument, after.didDocument?.id]).toEqual([null, did])
    expect(after.didResolutionMetadata.retrieved).toBe(before.didResolutionMetadata.retrieved)
    for (const result of [before, again, after]) expect(await holds(result, did)).toBe(true)
  })

  it('carries none where there is nothing to say, or no key to say it with', async () => {
    const by = await caller()
    const { did } = by.identity
    await by.client.did.register()
    for (const malformed of ['did:svc:x', 'did:web:example.com']) {
      expect((await resolve(malformed)).didResolutionMetadata).not.toHaveProperty('proof')
    }
    const down = without({ CORE: coreWithout(/./, () => Promise.reject(new Error('gone'))) })
    expect((await resolve(did, '', down)).didResolutionMetadata).not.toHaveProperty('proof')
    for (const seed of ['', undefined]) {
      const keyless = without({ RESOLVER_SEED: seed })
      const result = await resolve(did, '', keyless)
      expect(result.didDocument?.id).toBe(did)
      expect(result.didResolutionMetadata).not.toHaveProperty('proof')
      const { body } = await keyless.send({ method: 'GET', path: '/.well-known/did.json' })
      expect(body).not.toHaveProperty('verificationMethod')
    }
  })
})

describe('a reader that knows the resolver’s key', () => {
  const reading = async (change: (result: ResolutionResult) => unknown, now?: number, status?: number) => {
    const fetch = async (request: Request) => {
      if (new URL(request.url).host === 'core.test') return sendToCore(request)
      const answer = await send(request)
      return Response.json(change(await answer.json<ResolutionResult>()), { status: status ?? answer.status })
    }
    return callerOf((await caller()).identity, {
      ...toEachHost,
      fetch,
      resolverKey: resolverKeyB64u,
      ...(now === undefined ? {} : { now: () => now }),
    }).client.did
  }

  it('takes what is signed and fresh', async () => {
    const by = await caller()
    await by.client.did.register()
    const did = await reading((result) => result)
    expect((await did.resolve(by.identity.did)).didDocument?.id).toBe(by.identity.did)
    expect((await did.resolve(UNKNOWN)).didDocument).toBeNull()
    expect((await did.resolve('did:svc:x')).didDocument).toBeNull()
  })

  it.each([
    [
      'without its proof',
      (result: ResolutionResult) => ({
        ...result,
        didResolutionMetadata: { ...result.didResolutionMetadata, proof: undefined },
      }),
    ],
    ['that says no where yes was signed', (result: ResolutionResult) => ({ ...result, didDocument: null })],
    [
      'with other metadata',
      (result: ResolutionResult) => ({
        ...result,
        didDocumentMetadata: { ...result.didDocumentMetadata, created: '2020-01-01T00:00:00Z' },
      }),
    ],
  ])('refuses a result %s', async (_, change) => {
    const by = await caller()
    await by.client.did.register()
    await expect((await reading(change)).resolve(by.identity.did)).rejects.toThrow('not signed by the resolver')
  })

  it.each([500, 400, 406, 501])('is not told by status %i that a result needs no proof', async (status) => {
    const by = await caller()
    await by.client.did.register()
    const error = { type: 'https://www.w3.org/ns/did#INTERNAL_ERROR', title: 'Internal error', detail: '' }
    const failing = ({ didResolutionMetadata: { retrieved }, ...result }: ResolutionResult) => ({
      ...result,
      didResolutionMetadata: { retrieved, error },
    })
    for (const forged of [
      failing,
      (result: ResolutionResult) => ({
        ...failing(result),
        didDocument: null,
        didDocumentMetadata: { deactivated: true },
      }),
      (result: ResolutionResult) => ({ ...result, didDocumentMetadata: { deactivated: true }, didDocument: null }),
      ({ didResolutionMetadata: { retrieved }, ...result }: ResolutionResult) => ({
        ...result,
        didResolutionMetadata: { retrieved },
      }),
    ]) {
      const did = await reading(forged, undefined, status)
      await expect(did.resolve(by.identity.did)).rejects.toThrow('not signed by the resolver')
    }
  })

  it('refuses one that somebody has kept', async () => {
    const by = await caller()
    await by.client.did.register()
    const later = await reading((result) => result, Date.now() + 302_000)
    await expect(later.resolve(by.identity.did)).rejects.toThrow('The result is too old')
  })
})
