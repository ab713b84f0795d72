/**
 * The key-agreement statement: an identity's root key states which keys to encrypt to.
 *
 * They are the two parts of one X-Wing key (draft-connolly-cfrg-xwing-kem), so that what is encrypted stays secret as long
 * as ML-KEM-768 or X25519 holds. What names the key, `kemKeyId`, names the ML-KEM-768 part.
 *
 * One statement is current at a time. A newer one (by `issuedAt`) replaces it; an older one never does, so a
 * captured statement cannot bring a retired key back.
 *
 * An owner can also list the keys of sheets of words. Every device then encrypts notes to these keys too, even if it was
 * paired elsewhere, so the words of a sheet can open the notes.
 *
 * @module
 */

import * as z from 'zod'
import { isMlKem768PublicKey, isX25519PublicKey, isXWingPublicKey } from '#pqc'
import { base64urlOf, bytesOf, decodeBase64url, encodeBase64url } from './base64url.ts'
import { fromHex, hashHex } from './hash.ts'
import { didSchema, scopeSchema } from './identity.ts'
import { KEM_CIPHERTEXT_BYTES, KEM_PUBLIC_KEY_BYTES, X25519_BYTES } from './labels.ts'
import { pure } from './pure.ts'
import { ownedStatementSchema, signedSchema } from './statement.ts'

/** FIPS 203 section 7.2: rejects a key that senders cannot encapsulate to before anyone relies on it. */
export const kemPublicKeySchema = /* @__PURE__ */ pure(() =>
  base64urlOf(KEM_PUBLIC_KEY_BYTES)
    // Zod also runs this on text that an earlier check rejected.
    .refine((text) => {
      const bytes = decodeBase64url(text)
      return bytes !== null && isMlKem768PublicKey(bytes)
    }, 'must be a valid ML-KEM-768 encapsulation key')
    .meta({
      id: 'KemPublicKey',
      description: 'ML-KEM-768 encapsulation key: 1,184 raw bytes as base64url without padding (1,579 characters)',
    }),
)

const x25519Schema = /* @__PURE__ */ pure(() =>
  base64urlOf(X25519_BYTES).refine((text) => {
    const bytes = decodeBase64url(text)
    return bytes !== null && isX25519PublicKey(bytes)
  }, 'must be an X25519 public key of large order'),
)
/** RFC 7748 section 6.1: a point of small order gives everybody the same secret. */
export const x25519KeySchema = /* @__PURE__ */ x25519Schema.meta({
  id: 'X25519PublicKey',
  description: 'X25519 public key: 32 raw bytes as base64url without padding',
})

/** The ML-KEM-768 key and the X25519 key of one X-Wing key, in one. */
export const xWingPublicKeySchema = /* @__PURE__ */ pure(() =>
  base64urlOf(KEM_PUBLIC_KEY_BYTES + X25519_BYTES).refine((text) => {
    const bytes = decodeBase64url(text)
    return bytes !== null && isXWingPublicKey(bytes)
  }, 'must be a valid X-Wing encapsulation key'),
)

/** Members of what is encrypted to both parts of a key. */
export const hybridCiphertextShape = /* @__PURE__ */ pure(() => ({
  kemCiphertextB64u: base64urlOf(KEM_CIPHERTEXT_BYTES).meta({ description: 'ML-KEM-768 ciphertext' }),
  ephemeralB64u: x25519Schema.meta({
    description: 'X25519 part of the ciphertext: the ephemeral key, 32 bytes as base64url',
  }),
}))

/** The two parts of an X-Wing key. */
export interface HybridKey {
  readonly kemPublicKeyB64u: string
  readonly x25519B64u: string
}

/** An identity can name this many successors, and each of them can be a sheet. */
const MAX_SHEETS = 3

const sheetsSchema = /* @__PURE__ */ pure(() =>
  z
    .array(
      z
        .strictObject({ kemPublicKeyB64u: kemPublicKeySchema, x25519B64u: x25519KeySchema })
        .meta({ id: 'SheetKey', description: 'Keys of a sheet of words: notes encrypted to them open with its words' }),
    )
    .min(1)
    .max(MAX_SHEETS)
    .refine((sheets) => areDistinct(sheets.map(({ kemPublicKeyB64u }) => kemPublicKeyB64u)), 'names a key twice')
    .meta({ description: 'Keys of the sheets of words, 1 to 3; absent if there are none' }),
)

function areDistinct(keys: readonly string[]): boolean {
  return new Set(keys).size === keys.length
}

/** The two parts of an X-Wing ciphertext. Without `ephemeralB64u`, a ciphertext of ML-KEM-768 alone. */
export interface HybridCiphertext {
  readonly kemCiphertextB64u: string
  readonly ephemeralB64u?: string | undefined
}

/** What a key is derived for from a shared secret: no two purposes get the same key. */
export interface KeyPurpose {
  readonly label: string
  /** The context, which the key is bound to. */
  readonly info: Uint8Array
}

/** The raw X-Wing key of two parts. */
export function xWingKeyOf({ kemPublicKeyB64u, x25519B64u }: HybridKey): Uint8Array {
  return new Uint8Array([...bytesOf(kemPublicKeyB64u), ...bytesOf(x25519B64u)])
}

/** The two parts of a raw X-Wing key. */
export function hybridKeyOf(xWingKey: Uint8Array): HybridKey {
  return {
    kemPublicKeyB64u: encodeBase64url(xWingKey.slice(0, KEM_PUBLIC_KEY_BYTES)),
    x25519B64u: encodeBase64url(xWingKey.slice(KEM_PUBLIC_KEY_BYTES)),
  }
}

/** The raw X-Wing ciphertext of two parts, or the one of ML-KEM-768 alone. */
export function ciphertextOf({ kemCiphertextB64u, ephemeralB64u }: HybridCiphertext): Uint8Array {
  const kem = bytesOf(kemCiphertextB64u)
  return ephemeralB64u === undefined ? kem : new Uint8Array([...kem, ...bytesOf(ephemeralB64u)])
}

/** The two parts of a raw X-Wing ciphertext. */
export function hybridCiphertextOf(ciphertext: Uint8Array): {
  readonly kemCiphertextB64u: string
  readonly ephemeralB64u: string
} {
  return {
    kemCiphertextB64u: encodeBase64url(ciphertext.slice(0, KEM_CIPHERTEXT_BYTES)),
    ephemeralB64u: encodeBase64url(ciphertext.slice(KEM_CIPHERTEXT_BYTES)),
  }
}

export const keyAgreementSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/key-agreement/v1', {
    did: didSchema,
    scope: scopeSchema,
    publicKeyB64u: kemPublicKeySchema,
    x25519B64u: x25519KeySchema,
    sheets: sheetsSchema.optional(),
  })
    .refine(
      ({ publicKeyB64u, sheets = [] }) => sheets.every(({ kemPublicKeyB64u }) => kemPublicKeyB64u !== publicKeyB64u),
      { path: ['sheets'], message: 'has the key of the identity itself' },
    )
    .meta({ id: 'KeyAgreement', description: 'The root key states the keys to encrypt to: ML-KEM-768 and X25519' }),
)
export type KeyAgreement = z.infer<typeof keyAgreementSchema>

export const signedKeyAgreementSchema = /* @__PURE__ */ pure(() =>
  signedSchema(keyAgreementSchema).meta({
    id: 'SignedKeyAgreement',
    description: 'A key-agreement statement with the root key’s signature over its JCS bytes',
  }),
)
export type SignedKeyAgreement = z.infer<typeof signedKeyAgreementSchema>

/** The two parts of the key that a statement states. */
export function statedKeyOf({ publicKeyB64u, x25519B64u }: KeyAgreement): HybridKey {
  return { kemPublicKeyB64u: publicKeyB64u, x25519B64u }
}

/** Cache of key ids, about 1.6 kB per entry. A key's id never changes, so entries cannot go stale. */
const MAX_NAMES = 1000
const names = /* @__PURE__ */ new Map<string, string>()

/** The id of a KEM key: base64url of the first 24 bytes of its SHA3-384. */
export function kemKeyId(publicKeyB64u: string): string {
  const known = names.get(publicKeyB64u)
  if (known !== undefined) return known
  const name = encodeBase64url(fromHex(hashHex(bytesOf(publicKeyB64u))).subarray(0, 24))
  if (names.size >= MAX_NAMES) names.clear()
  names.set(publicKeyB64u, name)
  return name
}
