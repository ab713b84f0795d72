/**
 * How pages of the event feed follow each other (workers/docs/pages/developer/events.md). Pure: core appends by it, and
 * every reader checks by it.
 *
 * @module
 */
import {
  COUNTED_FAMILIES,
  type EventHead,
  type EventPage,
  type FeedEvent,
  familyOf,
  feedEventHash,
  KEPT_OF_FAMILY,
  NO_EVENT_HASH,
} from './events.ts'

/** The newest number of each family; one that is absent is not known. */
export type FamilyCounts = Readonly<Record<string, number>>

export const NO_FAMILIES = { rotation: 0, deactivation: 0, device: 0 } as const satisfies EventPage['head']['kinds']

/** Where a reader stands in the feed. */
export interface EventPlace {
  readonly sequence: number
  readonly hash: string
  readonly kinds: FamilyCounts
}

export const BEGINNING: EventHead = { sequence: 0, hash: NO_EVENT_HASH, kinds: NO_FAMILIES }

/** A place whose hash the reader may not know. */
export interface SeenPlace extends Omit<EventPlace, 'hash'> {
  readonly hash: string | null
}

/** The event of an act, and the place after it. */
export function following(
  { sequence, hash, kinds }: EventHead,
  act: Omit<FeedEvent, 'sequence' | 'nth' | 'previousHash'>,
): { readonly event: FeedEvent; readonly head: EventHead } {
  const nth = (numberOf(kinds, familyOf(act.kind)) ?? 0) + 1
  const event = { sequence: sequence + 1, nth, ...act, previousHash: hash }
  return {
    event,
    head: { sequence: event.sequence, hash: feedEventHash(event), kinds: { ...kinds, [familyOf(act.kind)]: nth } },
  }
}

/** The number of the last event that a page accounts for, shown or deleted. */
export function endOf({ after, events, missed }: Pick<EventPage, 'after' | 'events' | 'missed'>): number {
  return after + missed + events.length
}

/** Where the page after this one continues. */
export function placeAfter(page: EventPage, { kinds }: Pick<EventPlace, 'kinds'>): EventPlace {
  const { events, head } = page
  const last = events.at(-1)
  // A page that ends before the head has an event.
  if (!last || endOf(page) === head.sequence) return head
  const newest: Record<string, number> = { ...kinds }
  for (const { kind, nth } of events) newest[familyOf(kind)] = Math.max(nth, numberOf(newest, familyOf(kind)) ?? 0)
  return { sequence: last.sequence, hash: feedEventHash(last), kinds: newest }
}

export type FeedFault = 'other_cursor' | 'gap' | 'fork' | 'rolled_back'

/**
 * Why a page, whose signature is verified, does not continue what a reader saw last; null if it does. `seen` is the
 * place of its cursor.
 */
export function pageFault(page: EventPage, seen: SeenPlace): FeedFault | null {
  const { after, head } = page
  if (after !== seen.sequence) return 'other_cursor'
  if (head.sequence < Math.max(after, endOf(page))) return 'rolled_back'
  return linkFault(page, seen) ?? countFault(page, seen.kinds)
}

/** Numbers ascend, and hashes link where two of them follow each other. */
function linkFault(page: EventPage, seen: SeenPlace): FeedFault | null {
  const { events, head } = page
  const end = endOf(page)
  let last: Omit<SeenPlace, 'kinds'> = seen
  for (const event of events) {
    if (event.sequence <= last.sequence || event.sequence > end) return 'gap'
    const isNext = event.sequence === last.sequence + 1
    if (isNext && last.hash !== null && event.previousHash !== last.hash) return 'fork'
    last = { sequence: event.sequence, hash: feedEventHash(event) }
  }
  // A page that ends before the head ends with an event; otherwise it says that there is nothing more.
  if (end < head.sequence && (events.length === 0 || last.sequence !== end)) return 'gap'
  return head.sequence === last.sequence && last.hash !== null && head.hash !== last.hash ? 'fork' : null
}

/** The events that decide are all there, but for those that 200 newer ones of their family have pushed out. */
function countFault(page: EventPage, seen: FamilyCounts): FeedFault | null {
  for (const family of COUNTED_FAMILIES) {
    const newest = page.head.kinds[family]
    let last = numberOf(seen, family)
    for (const { kind, nth } of page.events) {
      if (familyOf(kind) !== family) continue
      if (nth > newest || (last !== null && nth <= last)) return 'fork'
      if (last !== null && nth > last + 1 && nth - 1 > newest - KEPT_OF_FAMILY) return 'gap'
      last = nth
    }
    if (last !== null && newest < last) return 'rolled_back'
    if (last !== null && last < newest && endOf(page) === page.head.sequence) return 'gap'
  }
  return null
}

/** A family may have the name of a member that every object inherits. */
function numberOf(kinds: FamilyCounts, family: string): number | null {
  return Object.hasOwn(kinds, family) ? (kinds[family] ?? null) : null
}
