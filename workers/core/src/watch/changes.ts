/**
 * Rule R18: changes of standing, and how many devices are active or have standing. Pure; time is passed in.
 *
 * @module
 */
import type { StandingChange } from '@svc/protocol/chain/watch'
import { countsAt, hasStanding, type Span, type StandingTimes } from '../rotation/standing-rules.ts'

/** Spans by device, oldest first. */
export type Spans = ReadonlyMap<string, readonly Span[]>

/** Counts the active devices, and the devices with standing, including lost ones. */
export function countWatched(spans: Spans, now: number, times: StandingTimes): { active: number; standing: number } {
  const all = [...spans.values()]
  return {
    active: all.filter((of) => of.some(({ until }) => until === null)).length,
    standing: all.filter((of) => hasStanding(of, now, times)).length,
  }
}

/**
 * Returns the changes of the last window, and devices that wait longer for standing, oldest first. Lists only the newest
 * change of each kind per device, so that a thief cannot push one out by repeating it.
 */
export function standingChanges(spans: Spans, now: number, times: StandingTimes): StandingChange[] {
  return [...spans]
    .flatMap(([deviceId, own]) => {
      const changes = [addedOf(own, now, times), cosignLostOf(own, now, times), lostOf(own, now, times)]
      return changes.flatMap((change) => (change ? [{ deviceId, ...change }] : []))
    })
    .toSorted((a, b) => a.at - b.at || (a.deviceId < b.deviceId ? -1 : 1))
}

type Change = Omit<StandingChange, 'deviceId'> | null

/** A device that lost the right to co-sign while it waited for standing still waits, by its span without that right. */
function addedOf(own: readonly Span[], now: number, times: StandingTimes): Change {
  const losesCosign = lossesOfCosign(own)
  const added = own.findLastIndex((span) => !losesCosign(span))
  const spans = added < 0 ? [] : own.slice(added)
  const [first, last] = [spans[0], spans.at(-1)]
  if (!first || !last) return null
  const counting = spans.find((span) => span.until === null || span.until >= countsAt(span, times))
  const counts = counting ? countsAt(counting, times) : null
  const isWaiting = counts !== null && counting?.until === null && now < counts
  const { since: at } = first
  if (!isWaiting && !isRecent(at, now, times)) return null
  return { kind: 'device_added', cosigns: last.cosigns, at, countsAt: counts, countsUntil: null }
}

function cosignLostOf(own: readonly Span[], now: number, times: StandingTimes): Change {
  const newest = own.findLast(lossesOfCosign(own))
  if (!newest || !isRecent(newest.since, now, times)) return null
  const cosigning = own.filter(({ cosigns }) => cosigns)
  const [at, countsUntil] = [newest.since, lastsUntil(cosigning, now, times)]
  return { kind: 'cosign_lost', cosigns: false, at, countsAt: null, countsUntil }
}

function lostOf(own: readonly Span[], now: number, times: StandingTimes): Change {
  if (own.some(({ until }) => until === null)) return null
  const at = Math.max(...own.map(({ until }) => until ?? 0))
  if (!isRecent(at, now, times)) return null
  const cosigns = own.some((span) => span.cosigns && span.until === at)
  return { kind: 'device_lost', cosigns, at, countsAt: null, countsUntil: lastsUntil(own, now, times) }
}

/** Returns a test for spans that begin where a span with the right to co-sign ended, but do not have that right. */
function lossesOfCosign(own: readonly Span[]): (span: Span) => boolean {
  const ends = new Set(own.flatMap(({ cosigns, until }) => (cosigns && until !== null ? [until] : [])))
  return ({ since, cosigns }) => !cosigns && ends.has(since)
}

/** Returns when the standing from these ended spans ends; null if they give none now. */
function lastsUntil(ended: readonly Span[], now: number, times: StandingTimes): number | null {
  const ends = ended
    .flatMap((span) =>
      span.until !== null && span.until >= countsAt(span, times) ? [span.until + times.standingMs] : [],
    )
    .filter((end) => end > now)
  return ends.length > 0 ? Math.max(...ends) : null
}

function isRecent(at: number, now: number, { windowMs }: StandingTimes): boolean {
  return now - at < windowMs
}
