import { Prober } from '@svc/service/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { service } from '../../src/app.ts'
import { BASE, caller, send } from '../harness.ts'

const prober = new Prober({ service, send, base: BASE })
const resolve = (did: string, accept?: string, method = 'GET') =>
  prober.send({ method, path: `/1.0/identifiers/${did}`, headers: accept === undefined ? {} : { accept } })

const ERROR_BASE = 'https://www.w3.org/ns/did#'
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
let did = ''

beforeAll(async () => {
  const { client, identity } = await caller()
  await client.did.register({
    services: [{ id: '#site', type: 'LinkedDomains', serviceEndpoint: 'https://a.example' }],
  })
  did = identity.did
})

describe('resolution of a registered DID', () => {
  it.each([
    undefined,
    '*/*',
    'application/*',
    'application/did-resolution',
    'text/html, application/did-resolution;q=0.1',
  ])('answers Accept %s with the whole result', async (accept) => {
    const { status, headers, body } = await resolve(did, accept)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/did-resolution')
    expect(body).toEqual({
      '@context': 'https://w3id.org/did-resolution/v1',
      didDocument: expect.objectContaining({ id: did }),
      didResolutionMetadata: {
        contentType: 'application/did',
        retrieved: expect.stringMatching(TIME),
        proof: expect.objectContaining({ type: 'SvcResolutionProof' }),
      },
      didDocumentMetadata: {
        created: expect.stringMatching(TIME),
        updated: expect.stringMatching(TIME),
        versionId: '0',
      },
    })
  })

  it.each(['application/did', 'application/did+ld+json'])(
    'answers Accept %s with the document alone',
    async (accept) => {
      const whole = (await resolve(did)).body as { didDocument: unknown }
      const { status, headers, body } = await resolve(did, accept)
      expect(status).toBe(200)
      expect(headers.get('content-type')).toBe(accept)
      expect(body).toEqual(whole.didDocument)
    },
  )

  it('takes the DID percent-encoded or not', async () => {
    for (const spelling of [did, encodeURIComponent(did), did.replace(':', '%3a'), did.replace('svc', '%73vc')]) {
      expect((await resolve(spelling)).status, spelling).toBe(200)
    }
  })

  it('is stored nowhere and depends on Accept and Origin', async () => {
    for (const accept of ['application/did', 'application/did-resolution', 'text/html']) {
      const { headers } = await resolve(did, accept)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('vary')).toBe('Accept, Origin')
    }
  })

  it('answers HEAD with the status and type of GET', async () => {
    const { status, headers } = await resolve(did, 'application/did', 'HEAD')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/did')
  })
})

describe('resolution that finds nothing', () => {
  it('is 404 for a DID that nobody has registered', async () => {
    expectRefusal(await resolve(`did:svc:${'A'.repeat(32)}`), 404, 'NOT_FOUND')
  })

  it('is 404 for an identity that core has and nobody has registered', async () => {
    const { identity } = await caller()
    expectRefusal(await resolve(identity.did), 404, 'NOT_FOUND')
  })

  it.each([
    'x',
    'did:svc',
    'did:svc:',
    `did:svc:${'A'.repeat(31)}`,
    `did:svc:${'A'.repeat(33)}`,
    `did:svc:${'A'.repeat(31)}=`,
    `did:svc:${'A'.repeat(31)}%20`,
    `did:svc:${'A'.repeat(32)}%23root-0`,
    `did:svc:${'A'.repeat(32)}%2Fpath`,
    `did:svc:${'A'.repeat(32)}%3Fq=1`,
    `did:svc:${'A'.repeat(32)}%0A`,
    `DID:svc:${'A'.repeat(32)}`,
    `did:SVC:${'A'.repeat(32)}`,
    '%FF',
    '%00',
  ])('is 400 for the malformed %s', async (malformed) => {
    expectRefusal(await resolve(malformed), 400, 'INVALID_DID')
  })

  it.each(['did:web:example.com', 'did:key:z6Mk', 'did:example:123'])('is 501 for %s', async (foreign) => {
    expectRefusal(await resolve(foreign), 501, 'METHOD_NOT_SUPPORTED')
  })

  it.each(['text/html', 'text/*', 'application/did;q=0'])('is 406 for Accept %s', async (accept) => {
    expectRefusal(await resolve(did, accept), 406, 'REPRESENTATION_NOT_SUPPORTED')
  })

  it('says what is wrong with the identifier before what is wrong with Accept', async () => {
    expectRefusal(await resolve('x', 'text/html'), 400, 'INVALID_DID')
  })
})

function expectRefusal(
  { status, headers, body }: Awaited<ReturnType<typeof resolve>>,
  expected: number,
  error: string,
): void {
  expect(status).toBe(expected)
  expect(headers.get('content-type')).toBe('application/did-resolution')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).toEqual({
    '@context': 'https://w3id.org/did-resolution/v1',
    didDocument: null,
    didResolutionMetadata: {
      error: { type: ERROR_BASE + error, title: expect.any(String), detail: expect.any(String) },
      retrieved: expect.stringMatching(TIME),
      // What was not asked of any authority, the resolver does not vouch for.
      ...(status === 404 ? { proof: expect.objectContaining({ type: 'SvcResolutionProof' }) } : {}),
    },
    didDocumentMetadata: {},
  })
}
