/**
 * Bundles (workers/docs/pages/developer/anchors.md): everything that proves one anchor offline, in one file.
 *
 * The log signs the checkpoint. Witnesses sign the cosignatures: each is of the first state with the anchor that its
 * witness saw.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from '../../base/hash.ts'
import { pure } from '../../base/pure.ts'
import { signedCosignatureSchema } from '../../keys/cosignature.ts'
import { signedCheckpointSchema } from '../../merkle/checkpoint.ts'
import { listedLogSchema } from '../../merkle/log-list.ts'
import { anchorRecordSchema } from '../anchors.ts'
import { MAX_ANCHOR_WITNESSES, seenSchema } from '../cosigned/anchor-cosigned.ts'

/** The format without cosignatures. It can only be upgraded. */
export const FORMER_BUNDLE = 'svc/anchor-bundle/v1'

const consistencyOf = /* @__PURE__ */ pure(() =>
  z.array(hashSchema).max(64).meta({
    description: 'Proves that `checkpoint` extends the state that was cosigned (RFC 9162 section 2.1.4)',
  }),
)

export const firstStateSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ cosignature: signedCosignatureSchema, consistency: consistencyOf })
    .meta({ id: 'FirstCosignedState', description: 'The first state of the log that any witness cosigned' }),
)
export type FirstState = z.infer<typeof firstStateSchema>

export const cosignedStateSchema = /* @__PURE__ */ pure(() =>
  seenSchema
    .extend({ consistency: consistencyOf })
    .meta({ id: 'CosignedState', description: 'The first state of the log with the anchor that a witness cosigned' }),
)
export type CosignedState = z.infer<typeof cosignedStateSchema>

/** Members of a bundle. */
export const statesShape = /* @__PURE__ */ pure(() => ({
  first: firstStateSchema.nullable().meta({ description: 'Null while no witness has cosigned the log' }),
  cosigned: z.array(cosignedStateSchema).max(MAX_ANCHOR_WITNESSES).meta({
    description: 'Of each witness the first state that covers the anchor, smallest size first; empty without any',
  }),
}))

/** The members that every bundle format has. */
export const loggedShape = /* @__PURE__ */ pure(() => ({
  record: anchorRecordSchema,
  log: listedLogSchema.meta({
    description: 'The log of `position`. Unsigned: compare it with the signed list, or its key with the one you know',
  }),
  proof: z.array(hashSchema).max(64).meta({
    description: 'Audit path of the leaf, lowest sibling first (RFC 9162 section 2.1.3)',
  }),
  checkpoint: signedCheckpointSchema,
}))

export const anchorBundleSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ format: z.literal('svc/anchor-bundle/v2'), ...loggedShape, ...statesShape })
    .meta({ id: 'AnchorBundle', description: 'Everything needed to verify one anchor offline' }),
)
export type AnchorBundle = z.infer<typeof anchorBundleSchema>

export function isFormerBundle(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'format' in value && value.format === FORMER_BUNDLE
}
