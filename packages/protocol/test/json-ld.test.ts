import { contexts as multikeyContexts } from '@digitalbazaar/multikey-context'
import { contexts as didContexts } from 'did-context'
import { canonize } from 'jsonld'
import { expect, it } from 'vitest'
import { didDocumentOf } from '../src/did/did.ts'

const DID = `did:svc:${'A'.repeat(32)}`
const SECURITY = 'https://w3id.org/security#'
/** What the published context says of the members that our documents have. */
const JWK_CONTEXT = {
  '@context': {
    JsonWebKey: {
      '@id': `${SECURITY}JsonWebKey`,
      '@context': {
        '@protected': true,
        id: '@id',
        type: '@type',
        controller: { '@id': `${SECURITY}controller`, '@type': '@id' },
        publicKeyJwk: { '@id': `${SECURITY}publicKeyJwk`, '@type': '@json' },
      },
    },
  },
}
const CONTEXTS = new Map([
  ...didContexts,
  ...multikeyContexts,
  ['https://w3id.org/security/jwk/v1', JWK_CONTEXT] as const,
])

async function quadsOf(document: unknown): Promise<string[]> {
  const documentLoader = async (documentUrl: string) => {
    const found = CONTEXTS.get(documentUrl)
    if (found === undefined) throw new Error(`unknown context ${documentUrl}`)
    return { document: found, documentUrl }
  }
  return (await canonize(document, { safe: true, format: 'application/n-quads', documentLoader })).split('\n')
}

const key = { did: DID, scope: 'a'.repeat(64), epoch: 0, publicKeyB64u: 'A'.repeat(2603), keyAgreement: null }
const serviceOf = (type: string) => ({ id: `#${type}`, type, serviceEndpoint: 'https://a.example' })

it('a document with services passes JSON-LD processing in safe mode', async () => {
  // `Multikey` and `service` are terms of the contexts themselves.
  const types = ['LinkedDomains', 'Mail', 'Multikey', 'service']
  const quads = await quadsOf(didDocumentOf(key, types.map(serviceOf)))
  expect(quads.filter((quad) => quad.includes('> <https://www.w3.org/ns/did#service> <'))).toHaveLength(types.length)
  expect(quads.filter((quad) => quad.includes('<urn:svc:term:LinkedDomains>'))).toHaveLength(1)
})

it('safe mode refuses a type that no context knows', async () => {
  const document = didDocumentOf(key, [serviceOf('LinkedDomains')])
  const [did, multikey, jwk] = document['@context']
  await expect(quadsOf({ ...document, '@context': [did, multikey, jwk] })).rejects.toThrow('Safe mode')
})
