/**
 * Blind roots (workers/docs/pages/developer/anchors.md): a hash of a random nonce and the hash of a file, so nobody who has
 * the file finds its anchor without the nonce. The nonce is in the bundle that the owner keeps.
 *
 * @module
 */
import type * as z from 'zod'
import { base64urlOf } from '../base/base64url.ts'
import { hashHex } from '../base/hash.ts'
import { jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import { anchorBundleSchema } from './bundle/anchor-bundle.ts'

export const STAMP_NONCE_BYTES = 32

export const nonceSchema = /* @__PURE__ */ pure(() =>
  base64urlOf(STAMP_NONCE_BYTES).meta({
    description: 'Random, 32 bytes. With it, the file can be shown to be what was anchored',
  }),
)

/** A bundle as its owner keeps it. A service sends bundles without a nonce, because it never has one. */
export const keptBundleSchema = /* @__PURE__ */ pure(() =>
  anchorBundleSchema
    .extend({ nonceB64u: nonceSchema.optional() })
    .meta({ id: 'KeptAnchorBundle', description: 'A bundle with the nonce of its stamp' }),
)
export type KeptBundle = z.infer<typeof keptBundleSchema>

/** The root that hides a file: SHA3-384 over JCS of `{type: "svc/blind-root/v1", nonce, hash}`. */
export function blindRoot(nonceB64u: string, hash: string): string {
  return hashHex(jcsBytes({ type: 'svc/blind-root/v1', nonce: nonceB64u, hash }))
}

/** The root under which a file is anchored: the hash of the file, or that blinded by a nonce. */
export function rootOfFile(hash: string, nonceB64u: string | null | undefined): string {
  return typeof nonceB64u === 'string' ? blindRoot(nonceB64u, hash) : hash
}
