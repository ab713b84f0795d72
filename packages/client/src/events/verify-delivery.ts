import { bytesOf } from '#protocol/base/base64url'
import type { Realms } from '#protocol/base/realm'
import { verifyStatement } from '#protocol/base/statement'
import { type FeedEvent, feedEventHash, type SignedEventPage, signedEventPageSchema } from '#protocol/events/events'
import { type SignedEventChallenge, signedEventChallengeSchema } from '#protocol/events/hooks'
import { type EventPlace, endOf, pageFault, placeAfter } from '#protocol/events/page-fault'
import { checkCall, type Members } from '../arguments/check.ts'
import { safely, type Verified } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'

/** What the receiver of a web hook knows. */
export interface ExpectedDelivery {
  /** Whose hook it is. */
  readonly did: string
  /** The address as it was given to core. */
  readonly url: string
  readonly realms: Realms
  /** Core’s receipt key, as published by discovery. */
  readonly receiptKeyB64u: string
  /** `place` of the last delivery that was handled; default: the delivery is the first. */
  readonly after?: EventPlace
  /** The receiver’s clock, epoch ms; default: now. */
  readonly now?: number
  /** How old a delivery may be; default 300 seconds. */
  readonly maxAgeSeconds?: number
}

/** A challenge, to be answered with status 200 and `answer` as JSON; or events that were not handled yet. */
export type Delivery =
  | {
      readonly kind: 'challenge'
      readonly hookId: string
      readonly answer: { readonly did: string; readonly challenge: string }
    }
  | {
      readonly kind: 'events'
      /** Those after `after`. Empty if the delivery was handled before. */
      readonly events: readonly FeedEvent[]
      /** Events before these that core has deleted. */
      readonly missed: number
      /** Store it with what you did, as `after` of the next delivery. */
      readonly place: EventPlace
    }

const MAX_AGE_SECONDS = 300

const EXPECTED: Members<ExpectedDelivery> = {
  did: 1,
  url: 1,
  realms: 1,
  receiptKeyB64u: 1,
  after: 0,
  now: 0,
  maxAgeSeconds: 0,
}

/**
 * Returns what the body of a web hook’s request says, once it is verified. Offline. Throws a `VerificationError` if core
 * did not sign it lately for this identity, or if it does not continue what was handled before. `body` is the parsed JSON.
 */
export async function verifyDelivery(body: unknown, expected: ExpectedDelivery): Promise<Delivery> {
  checkCall('verifyDelivery', [body, expected], ['body?', ['expected', EXPECTED]])
  const challenge = signedEventChallengeSchema.safeParse(body)
  if (challenge.success) return answerTo(challenge.data, expected)
  const page = signedEventPageSchema.safeParse(body)
  if (!page.success)
    throw unverified('events', 'malformed', 'The body is neither a challenge nor a page of events', { evidence: body })
  return eventsIn(page.data, expected)
}

/** `verifyDelivery` as a result. */
export function safeVerifyDelivery(body: unknown, expected: ExpectedDelivery): Promise<Verified<Delivery>> {
  return safely(() => verifyDelivery(body, expected))
}

async function answerTo(signed: SignedEventChallenge, expected: ExpectedDelivery): Promise<Delivery> {
  await checkSigned(signed, expected)
  const { hookId, url, challenge } = signed.statement
  if (url !== URL.parse(expected.url)?.href)
    throw unverified('events', 'different_answer', 'The challenge is for another address', { evidence: signed })
  return { kind: 'challenge', hookId, answer: { did: expected.did, challenge } }
}

async function eventsIn(signed: SignedEventPage, expected: ExpectedDelivery): Promise<Delivery> {
  await checkSigned(signed, expected)
  const { did, after, events } = signed.statement
  const fail = (reason: 'wrong_identity' | 'left_out' | 'fork', message: string) =>
    unverified('events', reason, message, { evidence: { after: expected.after, received: signed } })
  if (did !== expected.did) throw fail('wrong_identity', 'The events are of another identity')
  const unknown = { sequence: after, hash: null, kinds: {} }
  const handled = expected.after ?? unknown
  if (handled.sequence < after) throw fail('left_out', 'Events before this delivery were not delivered')
  const seen = handled.sequence === after ? handled : unknown
  const fault = pageFault(signed.statement, seen)
  if (fault) throw fail(fault === 'fork' ? 'fork' : 'left_out', 'The events do not follow what was delivered before')
  const same = events.find(({ sequence }) => sequence === handled.sequence)
  if (same && handled.hash !== null && feedEventHash(same) !== handled.hash)
    throw fail('fork', 'The events are others than were delivered before')
  const news = events.filter(({ sequence }) => sequence > handled.sequence)
  const end = endOf(signed.statement)
  const place = expected.after && end <= handled.sequence ? expected.after : placeAfter(signed.statement, handled)
  return { kind: 'events', events: news, missed: Math.max(0, end - handled.sequence - news.length), place }
}

async function checkSigned(
  signed: SignedEventChallenge | SignedEventPage,
  { realms, receiptKeyB64u, now = Date.now(), maxAgeSeconds = MAX_AGE_SECONDS }: ExpectedDelivery,
): Promise<void> {
  const isSigned = await verifyStatement(signed, bytesOf(receiptKeyB64u), realms)
  if (!isSigned) throw unverified('events', 'invalid_signature', 'Core did not sign the delivery', { evidence: signed })
  if (Math.abs(now - signed.statement.issuedAt) > maxAgeSeconds * 1000)
    throw unverified('events', 'expired', 'The delivery was signed too long ago', { evidence: signed })
}
