import { mlKem768 } from '@svc/pqc'
import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.fixture.ts'
import { encodeBase64url } from '../base/base64url.ts'
import { signStatement } from '../base/statement.ts'
import { signerOf } from '../chain/chain.fixture.ts'
import { type DidService, didServiceSchema, registerRequestSchema } from './registration.ts'

const alice = await signerOf(1)
const { did, scope, ownerPublicKey: publicKeyB64u } = alice
const kemKey = encodeBase64url(await mlKem768.publicKeyOf(new Uint8Array(64).fill(1)))
const keyAgreement = await signStatement(
  {
    type: 'svc/key-agreement/v1',
    realm: REALM,
    did,
    scope,
    publicKeyB64u: kemKey,
    x25519B64u: encodeBase64url(new Uint8Array(32).fill(9)),
    inception: null,
    issuedAt: 1_790_000_000_000,
  },
  alice.sign,
)
const site: DidService = { id: '#site', type: 'LinkedDomains', serviceEndpoint: 'https://alice.example' }

describe('didServiceSchema', () => {
  it.each([
    { serviceEndpoint: 'http://localhost:3000/x?y=z' },
    { serviceEndpoint: 'did:web:example.com' },
    { serviceEndpoint: 'mailto:alice@example.com' },
    { id: `#${'a'.repeat(64)}` },
    { id: '#root' },
    { id: '#kemal' },
  ])('accepts %j', (members) => {
    expect(didServiceSchema.safeParse({ ...site, ...members }).success).toBe(true)
  })

  it.each([
    { id: 'site' },
    { id: '#' },
    { id: `#${'a'.repeat(65)}` },
    { id: '#a b' },
    { id: '#a#b' },
    { id: `${did}#site` },
    { id: '#root-0' },
    { id: '#root-0-jwk' },
    { id: '#kem-1' },
    { type: '' },
    { type: '1Type' },
    { type: 'Linked Domains' },
    { serviceEndpoint: '' },
    { serviceEndpoint: 'alice.example' },
    { serviceEndpoint: '/relative' },
    { serviceEndpoint: 'javascript:alert(1)' },
    { serviceEndpoint: 'ftp://alice.example' },
    { serviceEndpoint: 'https://alice.example/a b' },
    { serviceEndpoint: 'https://alice.example\n' },
    { serviceEndpoint: `https://alice.example/${'a'.repeat(2048)}` },
    { serviceEndpoint: { uri: 'https://alice.example' } },
    { note: 'x' },
  ])('refuses %j', (members) => {
    expect(didServiceSchema.safeParse({ ...site, ...members }).success).toBe(false)
  })
})

describe('registerRequestSchema', () => {
  it('accepts at most sixteen services with distinct ids', () => {
    const services = Array.from({ length: 17 }, (_, i) => ({ ...site, id: `#s${i}` }))
    expect(registerRequestSchema.safeParse({ did }).success).toBe(true)
    expect(registerRequestSchema.safeParse({ did, keyAgreement, services: services.slice(1) }).success).toBe(true)
    expect(registerRequestSchema.safeParse({ did, services }).success).toBe(false)
    expect(registerRequestSchema.safeParse({ did, services: [site, site] }).success).toBe(false)
    expect(registerRequestSchema.safeParse({ did, publicKey: publicKeyB64u }).success).toBe(false)
  })
})
