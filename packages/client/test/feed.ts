/** Events and pages of a feed, as an honest core has them. */
import { type EventHead, type EventPage, type FeedEvent, familyOf, feedEventHash } from '@svc/protocol/events/events'
import { BEGINNING, following } from '@svc/protocol/events/page-fault'
import { NOW } from './lies/situation.ts'
import { REALM } from './realm.ts'

/** One after the other. */
export function chained(kinds: readonly string[], members: object = {}): FeedEvent[] {
  let place = BEGINNING
  return kinds.map((kind) => {
    const { event, head } = following(place, { kind, ref: 'root', at: NOW, ...members })
    place = head
    return event
  })
}

export function headOf(events: readonly FeedEvent[]): EventHead {
  const last = events.at(-1)
  if (!last) return BEGINNING
  const kinds: Record<string, number> = { ...BEGINNING.kinds }
  for (const { kind, nth } of events) kinds[familyOf(kind)] = nth
  return { sequence: last.sequence, hash: feedEventHash(last), kinds: kinds as EventHead['kinds'] }
}

/** What core answers to a cursor that has kept only the events from `oldest` on. */
export function pageOf(
  did: string,
  events: readonly FeedEvent[],
  { after, limit = 100, oldest = 1 }: { readonly after: number; readonly limit?: number; readonly oldest?: number },
): EventPage {
  const kept = events.filter(({ sequence }) => sequence > after && sequence >= oldest)
  const shown = kept.slice(0, limit)
  const head = headOf(events)
  const end = shown.length < kept.length ? (shown.at(-1)?.sequence ?? after) : Math.max(after, head.sequence)
  const missed = end - after - shown.length
  return { type: 'svc/event-page/v1', realm: REALM, did, after, events: shown, missed, head, issuedAt: NOW }
}
