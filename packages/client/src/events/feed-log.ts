import { COUNTED_FAMILIES, type EventPage, feedEventHash, type SignedEventPage } from '#protocol/events/events'
import { type EventPlace, pageFault, placeAfter } from '#protocol/events/page-fault'
import type { LogName, Piece, Place } from '../memory/errors.ts'
import type { Extension, Log } from '../memory/extension.ts'

type PagePiece = Piece<SignedEventPage>

export function feedName(did: string): LogName {
  return { kind: 'events', of: did }
}

export function headPiece(signed: SignedEventPage): PagePiece {
  const { sequence, hash } = signed.statement.head
  return { position: sequence, hash, signed }
}

/** A remembered piece that a page contradicts, with what the page has in its place; null if there is none. */
export function contradictionIn(
  signed: SignedEventPage,
  remembered: readonly PagePiece[],
): { readonly remembered: PagePiece; readonly received: PagePiece } | null {
  const places = placesOf(signed.statement)
  for (const piece of remembered) {
    const hash = places.get(piece.position)
    if (hash !== undefined && hash !== piece.hash)
      return { remembered: piece, received: { position: piece.position, hash, signed } }
    if (hasFewer(signed.statement, piece)) return { remembered: piece, received: headPiece(signed) }
  }
  return null
}

/** Whether a page that is as new as what is remembered counts fewer events that decide. */
function hasFewer({ head }: EventPage, { position, signed }: PagePiece): boolean {
  const { kinds } = signed.statement.head
  return head.sequence >= position && COUNTED_FAMILIES.some((family) => head.kinds[family] < kinds[family])
}

/**
 * The feed of an identity for the rule of memory: the position is the number of an event, and what is signed is the page
 * that names it. `shown` is the page at hand; `read` returns a page with a verified signature.
 */
export function feedLog(
  did: string,
  shown: { readonly signed: SignedEventPage; readonly after: EventPlace },
  read: (after: EventPlace) => Promise<SignedEventPage>,
): Log<SignedEventPage> {
  return {
    name: feedName(did),
    show: () => Promise.resolve(shown.signed),
    extend: (remembered, claimed) => extend(remembered, claimed, shown, read),
  }
}

/** Reads on from the oldest remembered place. What core deleted in between, each page says by `missed`. */
async function extend(
  remembered: readonly PagePiece[],
  claimed: Place,
  shown: { readonly signed: SignedEventPage; readonly after: EventPlace },
  read: (after: EventPlace) => Promise<SignedEventPage>,
): Promise<Extension<SignedEventPage>> {
  const newest: PagePiece = { ...claimed, signed: shown.signed }
  const [oldest] = remembered
  if (!oldest) return { kind: 'extends', piece: newest }
  const isCovered = shown.after.sequence <= oldest.position
  let page = isCovered ? shown : await nextPage(placeOf(oldest), read)
  for (;;) {
    const contradiction = contradictionIn(page.signed, [...remembered, newest])
    if (contradiction) return { kind: 'fork', ...contradiction }
    const place = placeAfter(page.signed.statement, page.after)
    if (place.sequence >= claimed.position) return { kind: 'extends', piece: newest }
    const next = await nextPage(place, read)
    const { statement } = next.signed
    const isOlder = pageFault(statement, place) !== null || placeAfter(statement, place).sequence === place.sequence
    if (isOlder) return { kind: 'unproved', remembered: null, received: headPiece(next.signed) }
    page = next
  }
}

/** What is remembered is the head of its page. */
const placeOf = ({ signed }: PagePiece): EventPlace => signed.statement.head

async function nextPage(after: EventPlace, read: (after: EventPlace) => Promise<SignedEventPage>) {
  return { signed: await read(after), after }
}

/** Every place that a page names. */
function placesOf({ events, head }: EventPage): ReadonlyMap<number, string> {
  const places = new Map([[head.sequence, head.hash]])
  for (const event of events) {
    places.set(event.sequence - 1, event.previousHash)
    places.set(event.sequence, feedEventHash(event))
  }
  return places
}
