import { hashSchema } from '@svc/protocol/base/hash'
import { didSchema } from '@svc/protocol/base/identity'
import { realmSchema } from '@svc/protocol/base/realm'
import { envelopeOf } from '@svc/protocol/http/envelope'
import { noteHeaderSchema, preparedHeaderSchema, prepareHeaderRequestSchema } from '@svc/protocol/notes/headers'
import * as z from 'zod'

/** From the header and content of a note to its ciphertext. */
const noteVectorSchema = z.strictObject({
  header: noteHeaderSchema,
  realm: realmSchema,
  did: didSchema,
  content: z.strictObject({
    title: z.string(),
    body: z.string(),
    tags: z.array(z.string()),
    attachments: z.array(z.never()),
  }),
  sharedSecretHex: z.string(),
  wrappingKeyHex: z.string(),
  keyHash: hashSchema,
  dataKeyHex: z.string(),
  wrappedB64u: z.string(),
  aadB64u: z.string(),
  nonceB64u: z.string(),
  ciphertextB64u: z.string(),
  cipherHash: z.string(),
})

/** The schemas of the examples about notes. */
export const NOTE_SCHEMAS: Record<string, z.ZodType> = {
  'note-vector': noteVectorSchema,
  'prepare-header': prepareHeaderRequestSchema,
  'prepared-header': envelopeOf(preparedHeaderSchema),
}
