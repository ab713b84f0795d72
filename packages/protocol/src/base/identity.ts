/**
 * How an identity is named: key → userId → scope → DID (workers/docs/pages/developer/identity.md).
 *
 * A userId names a signing key. The scope is the userId of the genesis key and never changes. The DID is derived from
 * the scope, so both follow from the genesis key alone and no lookup can misreport them.
 *
 * @module
 */
import * as z from 'zod'
import { forms } from '../http/path-forms.ts'
import { base64urlOf, bytesOf, encodeBase64url } from './base64url.ts'
import { fromHex, hashHex, hashHexAsync } from './hash.ts'
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from './labels.ts'
import { pure } from './pure.ts'

/** 24 bytes are exactly 32 base64url characters, so every DID has one spelling. A collision costs 2^96 work. */
const DID_BYTES = 24
const DID_PATTERN = /^did:svc:[A-Za-z0-9_-]{32}$/

export const publicKeySchema = /* @__PURE__ */ pure(() =>
  base64urlOf(PUBLIC_KEY_BYTES).meta({
    id: 'PublicKey',
    description: 'ML-DSA-65 public key: 1,952 raw bytes as base64url without padding (2,603 characters)',
  }),
)
export const signatureSchema = /* @__PURE__ */ pure(() =>
  base64urlOf(SIGNATURE_BYTES).meta({
    id: 'Signature',
    description: 'ML-DSA-65 signature: 3,309 raw bytes as base64url without padding (4,412 characters)',
  }),
)
export const userIdSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[0-9a-f]{96}$/, 'must be 96 lowercase hex characters')
    .meta({
      id: 'UserId',
      description: 'SHA3-384 of a raw ML-DSA-65 public key, lowercase hex',
      example: '3c'.repeat(48),
    }),
)
export const scopeSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[0-9a-f]{96}$/, 'must be 96 lowercase hex characters')
    .meta({ id: 'Scope', description: 'The userId of the genesis key; permanent', example: '3c'.repeat(48) }),
)
export const didSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(DID_PATTERN, 'must be did:svc: and 32 base64url characters')
    .meta({
      id: 'Did',
      description: 'did:svc: and base64url of the first 24 bytes of the scope',
      example: `did:svc:${'PDw8'.repeat(8)}`,
    })
    .register(forms, { isPublished: true }),
)

export function userIdOf(publicKey: Uint8Array): string {
  return hashHex(publicKey)
}

/** The same, native where the runtime has it. */
export function userIdOfAsync(publicKey: Uint8Array): Promise<string> {
  return hashHexAsync(publicKey)
}

/** The userId of a base64url key that `publicKeySchema` has accepted. */
export function userIdOfKey(publicKeyB64u: string): string {
  return userIdOf(bytesOf(publicKeyB64u))
}

export function didOf(scope: string): string {
  return `did:svc:${encodeBase64url(fromHex(scope).subarray(0, DID_BYTES))}`
}

export function isDid(text: string): boolean {
  return DID_PATTERN.test(text)
}
