/** Derives the keys of a sheet with OpenSSL, as the page describes it, and compares them with the vectors. */
import * as openssl from 'node:crypto'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { describe, expect, it } from 'vitest'
import { SuccessorSheet } from '../src/recovery-words.ts'
import vectors from './sheet-vectors.json' with { type: 'json' }

const SHEET_MASK = 0xa5
// RFC 9881, RFC 9935 and RFC 8410: PKCS #8 holding the private key alone.
const ML_DSA_PKCS8 = Buffer.from('3034020100300b060960864801650304031204228020', 'hex')
const ML_KEM_PKCS8 = Buffer.from('3054020100300b060960864801650304040204428040', 'hex')
const X25519_PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex')

const hashOf = (bytes: Uint8Array) => openssl.createHash('sha3-384').update(bytes).digest('hex')

function publicKeyOf(prefix: Buffer, secret: Uint8Array, length: number): Buffer {
  const privateKey = openssl.createPrivateKey({ key: Buffer.concat([prefix, secret]), format: 'der', type: 'pkcs8' })
  return openssl.createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-length)
}

/** 24 words of 11 bits: the secret, then the first byte of its SHA-256 XORed with the mark of a sheet. */
function secretOf(words: string): Buffer {
  const bits = words.split(' ').map((word) => wordlist.indexOf(word).toString(2).padStart(11, '0'))
  const bytes = Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)
      ?.map((byte) => Number.parseInt(byte, 2)) ?? [],
  )
  const [secret, checksum = 0] = [bytes.subarray(0, 32), bytes[32]]
  const [sum = 0] = openssl.createHash('sha256').update(secret).digest()
  expect(checksum ^ SHEET_MASK).toBe(sum)
  return secret
}

function derived(secret: Buffer, salt: string, info: string): Buffer {
  return Buffer.from(openssl.hkdfSync('sha3-384', secret, salt, info, 32))
}

/** X-Wing: SHAKE-256 of the seed is the seed of the ML-KEM-768 key and the X25519 key. */
function xWingOf(seed: Buffer) {
  const expanded = openssl.createHash('shake256', { outputLength: 96 }).update(seed).digest()
  return {
    kem: publicKeyOf(ML_KEM_PKCS8, expanded.subarray(0, 64), 1184),
    x25519B64u: publicKeyOf(X25519_PKCS8, expanded.subarray(64), 32).toString('base64url'),
  }
}

describe.each(vectors)('the sheet $words', ({ words, scope, successors, reader }) => {
  it.each(successors)('has the vector’s key for epoch $epoch', async ({ epoch, signing, kem, x25519B64u }) => {
    const secret = secretOf(words)
    const key = publicKeyOf(ML_DSA_PKCS8, derived(secret, 'svc/successor/v1', `signing ${scope} ${epoch}`), 1952)
    const agreement = xWingOf(derived(secret, 'svc/successor/v1', `kem ${scope} ${epoch}`))
    expect([hashOf(key), hashOf(agreement.kem), agreement.x25519B64u]).toEqual([signing, kem, x25519B64u])
    const successor = await SuccessorSheet.fromWords(words).successor({ scope, epoch })
    expect([successor.publicKeyB64u, successor.kemPublicKeyB64u, successor.x25519B64u]).toEqual([
      key.toString('base64url'),
      agreement.kem.toString('base64url'),
      x25519B64u,
    ])
  })

  it('has the vector’s reader, which is the same in every epoch', async () => {
    const { kem, x25519B64u } = xWingOf(derived(secretOf(words), 'svc/recovery-reader/v1', scope))
    expect({ kem: hashOf(kem), x25519B64u }).toEqual(reader)
    const ours = await SuccessorSheet.fromWords(words).reader(scope)
    expect([ours.kemPublicKeyB64u, ours.x25519B64u]).toEqual([kem.toString('base64url'), x25519B64u])
  })
})
