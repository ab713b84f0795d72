/** Hashes and signatures by OpenSSL, and canonical JSON by hand. Imports nothing of the platform. */
import * as openssl from 'node:crypto'

/** RFC 8785 for lists and objects of strings, integers, booleans and null, with ASCII member names. */
export function jcs(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jcs).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jcs(member)}`).join(',')}}`
}

export const sha3 = (...parts: (string | Uint8Array)[]) =>
  openssl
    .createHash('sha3-384')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part as string))))
    .digest()
export const raw = (b64u: string) => Buffer.from(b64u, 'base64url')

// RFC 9881: PKCS #8 holding the seed alone, [0] IMPLICIT OCTET STRING; SPKI holding the raw public key.
const PKCS8 = Buffer.from('3034020100300b060960864801650304031204228020', 'hex')
const SPKI = Buffer.from('308207b2300b0609608648016503040312038207a100', 'hex')
const KEY_BYTES = 1952

export function publicKeyOfSeed(seedHex: string): string {
  const key = Buffer.concat([PKCS8, Buffer.from(seedHex, 'hex')])
  const privateKey = openssl.createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  const spki = openssl.createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return spki.subarray(-KEY_BYTES).toString('base64url')
}

export function isSigned(message: unknown, signatureB64u: string, publicKeyB64u: string): boolean {
  const key = Buffer.concat([SPKI, raw(publicKeyB64u)])
  const publicKey = openssl.createPublicKey({ key, format: 'der', type: 'spki' })
  return openssl.verify(null, Buffer.from(jcs(message)), publicKey, raw(signatureB64u))
}

export const userIdOf = (publicKeyB64u: string) => sha3(raw(publicKeyB64u)).toString('hex')
