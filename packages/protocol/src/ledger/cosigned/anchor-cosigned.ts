/**
 * When witnesses first saw an anchor in its log: the first state of each witness that covers it, kept for good.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from '../../base/hash.ts'
import { pure } from '../../base/pure.ts'
import { signedCosignatureSchema } from '../../keys/cosignature.ts'
import { logPositionSchema } from '../../merkle/log-name.ts'
import { anchorIdSchema } from '../anchors.ts'

/** A deployment lists at most so many witnesses. */
export const MAX_ANCHOR_WITNESSES = 16

export const seenSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    cosignature: signedCosignatureSchema,
    proof: z.array(hashSchema).max(64).meta({
      description: 'Audit path of the leaf at the size of the cosignature, lowest sibling first',
    }),
  }),
)
/** A state of the log that a witness signed, and the anchor in it. */
export type Seen = z.infer<typeof seenSchema>

export const anchorCosignedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      anchorId: anchorIdSchema,
      position: logPositionSchema,
      cosigned: z
        .array(seenSchema)
        .max(MAX_ANCHOR_WITNESSES)
        .meta({ description: 'Of each witness the first that covers the anchor, smallest size first' }),
    })
    .meta({ id: 'AnchorCosigned', description: 'When each witness first saw the anchor in its log' }),
)
export type AnchorCosigned = z.infer<typeof anchorCosignedSchema>
