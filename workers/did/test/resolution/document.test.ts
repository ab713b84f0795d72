import { bytesOf } from '@svc/protocol/base/base64url'
import { fromHex } from '@svc/protocol/base/hash'
import { verifyStatement } from '@svc/protocol/base/statement'
import type { DidDocument } from '@svc/protocol/did/did'
import { REALM, REALMS } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { caller } from '../harness.ts'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** base58btc of a value that does not begin with a zero byte. */
function base58(text: string): Uint8Array {
  const value = Array.from(text).reduce((sum, character) => sum * 58n + BigInt(ALPHABET.indexOf(character)), 0n)
  const hex = value.toString(16)
  return fromHex(hex.padStart(hex.length + (hex.length % 2), '0'))
}

async function registered() {
  const { client, identity } = await caller()
  await client.did.register()
  const { didDocument } = await client.did.resolve(identity.did)
  return { client, identity, document: didDocument as DidDocument }
}

describe('the document of a registered DID', () => {
  it('carries the root key as Multikey and as JWK', async () => {
    const { identity, document } = await registered()
    const { did, publicKeyB64u, scope } = identity
    const [multikey, jwk] = document.verificationMethod
    expect(multikey).toMatchObject({ id: `${did}#root-0`, type: 'Multikey', controller: did })
    expect(multikey?.publicKeyMultibase?.[0]).toBe('z')
    const decoded = base58(multikey?.publicKeyMultibase?.slice(1) ?? '')
    // Multicodec mldsa-65-pub 0x1211 as a varint.
    expect(decoded.subarray(0, 2)).toEqual(new Uint8Array([0x91, 0x24]))
    expect(decoded.subarray(2)).toEqual(bytesOf(publicKeyB64u))
    expect(jwk).toEqual({
      id: `${did}#root-0-jwk`,
      type: 'JsonWebKey',
      controller: did,
      publicKeyJwk: { kty: 'AKP', alg: 'ML-DSA-65', pub: publicKeyB64u, kid: `${scope}.0` },
    })
    for (const purpose of ['authentication', 'assertionMethod', 'capabilityInvocation'] as const) {
      expect(document[purpose]).toEqual([`${did}#root-0`, `${did}#root-0-jwk`])
    }
  })

  it('carries the KEM key with the statement of the root key', async () => {
    const { identity, document } = await registered()
    expect(document.keyAgreement).toHaveLength(1)
    const [method] = document.keyAgreement ?? []
    expect(method).toMatchObject({ type: 'Multikey', controller: identity.did })
    const decoded = base58(method?.publicKeyMultibase?.slice(1) ?? '')
    // Multicodec mlkem-768-pub 0x120c as a varint.
    expect(decoded.subarray(0, 2)).toEqual(new Uint8Array([0x8c, 0x24]))
    expect(decoded.subarray(2)).toEqual(bytesOf(identity.kemPublicKeyB64u))
    const signed = method?.signedStatement
    if (!signed) throw new Error('no statement')
    expect(signed.statement).toMatchObject({
      type: 'svc/key-agreement/v1',
      realm: REALM,
      did: identity.did,
      scope: identity.scope,
      publicKeyB64u: identity.kemPublicKeyB64u,
      x25519B64u: identity.x25519B64u,
    })
    expect(await verifyStatement(signed, bytesOf(identity.publicKeyB64u), REALMS)).toBe(true)
  })

  it('carries the services that were registered, under absolute ids', async () => {
    const { client, identity } = await registered()
    const services = [
      { id: '#site', type: 'LinkedDomains', serviceEndpoint: 'https://a.example/path' },
      { id: '#post', type: 'Mail', serviceEndpoint: 'mailto:a@a.example' },
    ]
    await client.did.register({ services })
    const { didDocument } = await client.did.resolve(identity.did)
    expect(didDocument?.service).toEqual(services.map((entry) => ({ ...entry, id: identity.did + entry.id })))
  })

  it('has no services when none were given', async () => {
    const { document } = await registered()
    expect(document).not.toHaveProperty('service')
  })
})
