/** Checks everything hashed or signed against OpenSSL and handwritten canonical JSON. */

import * as openssl from 'node:crypto'
import { mlDsa65 } from '@svc/pqc'
import { describe, expect, it } from 'vitest'
import { hashHex, hashTextHex } from '../src/base/hash.ts'
import { didOf, userIdOf, userIdOfKey } from '../src/base/identity.ts'
import { kemKeyId } from '../src/base/key-agreement.ts'
import { signStatement, verifyStatement } from '../src/base/statement.ts'
import { blockAfter, chainOf, headOf, signerOf } from '../src/chain/chain.fixture.ts'
import { blockHash, type SignedBlock, signedBytes, verifyBlockSignature } from '../src/chain/chain.ts'
import { leafHash, nodeHash } from '../src/merkle/tree.ts'
import { type NoteHeader, prepareHeader } from '../src/notes/headers.ts'
import { REALM, REALMS } from './realm.fixture.ts'

const sha3 = (...parts: (string | Uint8Array)[]) => {
  const hash = openssl.createHash('sha3-384')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

// RFC 9881: PKCS #8 holding the seed alone, [0] IMPLICIT OCTET STRING; SPKI holding the raw public key.
const PKCS8 = Buffer.from('3034020100300b060960864801650304031204228020', 'hex')
const SPKI = Buffer.from('308207b2300b0609608648016503040312038207a100', 'hex')
const seed = Buffer.alloc(32, 9)
const privateKey = openssl.createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
const rawKey = openssl.createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-1952)
const publicKeyOf = (b64u: string) =>
  openssl.createPublicKey({
    key: Buffer.concat([SPKI, Buffer.from(b64u, 'base64url')]),
    format: 'der',
    type: 'spki',
  })

/** Members in UTF-16 code unit order, written out by hand. */
function canonical(block: SignedBlock, withSignature: boolean): string {
  const member = (name: string, value: string | undefined) => (value === undefined ? '' : `"${name}":"${value}",`)
  const v4 = block.version === 4 ? { epoch: `"epoch":${block.epoch},`, scope: block.scope } : { epoch: '' }
  return [
    '{',
    member('contentType', block.contentType),
    member('dataHash', block.dataHash),
    v4.epoch,
    member('index', block.index),
    member('metadataHash', block.metadataHash),
    member('ownerPublicKey', block.ownerPublicKey),
    member('previousHash', block.previousHash),
    member('scope', v4.scope),
    member('signature', withSignature ? block.signature : undefined),
    member('signatureAlg', block.signatureAlg),
    member('timestamp', block.timestamp),
    `"version":${block.version}}`,
  ].join('')
}

describe('identity, against OpenSSL', () => {
  it('derives userId, scope and DID from the raw public key', async () => {
    const scope = sha3(rawKey).toString('hex')
    expect(userIdOf(await mlDsa65.publicKeyOf(seed))).toBe(scope)
    expect(userIdOfKey(rawKey.toString('base64url'))).toBe(scope)
    expect(didOf(scope)).toBe(`did:svc:${sha3(rawKey).subarray(0, 24).toString('base64url')}`)
  })

  it('derives the id of a KEM key', () => {
    const key = openssl.randomBytes(1184)
    expect(kemKeyId(key.toString('base64url'))).toBe(sha3(key).subarray(0, 24).toString('base64url'))
  })

  it('hashes bytes and text', () => {
    const bytes = openssl.randomBytes(500)
    expect(hashHex(bytes)).toBe(sha3(bytes).toString('hex'))
    expect(hashTextHex('né 😀')).toBe(sha3('né 😀').toString('hex'))
  })
})

describe('chain blocks, against OpenSSL and JSON written by hand', async () => {
  const alice = await signerOf(9)
  const chain = await chainOf(alice, [2, 3, 4])
  const { contentType: __, ...bare } = await blockAfter(alice, headOf(chain.at(-1)!), 2)
  const blocks = [...chain, bare as SignedBlock]

  it.each(blocks.map((block) => [block.index, block] as const))('agree on block %s', (_, block) => {
    expect(Buffer.from(signedBytes(block)).toString()).toBe(canonical(block, false))
    expect(blockHash(block)).toBe(sha3(canonical(block, true)).toString('hex'))
  })

  it('link by that hash', () => {
    for (const [i, block] of chain.entries()) {
      const previous = chain[i - 1]
      expect(block.previousHash).toBe(previous ? sha3(canonical(previous, true)).toString('hex') : '0'.repeat(96))
    }
  })

  it('have signatures that OpenSSL verifies, and accept those it makes', async () => {
    for (const block of chain) {
      const signature = Buffer.from(block.signature, 'base64url')
      const message = Buffer.from(canonical(block, false))
      expect(openssl.verify(null, message, publicKeyOf(block.ownerPublicKey), signature)).toBe(true)
      const theirs = openssl.sign(null, message, privateKey).toString('base64url')
      expect(await verifyBlockSignature({ ...block, signature: theirs })).toBe(true)
    }
  })
})

describe('statements and headers, against OpenSSL and JSON written by hand', () => {
  it('sign the canonical JSON in the pure form with an empty context', async () => {
    const did = `did:svc:${'PDw8'.repeat(8)}`
    const text = `{"did":"${did}","issuedAt":1790000000000,"nonce":"n-000000000000000","realm":"https://core.test","service":"core","type":"svc/operator-chain-reindex/v1"}`
    const statement = {
      type: 'svc/operator-chain-reindex/v1' as const,
      realm: REALM,
      service: 'core',
      nonce: 'n-000000000000000',
      did,
      issuedAt: 1_790_000_000_000,
    }
    const signed = await signStatement(statement, (message) => mlDsa65.sign(seed, message))
    const signature = Buffer.from(signed.signatureB64u, 'base64url')
    expect(openssl.verify(null, Buffer.from(text), openssl.createPublicKey(privateKey), signature)).toBe(true)
    const theirs = openssl.sign(null, Buffer.from(text), privateKey).toString('base64url')
    expect(await verifyStatement({ statement, signatureB64u: theirs }, rawKey, REALMS)).toBe(true)
  })

  it('digest a header with every member', () => {
    const text =
      '{"app":{"name":"n","version":"1"},"contentLength":0,"contentType":"é","deviceId":"d","ext":{"a":true,"b":1.5,"é":"\\n"},' +
      `"noteId":"1","operation":"attach","timestamp":"2026-10-23T10:00:00Z","userId":"${'3c'.repeat(48)}"}`
    expect(prepareHeader(JSON.parse(text) as NoteHeader).aadB64u).toBe(sha3(text).toString('base64url'))
  })

  it('prefix the leaves and nodes of trees', () => {
    const [a, b] = [openssl.randomBytes(48), openssl.randomBytes(48)]
    expect(Buffer.from(leafHash(a))).toEqual(sha3(Buffer.from([0]), a))
    expect(Buffer.from(nodeHash(a, b))).toEqual(sha3(Buffer.from([1]), a, b))
  })
})
