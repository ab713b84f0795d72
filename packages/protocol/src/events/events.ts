/**
 * The event feed of an identity (workers/docs/pages/developer/events.md): what happened to it at core, in order. Each
 * event names the hash of the one before it, and has a number in its family. Each page is signed. So a reader who
 * remembers the last event it saw notices one that is missing, changed or put in between (`page-fault.ts`).
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
      'hook.removing',
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

/** The part of a kind before its first dot: events are numbered and kept by family, so that none pushes out another. */
export function familyOf(kind: string): string {
  return kind.split('.', 1)[0] ?? ''
}

/** Events of these decide who holds the identity. None of the newest 200 is ever deleted or merged, so readers count them. */
export const COUNTED_FAMILIES = ['rotation', 'deactivation', 'device'] as const
/** Repeated ones become one event with a count, and the newest 200 are kept. */
export const MERGED_FAMILIES = ['hold', 'hook'] as const
/** Events of each family that are kept: those of 60 days in the other families, of any age in these five. */
export const KEPT_OF_FAMILY = 200
/** As long as a key of a device has standing, and as long again. */
export const EVENT_DAYS = 60
/** What is repeated in this time becomes one event. */
export const MERGE_HOURS = 24
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
      sequence: z.int().min(1).meta({ description: 'Counts all events from 1' }),
      kind: kindSchema.meta({
        description: `One of ${EVENT_KINDS.map((kind) => `\`${kind}\``).join(', ')}; a later version may add others`,
        example: 'hold.placed',
      }),
      nth: z.int().min(1).meta({
        description: 'Counts from 1 in its family: the kinds with the same first part, such as `hold`',
      }),
      ref: z.string().max(128).meta({
        description:
          'What it is about: a rotation id, a device id, who placed or lifted a hold (`root` or a device id), a hook id, a message id, an anchor id, a grant id',
      }),
      at: z.int().min(0).meta({ description: 'When it happened, epoch ms' }),
      countsAt: z.int().min(0).optional().meta({
        description: 'When the device gains standing, epoch ms; absent if it is not waiting for standing',
      }),
      count: z.int().min(2).optional().meta({
        description: 'How many events of 24 hours this one stands for, itself included; absent for 1',
      }),
      since: z.int().min(0).optional().meta({ description: 'When the first of them happened, epoch ms' }),
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

const eventHeadSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      sequence: sequenceSchema,
      hash: hashSchema,
      kinds: z
        .object({ rotation: sequenceSchema, deactivation: sequenceSchema, device: sequenceSchema })
        .catchall(sequenceSchema)
        .meta({ description: 'The newest number (`nth`) of each family; 0 for these three while they have no event' }),
    })
    .meta({ id: 'EventHead', description: 'The newest event; 0 and zeros while there is none' }),
)
export type EventHead = z.infer<typeof eventHeadSchema>

export const eventPageSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/event-page/v1', {
    did: didSchema,
    after: sequenceSchema.meta({ description: 'The cursor of the request' }),
    events: z.array(feedEventSchema).max(MAX_EVENT_PAGE).meta({ description: 'In order, those after the cursor' }),
    missed: z.int().min(0).meta({
      description:
        'Events that core has deleted or merged since the cursor. The page accounts for the numbers up to `after` + `missed` + the length of `events`',
    }),
    head: eventHeadSchema,
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
