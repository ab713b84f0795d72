/**
 * A secret of an application, encrypted on the device under a key from sign-in. Nobody without that key can read it.
 *
 * @module
 */
import * as z from 'zod'
import { base64urlOf, base64urlSchema } from '../base/base64url.ts'
import { pure } from '../base/pure.ts'

export const MAX_LOCAL_SECRET_BYTES = 4096
/** Of AES-GCM. */
const TAG_BYTES = 16

export const locallyWrappedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      type: z.literal('svc/local-wrap/v1'),
      application: z.string().min(1).max(200),
      saltB64u: base64urlOf(32),
      nonceB64u: base64urlOf(12),
      ciphertextB64u: base64urlSchema(MAX_LOCAL_SECRET_BYTES + TAG_BYTES),
    })
    .meta({ id: 'LocallyWrapped' }),
)
export type LocallyWrapped = z.infer<typeof locallyWrappedSchema>

/** Of the JSON of a wrapped secret that is kept with a passkey: room for a secret of about 2,700 bytes. */
export const MAX_KEPT_SECRET_BYTES = 4 * 1024
