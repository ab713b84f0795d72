/**
 * Stamps of files (workers/docs/pages/developer/anchors.md): what the owner of an anchored file keeps. A blind root is a
 * hash of a random nonce and the hash of the file, so nobody who has the file finds its anchor without the stamp.
 *
 * @module
 */
import * as z from 'zod'
import { base64urlOf } from '../base/base64url.ts'
import { hashHex, hashSchema } from '../base/hash.ts'
import { jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import { realmSchema } from '../base/realm.ts'
import { type AnchorBundle, anchorBundleSchema } from './anchor-log.ts'
import { anchorEpochSchema, anchorIdSchema } from './anchors.ts'

export const STAMP_NONCE_BYTES = 32
/** The label of an anchor whose owner chose none: it says nothing about the file. */
export const NO_LABEL = '-'

const nonceSchema = /* @__PURE__ */ pure(() =>
  base64urlOf(STAMP_NONCE_BYTES).meta({
    description: 'Random, 32 bytes. With it, the file can be shown to be what was anchored',
  }),
)

export const anchorStampSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      format: z.literal('svc/anchor-stamp/v1'),
      realm: realmSchema,
      anchorId: anchorIdSchema,
      root: hashSchema.meta({ description: 'What was anchored' }),
      epoch: anchorEpochSchema,
      hash: hashSchema.meta({ description: 'SHA3-384 of the file' }),
      nonceB64u: nonceSchema.nullable().meta({ description: 'Null if the root is the hash of the file itself' }),
      name: z.string().max(1024).nullable().meta({ description: 'What the owner calls the file' }),
    })
    .meta({ id: 'AnchorStamp', description: 'Kept by the owner; no service gets it in the clear' }),
)
export type AnchorStamp = z.infer<typeof anchorStampSchema>

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

/** The bundle with the nonce of a stamp. The caller has compared the anchor. */
export function withNonce(bundle: AnchorBundle, { nonceB64u }: Pick<AnchorStamp, 'nonceB64u'>): KeptBundle {
  return nonceB64u === null ? bundle : { ...bundle, nonceB64u }
}
