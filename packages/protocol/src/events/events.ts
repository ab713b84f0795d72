/**
 * The event feed of an identity (workers/docs/pages/developer/events.md): what happened to it at core, in order. Each
 * event names the hash of the one before it, and each page is signed, so that a reader who remembers the last event it
 * saw notices one that is missing, changed or put in between.
 *
 * @module
 */
import * as z from 'zod'
import { hashHex, hashSchema } from '../base/hash.ts'
import { didSchema, publicKeySchema } from '../base/identity.ts'
import { jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import { signedSchema, statementSchema } from '../base/statement.ts'

const CHANGES = ['pending', 'contested', 'frozen', 'cancelled', 'displaced', 'disputed', 'active'] as const
export type ChangeState = (typeof CHANGES)[number]

/** Acts that are written elsewhere, by the service that tells the identity's object afterwards. */
export const REPORTED_BY = {
  core: ['inbox.message', 'anchor.published', 'anchor.confirmed', 'anchor.withheld'],
  keys: ['package.published', 'package.revoked'],
  pay: ['payment.paid', 'payment.refunded', 'payment.ended'],
} as const
export type ReportedKind = (typeof REPORTED_BY)[keyof typeof REPORTED_BY][number]

export const EVENT_KINDS = /* @__PURE__ */ pure(
  () =>
    [
      ...CHANGES.map((state) => `rotation.${state}` as const),
      ...CHANGES.map((state) => `deactivation.${state}` as const),
      'device.attested',
      'device.changed',
      'device.suspended',
      'device.resumed',
      'device.revoked',
      'hold.placed',
      'hold.lifted',
      'hook.added',
      'hook.removed',
      'hook.disabled',
      ...REPORTED_BY.core,
      ...REPORTED_BY.keys,
      ...REPORTED_BY.pay,
    ] as const,
)
export type EventKind = (typeof EVENT_KINDS)[number]
/** A kind that a later version of core writes. */
export type OtherKind = string & Record<never, never>

/** What the first event names as the one before it. */
export const NO_EVENT_HASH = /* @__PURE__ */ pure(() => '0'.repeat(96))

/** As long as a key of a device has standing, and as long again. */
export const EVENT_DAYS = 60
export const MAX_EVENT_PAGE = 100
export const DEFAULT_EVENT_PAGE = 50
/** Below the time after which proxies give up on an idle request. */
export const MAX_EVENT_WAIT_SECONDS = 25
/** Requests that wait at once for one identity: a few devices of the owner, each with a few windows. */
export const MAX_EVENT_WAITERS = 16
/** Of them, requests of one key. The next one takes the place of its oldest, whose client may have left. */
export const MAX_KEY_WAITERS = 4

const sequenceSchema = /* @__PURE__ */ pure(() => z.int().min(0))
const KIND_PATTERN = /^[a-z][a-z0-9-]{0,31}(\.[a-z][a-z0-9-]{0,31}){1,2}$/
const kindSchema: z.ZodType<EventKind | OtherKind> = /* @__PURE__ */ pure(() => z.string().regex(KIND_PATTERN))

export const feedEventSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      sequence: z.int().min(1).meta({ description: 'Counts from 1, without gaps' }),
      kind: kindSchema.meta({
        description: `One of ${EVENT_KINDS.map((kind) => `\`${kind}\``).join(', ')}; a later version may add others`,
        example: 'hold.placed',
      }),
      ref: z.string().max(128).meta({
        description:
          'What it is about: a rotation id, a device id, who placed or lifted a hold (`root` or a device id), a hook id, a message id, an anchor id, a grant id',
      }),
      at: z.int().min(0).meta({ description: 'When it happened, epoch ms' }),
      countsAt: z.int().min(0).optional().meta({
        description: 'When the device gains standing, epoch ms; absent if it is not waiting for standing',
      }),
      previousHash: hashSchema.meta({ description: 'Hash of the event before; zeros for the first' }),
    })
    .meta({ id: 'FeedEvent', description: 'Something that happened to an identity. It has no content and no names' }),
)
export type FeedEvent = z.infer<typeof feedEventSchema>
export type KnownEvent = FeedEvent & { readonly kind: EventKind }

/** Whether this version knows what kind of event it is. Others are in the hashes too, and are verified like these. */
export function isKnownEvent(event: FeedEvent): event is KnownEvent {
  return (EVENT_KINDS as readonly string[]).includes(event.kind)
}

export const eventPageSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/event-page/v1', {
    did: didSchema,
    after: sequenceSchema.meta({ description: 'The cursor of the request' }),
    events: z.array(feedEventSchema).max(MAX_EVENT_PAGE).meta({ description: 'In order, those after the cursor' }),
    missed: z.int().min(0).meta({ description: 'Events after the cursor that core has deleted' }),
    head: z
      .strictObject({ sequence: sequenceSchema, hash: hashSchema })
      .meta({ id: 'EventHead', description: 'The newest event; 0 and zeros while there is none' }),
  }).meta({ id: 'EventPage', description: 'A page of the event feed, signed by core’s receipt key' }),
)
export type EventPage = z.infer<typeof eventPageSchema>

export const signedEventPageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...signedSchema(eventPageSchema).shape,
      publicKeyB64u: publicKeySchema.meta({ description: 'Core’s receipt key, as published by discovery' }),
    })
    .meta({ id: 'SignedEventPage' }),
)
export type SignedEventPage = z.infer<typeof signedEventPageSchema>

/** SHA3-384 hex over the JCS bytes of the event. */
export function feedEventHash(event: FeedEvent): string {
  return hashHex(jcsBytes(event))
}

export interface EventPlace {
  readonly sequence: number
  readonly hash: string
}

export type FeedFault = 'other_cursor' | 'gap' | 'fork' | 'rolled_back'

/**
 * Why a page, whose signature is verified, does not continue what a reader saw last; null if it does. `seen` is the
 * place of its cursor; its hash is null if the reader does not know it.
 */
export function pageFault(
  { after, events, missed, head }: EventPage,
  seen: { readonly sequence: number; readonly hash: string | null },
): FeedFault | null {
  if (after !== seen.sequence) return 'other_cursor'
  if (head.sequence < after) return 'rolled_back'
  let last: { sequence: number; hash: string | null } = missed > 0 ? { sequence: after + missed, hash: null } : seen
  for (const event of events) {
    if (event.sequence !== last.sequence + 1) return 'gap'
    if (last.hash !== null && event.previousHash !== last.hash) return 'fork'
    last = { sequence: event.sequence, hash: feedEventHash(event) }
  }
  // A page that ends early has at least one event; an empty one says that there is nothing more.
  if (events.length === 0 && head.sequence !== last.sequence) return 'gap'
  if (head.sequence < last.sequence) return 'rolled_back'
  return head.sequence === last.sequence && last.hash !== null && head.hash !== last.hash ? 'fork' : null
}
