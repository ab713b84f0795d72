/** The memory of a client as one JSON value, for `client.memory.export()` and `ClientOptions.memory`, and in a store. */
import { base64urlSchema } from '@svc/protocol/base/base64url'
import { hashSchema } from '@svc/protocol/base/hash'
import { realmSchema } from '@svc/protocol/base/realm'
import { chainBlockSchema, chainBlockV4Schema, MAX_PAYLOAD_BYTES } from '@svc/protocol/chain/chain'
import { rootKeyEvidenceSchema } from '@svc/protocol/chain/rotation'
import { inceptionEventSchema } from '@svc/protocol/devices/inception'
import { orgEventSchema } from '@svc/protocol/did/org-bindings'
import { signedEventPageSchema } from '@svc/protocol/events/events'
import { answerSchema } from '@svc/protocol/http/answer-schema'
import { signedDirectoryCheckpointSchema } from '@svc/protocol/keys/transparency'
import { signedCheckpointSchema } from '@svc/protocol/ledger/anchors'
import { deletionReceiptSchema, signedManifestSchema } from '@svc/protocol/notes/log'
import { signedNoteSchema } from '@svc/protocol/notes/notes'
import * as z from 'zod'
import type { Remembered } from './known-logs.ts'

const place = { position: z.int().min(0), hash: hashSchema }
const placeSchema = z.strictObject(place)

/** `pending`: what was signed for the next place and has no answer yet. */
const logOf = <K extends string, S extends z.ZodType, P extends z.ZodType>(kind: K, signed: S, pending: P) =>
  z.strictObject({
    kind: z.literal(kind),
    of: z.string(),
    /** Ascending. More than one only until the service has proved that the last extends the others. */
    pieces: z.array(z.strictObject({ ...place, signed })),
    pending: pending.nullable(),
  })

/** A block with the payload that is sent beside it. */
const sentBlockSchema = z.strictObject({
  block: chainBlockSchema,
  payloadB64u: base64urlSchema(MAX_PAYLOAD_BYTES).optional(),
})
const none = z.null()
export const rememberedLogSchema = z.discriminatedUnion('kind', [
  logOf('chain', chainBlockSchema.nullable(), sentBlockSchema),
  logOf('genesis', chainBlockSchema, chainBlockV4Schema),
  logOf('inception', inceptionEventSchema.nullable(), inceptionEventSchema),
  /** Every root key up to this one. */
  logOf('keys', z.array(rootKeyEvidenceSchema), none),
  logOf('organization', orgEventSchema.nullable(), orgEventSchema),
  z.strictObject({
    kind: z.literal('note'),
    of: z.string(),
    /** `position` is the version; `seq` its place in the vault, and `earlier` the versions seen before it. */
    pieces: z.array(
      z.strictObject({
        ...place,
        signed: z.union([signedNoteSchema, deletionReceiptSchema]),
        seq: z.int().min(0),
        isErased: z.boolean(),
        earlier: z.array(placeSchema),
      }),
    ),
    pending: none,
  }),
  logOf('vault', z.union([signedManifestSchema, deletionReceiptSchema]), none),
  logOf('transparency', signedDirectoryCheckpointSchema, none),
  logOf('anchors', signedCheckpointSchema, none),
  logOf('events', signedEventPageSchema, none),
])

export const memoryValueSchema = z.strictObject({
  format: z.literal('svc/client-memory/v1'),
  realm: realmSchema,
  logs: z.array(rememberedLogSchema),
})
export type MemoryValue = z.infer<typeof memoryValueSchema>

const looseValueSchema = answerSchema(memoryValueSchema)
const looseLogSchema = answerSchema(rememberedLogSchema)

/** Members of entries that this SDK does not know are kept: they are signed. */
export function readMemoryValue(value: unknown): MemoryValue {
  return looseValueSchema.parse(value)
}

/** A log as it was kept: `{ name, pieces, pending }`. */
export function readStoredLog(value: unknown): Remembered {
  const { name, ...log } = storedSchema.parse(value)
  const { kind, of, pieces, pending } = looseLogSchema.parse({ ...name, ...log })
  return { name: { kind, of }, pieces, pending }
}

const storedSchema = z.object({
  name: z.object({ kind: z.string(), of: z.string() }),
  pieces: z.unknown(),
  pending: z.unknown(),
})
