/**
 * Which times the daily comparison with the provider's list of events covers.
 *
 * @module
 */
import { DAY_MS } from '../entitlements/rules.ts'

/** The provider lists the events of 30 days. */
const LISTED_MS = 30 * DAY_MS
/** A day is compared twice: an event may appear in the list after later ones. */
const OVERLAP_MS = DAY_MS
/** Compared and recorded at once. */
const SPAN_MS = 6 * 3_600_000

export interface Span {
  readonly from: number
  readonly until: number
}

/** The times to compare, oldest first, in seconds of the provider. */
export function spansOf(comparedUntil: number | null, now: number): Span[] {
  const end = Math.floor(now / 1000) * 1000
  const spans: Span[] = []
  let from = Math.max(end - LISTED_MS, (comparedUntil ?? 0) - OVERLAP_MS)
  while (from < end) {
    const until = Math.min(from + SPAN_MS, end)
    spans.push({ from, until })
    from = until
  }
  return spans
}
