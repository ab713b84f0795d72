/**
 * The inbox (workers/docs/pages/developer/inbox.md): anyone who finds an asset can write to its owner. The browser seals
 * the message to the owner's keys; the service emails the sender a one-time code and cannot read the message.
 *
 * A sealed message is AES-256-GCM under a key that `contactPurpose` derives from the shared secret of ML-KEM-768 and X25519
 * and both ciphertexts. The additional data bind it to one request, asset and key. The plaintext is JCS of the message, the
 * byte 0x80, and zeros up to the next bucket, so that the length reveals little.
 *
 * @module
 */
import * as z from 'zod'
import { base64urlOf, base64urlSchema, decodeBase64url } from '../base/base64url.ts'
import { didSchema, publicKeySchema } from '../base/identity.ts'
import { jcsBytes } from '../base/jcs.ts'
import {
  hybridCiphertextShape,
  type KeyPurpose,
  signedKeyAgreementSchema,
  xWingPublicKeySchema,
} from '../base/key-agreement.ts'
import { pure } from '../base/pure.ts'
import { answerSchema } from '../http/answer-schema.ts'
import { assetIdSchema } from '../ledger/assets.ts'
import type { SignedMessage } from '../statements/message.ts'

/** Lengths of a padded message in bytes; sealing adds a 16-byte tag. */
export const CONTACT_BUCKETS = [1024, 4096, 16_384, 65_536] as const
const GCM_TAG_BYTES = 16
const SEALED_LENGTHS = /* @__PURE__ */ pure(() => new Set(CONTACT_BUCKETS.map((bytes) => bytes + GCM_TAG_BYTES)))
const MAX_SEALED_MESSAGE_BYTES = 65_536 + GCM_TAG_BYTES

/** Lifetime of a code, wrong attempts per request, codes sent per request, and the minimum time between two of them. */
export const CONTACT_CODE_LIFETIME_MS = 10 * 60_000
export const MAX_CODE_ATTEMPTS = 5
export const MAX_CODE_SENDS = 3
export const RESEND_DELAY_MS = 30_000

/** Messages of 1.5 to 90 kB: 90 MB at most in one inbox. */
export const MAX_INBOX_MESSAGES = 1000
export const DEFAULT_INBOX_PAGE = 50
export const MAX_INBOX_PAGE = 100

/** 20 random bytes, then 40 that encrypt the owner's DID: only the deployment can tell them from random ones. */
export const CONTACT_REQUEST_ID_BYTES = 60
export const contactRequestIdSchema = /* @__PURE__ */ pure(() =>
  base64urlOf(CONTACT_REQUEST_ID_BYTES).meta({
    id: 'ContactRequestId',
    description: 'Id of a contact request, issued by the service. Opaque: it tells nothing about the owner',
  }),
)
export const kemKeyIdSchema = /* @__PURE__ */ pure(() =>
  base64urlOf(24).meta({
    id: 'KemKeyId',
    description: 'Base64url of the first 24 bytes of SHA3-384 over the raw ML-KEM-768 key',
  }),
)
export const messageIdSchema = /* @__PURE__ */ pure(() =>
  base64urlOf(16).meta({ id: 'MessageId', description: 'Id of a message in an inbox' }),
)

export const contactRequestSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      assetId: z.string().min(1).max(1024).meta({ description: 'The asset whose owner to contact' }),
      fromEmail: z.email('must be an address like name@example.org').max(254).meta({
        description: 'Receives the one-time code; deleted once the message is delivered or the code expires',
      }),
      challengeToken: z.string().min(1).max(2048).meta({ description: 'Token of the bot challenge, action `contact`' }),
    })
    .meta({ id: 'ContactRequest' }),
)
export type ContactRequest = z.infer<typeof contactRequestSchema>

const epochMs = (description: string) => z.number().meta({ description: `${description}, epoch ms` })
const codeTimes = /* @__PURE__ */ pure(() => ({
  requestId: contactRequestIdSchema,
  expiresAt: epochMs('When the code expires'),
  resendAfter: epochMs('Earliest time to request another code'),
  sendsLeft: z.int().min(0).meta({ description: 'How many more codes can be sent for this request' }),
}))

export const contactOpenedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...codeTimes,
      kemPublicB64u: signedKeyAgreementSchema.shape.statement.shape.publicKeyB64u,
      x25519B64u: signedKeyAgreementSchema.shape.statement.shape.x25519B64u,
      kemKeyId: kemKeyIdSchema,
      keyAgreement: signedKeyAgreementSchema.meta({
        description: 'The owner’s signed statement of the key; verify it before use',
      }),
      rootPublicKeyB64u: publicKeySchema.meta({ description: 'The root key that signed it' }),
      rootEpoch: z.int().min(0).meta({ description: 'Its epoch; if above 0, verify its descent with the key history' }),
    })
    .meta({ id: 'ContactOpened', description: 'A code has been sent; seal the message to these keys' }),
)
export type ContactOpened = z.infer<typeof contactOpenedSchema>

export const resendCodeSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ requestId: contactRequestIdSchema }).meta({ id: 'ResendCode' }),
)
export const codeResentSchema = /* @__PURE__ */ pure(() => z.strictObject(codeTimes).meta({ id: 'CodeResent' }))
export type CodeResent = z.infer<typeof codeResentSchema>

export const contactEnvelopeSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      kemKeyId: kemKeyIdSchema,
      kemCiphertextB64u: hybridCiphertextShape.kemCiphertextB64u,
      ephemeralB64u: hybridCiphertextShape.ephemeralB64u.optional().meta({
        description: 'X25519 part of the ciphertext. Without it, the message is sealed with ML-KEM-768 alone',
      }),
      nonceB64u: base64urlOf(12).meta({ description: 'AES-256-GCM nonce' }),
      ciphertextB64u: base64urlSchema(MAX_SEALED_MESSAGE_BYTES)
        .refine(
          (text) => SEALED_LENGTHS.has(decodeBase64url(text)?.length ?? 0),
          'must be the length of a padding bucket',
        )
        .meta({ description: '1,040, 4,112, 16,400 or 65,552 bytes: a padding bucket and the tag' }),
    })
    .meta({ id: 'ContactEnvelope', description: 'Sealed in the browser; opaque to the service' }),
)
export type ContactEnvelope = z.infer<typeof contactEnvelopeSchema>

export const oneTimeCodeSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[0-9]{6}$/, 'must be six digits')
    .meta({ id: 'OneTimeCode', description: 'Six digits from the email', example: '042917' }),
)

export const verifyContactSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ requestId: contactRequestIdSchema, code: oneTimeCodeSchema, envelope: contactEnvelopeSchema })
    .meta({ id: 'VerifyContact' }),
)
export type VerifyContact = z.infer<typeof verifyContactSchema>

export const contactDeliveredSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ requestId: contactRequestIdSchema, deliveredAt: epochMs('When the inbox received the message') })
    .meta({ id: 'ContactDelivered' }),
)
export type ContactDelivered = z.infer<typeof contactDeliveredSchema>

export const inboxMessageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      msgId: messageIdSchema,
      requestId: contactRequestIdSchema,
      assetId: assetIdSchema,
      envelope: contactEnvelopeSchema,
      receivedAt: epochMs('When it was received'),
      readAt: z.number().nullable().meta({ description: 'Epoch ms; null while unread' }),
    })
    .meta({ id: 'InboxMessage' }),
)
export type InboxMessage = z.infer<typeof inboxMessageSchema>

export const inboxPageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      did: didSchema,
      messages: z.array(inboxMessageSchema).meta({ description: 'Newest first; a page may have fewer than `limit`' }),
      next: z.string().nullable().meta({ description: 'Cursor of the next page; null at the end' }),
      total: z.int().min(0),
      unread: z.int().min(0),
    })
    .meta({ id: 'InboxPage' }),
)
export type InboxPage = z.infer<typeof inboxPageSchema>

export const CONTACT_SENDERS = ['anyone', 'contacts'] as const
export const inboxSettingsSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      acceptsFrom: z.enum(CONTACT_SENDERS).meta({
        description:
          'Who may write: `anyone` who passes the bot challenge and reads mail at an address; or `contacts`, whom the owner ' +
          'gave another way, so that contact requests are answered as if there were no owner',
      }),
    })
    .meta({ id: 'InboxSettings' }),
)
export type InboxSettings = z.infer<typeof inboxSettingsSchema>

export const messageReadSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ msgId: messageIdSchema, readAt: epochMs('When it was first marked as read') })
    .meta({ id: 'MessageRead' }),
)
export const messageDeletedSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ msgId: messageIdSchema, deleted: z.literal(true) }).meta({ id: 'MessageDeleted' }),
)

/** The plaintext. The service never sees it, so its only size limit is the largest bucket. */
export const contactMessageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      name: z.string(),
      email: z.string(),
      subject: z.string(),
      message: z.string(),
      assetId: assetIdSchema,
      sentAt: z.int().min(0).optional().meta({ description: 'The sender’s clock, epoch ms' }),
      replyKeyB64u: xWingPublicKeySchema.optional().meta({
        description: 'X-Wing key that the sender made for a sealed reply to this message: 1,216 bytes',
      }),
    })
    .meta({ id: 'ContactMessage', description: 'The plaintext, visible only to sender and owner' }),
)
export type ContactMessage = z.infer<typeof contactMessageSchema>

export interface ContactContext {
  readonly requestId: string
  readonly assetId: string
  readonly kemKeyId: string
}

/** What is sealed: a message to the owner, or the owner’s reply. */
export type ContactSealing = 'svc/contact/v1' | 'svc/contact-reply/v1'

/** The additional data of a sealed message. */
export function contactAad(
  { requestId, assetId, kemKeyId }: ContactContext,
  type: ContactSealing = 'svc/contact/v1',
): Uint8Array {
  return jcsBytes({ type, requestId, assetId, kemKeyId })
}

/** What the key of a sealed message is derived for: the same context as its additional data. */
export function contactPurpose(context: ContactContext, type: ContactSealing = 'svc/contact/v1'): KeyPurpose {
  return { label: type, info: contactAad(context, type) }
}

/** The message padded to the smallest bucket that fits; null if it exceeds the largest. */
export const padMessage = (message: ContactMessage): Uint8Array | null => padded(message)

/** Parses a padded message; null if it is not valid. */
export const unpadMessage = (bytes: Uint8Array): ContactMessage | null => unpadded(bytes, contactMessageSchema)

/** JSON padded to the smallest bucket that fits; null if it exceeds the largest. */
export function padded(value: ContactMessage | SignedMessage): Uint8Array | null {
  const bytes = jcsBytes(value)
  const bucket = CONTACT_BUCKETS.find((size) => bytes.length < size)
  if (bucket === undefined) return null
  const block = new Uint8Array(bucket)
  block.set(bytes)
  block[bytes.length] = 0x80
  return block
}

/** Parses padded JSON; null if it is not valid. */
export function unpadded<S extends z.ZodType>(block: Uint8Array, schema: S): z.output<S> | null {
  const end = block.findLastIndex((byte) => byte !== 0)
  if (block[end] !== 0x80) return null
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(block.subarray(0, end))
    return answerSchema(schema).parse(JSON.parse(text))
  } catch {
    return null
  }
}
