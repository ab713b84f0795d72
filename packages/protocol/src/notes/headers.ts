/** Deterministic header preparation (workers/docs/pages/developer/notes.md). */

import * as z from 'zod'
import { sha3_384 } from '#pqc/sha3'
import { encodeBase64url } from '../base/base64url.ts'
import { userIdSchema } from '../base/identity.ts'
import { jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'

/** JCS throws on a lone surrogate, which has no UTF-8 form. Rejecting it here yields a 400 instead of a 500. */
const textOf = (minChars: number, maxChars: number) =>
  z
    .string()
    .min(minChars)
    .max(maxChars)
    .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
const name = /* @__PURE__ */ textOf(1, 1024)

/** `z.record` drops a member named __proto__; the digest would then not cover what was sent, so it is rejected. */
function refuseProto(value: unknown, context: z.core.$RefinementCtx): unknown {
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')) {
    context.addIssue({ code: 'custom', message: 'must not have a member __proto__' })
  }
  return value
}

export const noteHeaderSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      userId: userIdSchema,
      noteId: name,
      deviceId: name,
      operation: z.enum(['create', 'update', 'delete', 'attach']),
      contentType: textOf(1, 255),
      contentLength: z.int().min(0),
      timestamp: z.iso.datetime({ error: 'must be RFC 3339 in UTC with a Z suffix' }).max(64),
      app: z.strictObject({ name: textOf(1, 255), version: textOf(1, 255) }),
      ext: z
        .preprocess(refuseProto, z.record(textOf(0, 255), z.union([textOf(0, 4096), z.number(), z.boolean()])))
        .optional()
        .meta({ description: 'Values are strings, numbers or booleans' }),
    })
    .meta({ id: 'NoteHeader' }),
)
export type NoteHeader = z.infer<typeof noteHeaderSchema>

export const prepareHeaderRequestSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ header: noteHeaderSchema }).meta({ id: 'PrepareHeaderRequest' }),
)

export const preparedHeaderSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      header: noteHeaderSchema,
      aadB64u: z.string().meta({ description: 'Base64url of SHA3-384 over the JCS bytes of `header`' }),
      policyVersion: z.literal('v2'),
      aadHashAlg: z.literal('sha3-384'),
    })
    .meta({ id: 'PreparedHeader' }),
)
export type PreparedHeader = z.infer<typeof preparedHeaderSchema>

/** Computes the additional authenticated data of a note: base64url of SHA3-384 over JCS of its header. */
export function prepareHeader(header: NoteHeader): PreparedHeader {
  return { header, aadB64u: encodeBase64url(sha3_384(jcsBytes(header))), policyVersion: 'v2', aadHashAlg: 'sha3-384' }
}
