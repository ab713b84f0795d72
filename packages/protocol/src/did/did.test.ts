import { base58 } from '@scure/base'
import { mlDsa65, mlKem768 } from '@svc/pqc'
import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.fixture.ts'
import { bytesOf, encodeBase64url } from '../base/base64url.ts'
import { kemKeyId } from '../base/key-agreement.ts'
import { signStatement } from '../base/statement.ts'
import { signerOf } from '../chain/chain.fixture.ts'
import {
  didDocumentOf,
  didDocumentSchema,
  didTime,
  RESOLUTION_ERROR_BASE,
  RESOLUTION_ERRORS,
  resolutionResultSchema,
} from './did.ts'
import type { DidService } from './registration.ts'

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
const authority = {
  did,
  scope,
  epoch: 0,
  publicKeyB64u,
  createdAt: 1_790_000_000_000,
  updatedAt: 1_790_000_000_001,
  deactivated: false,
  previousKeys: [],
  keyAgreement,
}
const site: DidService = { id: '#site', type: 'LinkedDomains', serviceEndpoint: 'https://alice.example' }
const document = didDocumentOf(authority, [site])
const decoded = (multibase: string | undefined) => {
  expect(multibase?.[0]).toBe('z')
  return base58.decode(multibase?.slice(1) ?? '')
}

describe('didDocumentOf', () => {
  it('passes its own schema and survives JSON', () => {
    expect(didDocumentSchema.parse(JSON.parse(JSON.stringify(document)))).toEqual(document)
    expect(document.id).toBe(did)
  })

  it('contains the root key as a Multikey: varint of 0x1211, then the raw key', () => {
    const method = document.verificationMethod[0]
    expect(method).toMatchObject({ id: `${did}#root-0`, type: 'Multikey', controller: did })
    const bytes = decoded(method?.publicKeyMultibase)
    expect([...bytes.subarray(0, 2)]).toEqual([0x91, 0x24])
    expect((bytes[0]! & 0x7f) | (bytes[1]! << 7)).toBe(0x1211)
    expect(bytes.slice(2)).toEqual(bytesOf(publicKeyB64u))
    expect(bytes).toHaveLength(1954)
  })

  it('contains the same key as a JWK of type AKP', () => {
    expect(document.verificationMethod[1]).toEqual({
      id: `${did}#root-0-jwk`,
      type: 'JsonWebKey',
      controller: did,
      publicKeyJwk: { kty: 'AKP', alg: 'ML-DSA-65', pub: publicKeyB64u, kid: `${scope}.0` },
    })
    expect(document.verificationMethod).toHaveLength(2)
  })

  it('uses both forms of the root key to authenticate, assert and invoke only', () => {
    const both = [`${did}#root-0`, `${did}#root-0-jwk`]
    expect(document.authentication).toEqual(both)
    expect(document.assertionMethod).toEqual(both)
    expect(document.capabilityInvocation).toEqual(both)
  })

  it('contains the ML-KEM key with its signed statement: varint of 0x120c', () => {
    const [method, ...others] = document.keyAgreement ?? []
    expect(others).toEqual([])
    expect(method).toMatchObject({
      id: `${did}#kem-${kemKeyId(kemKey)}`,
      type: 'Multikey',
      controller: did,
      signedStatement: keyAgreement,
    })
    const bytes = decoded(method?.publicKeyMultibase)
    expect((bytes[0]! & 0x7f) | (bytes[1]! << 7)).toBe(0x120c)
    expect(bytes.slice(2)).toEqual(bytesOf(kemKey))
  })

  it('makes service ids absolute', () => {
    expect(document.service).toEqual([{ ...site, id: `${did}#site` }])
  })

  it('omits key agreement and services if there are none', () => {
    const bare = didDocumentOf({ ...authority, keyAgreement: null }, [])
    expect(Object.keys(bare)).not.toContain('keyAgreement')
    expect(Object.keys(bare)).not.toContain('service')
  })

  it('includes the epoch in the key id', () => {
    const rotated = didDocumentOf({ ...authority, epoch: 3 }, [])
    expect(rotated.verificationMethod.map(({ id }) => id)).toEqual([`${did}#root-3`, `${did}#root-3-jwk`])
    expect(rotated.verificationMethod[1]?.publicKeyJwk?.kid).toBe(`${scope}.3`)
    expect(rotated.authentication).toEqual([`${did}#root-3`, `${did}#root-3-jwk`])
  })

  it('has no duplicate ids', () => {
    const parts = [document.verificationMethod, document.keyAgreement ?? [], document.service ?? []].flat()
    expect(new Set(parts.map(({ id }) => id)).size).toBe(parts.length)
  })

  it('contains a key that verifies the owner’s signatures', async () => {
    const message = new TextEncoder().encode('hello')
    const key = bytesOf(document.verificationMethod[1]?.publicKeyJwk?.pub ?? '')
    expect(await mlDsa65.verify(key, message, await alice.sign(message))).toBe(true)
  })
})

describe('resolution results', () => {
  const result = {
    '@context': 'https://w3id.org/did-resolution/v1',
    didDocument: document,
    didResolutionMetadata: { contentType: 'application/did', retrieved: '2026-10-23T10:00:00Z' },
    didDocumentMetadata: { created: '2026-10-23T10:00:00Z' },
  }

  it('contain a document or an error', () => {
    const error = { type: `${RESOLUTION_ERROR_BASE}NOT_FOUND`, title: 'Not found', detail: 'x' }
    const missing = {
      ...result,
      didDocument: null,
      didResolutionMetadata: { error, retrieved: '2026-10-23T10:00:00Z' },
      didDocumentMetadata: {},
    }
    expect(resolutionResultSchema.safeParse(result).success).toBe(true)
    expect(resolutionResultSchema.safeParse(missing).success).toBe(true)
    expect(resolutionResultSchema.safeParse({ ...result, didDocument: undefined }).success).toBe(false)
    expect(resolutionResultSchema.safeParse({ ...result, note: 'x' }).success).toBe(false)
  })

  it('have the statuses of the DID resolution specification', () => {
    expect(Object.entries(RESOLUTION_ERRORS).map(([name, { status }]) => [name, status])).toEqual([
      ['INVALID_DID', 400],
      ['INVALID_OPTIONS', 400],
      ['NOT_FOUND', 404],
      ['REPRESENTATION_NOT_SUPPORTED', 406],
      ['INTERNAL_ERROR', 500],
      ['METHOD_NOT_SUPPORTED', 501],
    ])
  })

  it('have times in UTC without fractions', () => {
    expect(didTime(1_790_000_000_999)).toBe('2026-09-21T14:13:20Z')
    expect(didTime(0)).toBe('1970-01-01T00:00:00Z')
  })
})
