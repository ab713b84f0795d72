import { replyKeySchema } from '@svc/client/functions'
import { envelopeOf } from '@svc/protocol/http/envelope'
import * as inbox from '@svc/protocol/inbox/inbox'
import { contactReplySchema } from '@svc/protocol/inbox/reply'
import { assetIdSchema } from '@svc/protocol/ledger/assets'
import * as z from 'zod'

/** Of the page on the inbox. */
export const INBOX_SCHEMAS: Record<string, z.ZodType> = {
  'code-resent': envelopeOf(inbox.codeResentSchema),
  'contact-context': z.strictObject({
    type: z.literal('svc/contact/v1'),
    requestId: inbox.contactRequestIdSchema,
    assetId: assetIdSchema,
    kemKeyId: inbox.kemKeyIdSchema,
  }),
  'contact-delivered': envelopeOf(inbox.contactDeliveredSchema),
  'contact-message': inbox.contactMessageSchema,
  'contact-opened': envelopeOf(inbox.contactOpenedSchema),
  'contact-reply': contactReplySchema,
  'contact-request': inbox.contactRequestSchema,
  'inbox-page': envelopeOf(inbox.inboxPageSchema),
  'inbox-settings': inbox.inboxSettingsSchema,
  'message-deleted': envelopeOf(inbox.messageDeletedSchema),
  'message-read': envelopeOf(inbox.messageReadSchema),
  'reply-key': replyKeySchema,
  'resend-otp': inbox.resendCodeSchema,
  'verify-otp': inbox.verifyContactSchema,
}
