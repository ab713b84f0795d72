/**
 * Stamps of files (workers/docs/pages/developer/anchors.md): what the owner of an anchored file keeps until there is a
 * bundle, and in the library of all devices.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { pure } from '../base/pure.ts'
import { realmSchema } from '../base/realm.ts'
import { anchorEpochSchema, anchorIdSchema } from './anchors.ts'
import { type KeptBundle, nonceSchema } from './blind-root.ts'
import type { AnchorBundle } from './bundle/anchor-bundle.ts'

/** The label of an anchor whose owner chose none: it says nothing about the file. */
export const NO_LABEL = '-'

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

/** The bundle with the nonce of a stamp. The caller has compared the anchor. */
export function withNonce(bundle: AnchorBundle, { nonceB64u }: Pick<AnchorStamp, 'nonceB64u'>): KeptBundle {
  return nonceB64u === null ? bundle : { ...bundle, nonceB64u }
}
