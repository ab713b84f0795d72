/**
 * A sealed reply (workers/docs/pages/developer/inbox.md#a-sealed-reply): what the owner answers to a message that carries
 * a key for it. It travels outside the platform, by mail for example.
 *
 * @module
 */
import * as z from 'zod'
import { pure } from '../base/pure.ts'
import { assetIdSchema } from '../ledger/assets.ts'
import { type SignedMessage, signedMessageSchema } from '../statements/message.ts'
import { contactEnvelopeSchema, contactRequestIdSchema, padded, unpadded } from './inbox.ts'

export const contactReplySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      format: z.literal('svc/contact-reply/v1'),
      requestId: contactRequestIdSchema.meta({ description: 'Of the message that it answers' }),
      assetId: assetIdSchema,
      envelope: contactEnvelopeSchema.required({ ephemeralB64u: true }),
    })
    .meta({ id: 'ContactReply', description: 'An answer that only the sender of the message can read' }),
)
export type ContactReply = z.infer<typeof contactReplySchema>

/** The plaintext is a message that the owner’s root key signed, for the request that it answers. */
export const padReply = (signed: SignedMessage): Uint8Array | null => padded(signed)

/** Parses a padded reply; null if it is not valid. */
export function unpadReply(bytes: Uint8Array): SignedMessage | null {
  return unpadded(bytes, signedMessageSchema)
}
