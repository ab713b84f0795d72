/**
 * The key-agreement statement: an identity's root key states which ML-KEM-768 key to encrypt to.
 *
 * One statement is current at a time. A newer one (by `issuedAt`) replaces it; an older one never does, so a
 * captured statement cannot bring a retired key back.
 *
 * @module
 */

import type * as z from 'zod'
import { isMlKem768PublicKey } from '#pqc'
import { base64urlOf, bytesOf, decodeBase64url, encodeBase64url } from './base64url.ts'
import { fromHex, hashHex } from './hash.ts'
import { didSchema, scopeSchema } from './identity.ts'
import { KEM_PUBLIC_KEY_BYTES } from './labels.ts'
import { pure } from './pure.ts'
import { signedSchema, statementSchema } from './statement.ts'

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

export const keyAgreementSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/key-agreement/v1', {
    did: didSchema,
    scope: scopeSchema,
    publicKeyB64u: kemPublicKeySchema,
  }).meta({ id: 'KeyAgreement', description: 'The root key states the ML-KEM-768 key of its identity' }),
)
export type KeyAgreement = z.infer<typeof keyAgreementSchema>

export const signedKeyAgreementSchema = /* @__PURE__ */ pure(() =>
  signedSchema(keyAgreementSchema).meta({
    id: 'SignedKeyAgreement',
    description: 'A key-agreement statement with the root key’s signature over its JCS bytes',
  }),
)
export type SignedKeyAgreement = z.infer<typeof signedKeyAgreementSchema>

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
