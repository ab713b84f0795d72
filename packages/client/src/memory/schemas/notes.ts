import * as z from 'zod'
import { pure } from '#protocol/base/pure'
import { deletionReceiptSchema, signedManifestSchema } from '#protocol/notes/log'
import { signedNoteSchema } from '#protocol/notes/notes'
import { logOf, none, pieceOf, placeSchema } from './log-of.ts'

export const note = /* @__PURE__ */ pure(() =>
  z.strictObject({
    kind: z.literal('note'),
    of: z.string(),
    /** `position` is the version; `seq` its place in the vault, and `earlier` the versions seen before it. */
    pieces: z.array(
      pieceOf({
        signed: z.union([signedNoteSchema, deletionReceiptSchema]),
        seq: z.int().min(0),
        isErased: z.boolean(),
        earlier: z.array(placeSchema),
      }),
    ),
    pending: none,
  }),
)
export const vault = /* @__PURE__ */ pure(() =>
  logOf('vault', z.union([signedManifestSchema, deletionReceiptSchema]), none),
)
