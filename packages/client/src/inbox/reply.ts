/**
 * A sealed reply: the sender of a message makes a key for it, and the owner signs the answer and encrypts it to that key.
 *
 * @module
 */

import * as z from 'zod'
import { randomSeed, xWing } from '#pqc'
import { base64urlOf, bytesOf, encodeBase64url } from '#protocol/base/base64url'
import { didSchema } from '#protocol/base/identity'
import { hybridKeyOf, kemKeyId, xWingPublicKeySchema } from '#protocol/base/key-agreement'
import { pure } from '#protocol/base/pure'
import type { Realms } from '#protocol/base/realm'
import type { EpochKey } from '#protocol/chain/chain'
import { type ContactContext, contactRequestIdSchema } from '#protocol/inbox/inbox'
import { type ContactReply, contactReplySchema, padReply, unpadReply } from '#protocol/inbox/reply'
import { assetIdSchema } from '#protocol/ledger/assets'
import { readMessage, type SignedMessage } from '#protocol/statements/message'
import { unwrapperOf } from '../identity/unwrapper.ts'
import { unverified } from '../verification/verification-error.ts'
import { openPadded, sealPadded } from './contact-sealing.ts'

export const REPLY_SEED_BYTES = 32

export const replyKeySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    format: z.literal('svc/reply-key/v1'),
    requestId: contactRequestIdSchema,
    assetId: assetIdSchema,
    owner: didSchema,
    publicKeyB64u: xWingPublicKeySchema,
    seedB64u: base64urlOf(REPLY_SEED_BYTES),
  }),
)
/** What the sender of a message keeps to open the reply. Its seed is secret. */
export type ReplyKey = z.infer<typeof replyKeySchema>

/** An answer that was opened: the owner's root key signed it for this message. */
export interface OpenedReply {
  readonly text: string
  /** The owner's clock, epoch milliseconds. */
  readonly issuedAt: number
}

export async function newReplyKey(about: Pick<ReplyKey, 'requestId' | 'assetId' | 'owner'>): Promise<ReplyKey> {
  const seed = randomSeed(REPLY_SEED_BYTES)
  const publicKeyB64u = encodeBase64url(await xWing.publicKeyOf(seed))
  return { format: 'svc/reply-key/v1', ...about, publicKeyB64u, seedB64u: encodeBase64url(seed) }
}

/** Throws a RangeError for an answer that, signed, is longer than the largest bucket. */
export async function sealReply(
  signed: SignedMessage,
  replyKeyB64u: string,
  about: Omit<ContactContext, 'kemKeyId'>,
): Promise<ContactReply> {
  const key = hybridKeyOf(bytesOf(replyKeyB64u))
  const context = { ...about, kemKeyId: kemKeyId(key.kemPublicKeyB64u) }
  const envelope = await sealPadded('svc/contact-reply/v1', padReply(signed), { key, context })
  return { format: 'svc/contact-reply/v1', ...about, envelope }
}

/** Throws a `VerificationError` unless it is sealed to this key, and signed by the owner's current root key. */
export async function openReply(
  reply: unknown,
  kept: ReplyKey,
  { keys, realms }: { readonly keys: readonly EpochKey[]; readonly realms: Realms },
): Promise<OpenedReply> {
  const parsed = contactReplySchema.safeParse(reply)
  const { requestId, assetId, owner, publicKeyB64u, seedB64u } = kept
  if (!parsed.success) throw unverified('contact', 'malformed', 'This is not a sealed reply')
  if (parsed.data.requestId !== requestId || parsed.data.assetId !== assetId)
    throw unverified('contact', 'mismatch', 'The reply answers another message')
  const holder = { unwrap: unwrapperOf(bytesOf(seedB64u)) }
  const { kemPublicKeyB64u } = hybridKeyOf(bytesOf(publicKeyB64u))
  const context = { requestId, assetId, kemKeyId: kemKeyId(kemPublicKeyB64u) }
  const opened = await openPadded('svc/contact-reply/v1', parsed.data.envelope, { holder, context })
  const signed = opened && unpadReply(opened)
  if (!signed)
    throw unverified('contact', 'modified', 'The reply was encrypted for another key or message, or it was modified')
  const content = signed.statement.text ?? ''
  const read = await readMessage(signed, { did: owner, keys, audience: requestId, realms, content })
  if (!read.ok)
    throw unverified('contact', read.error, `The owner did not sign this reply: ${read.error}`, { evidence: signed })
  return { text: content, issuedAt: signed.statement.issuedAt }
}
