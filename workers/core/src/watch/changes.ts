/**
 * R18: what gives or takes standing, and how many devices count. Pure; time is passed in.
 *
 * @module
 */
import type { StandingChange } from '@svc/protocol/chain/watch'
import { countsAt, hasStanding, type Span, type StandingTimes } from '../rotation/standing-rules.ts'

/** By device, each in the order of time. */
export type Spans = ReadonlyMap<string, readonly Span[]>

/** Devices that are active, and those with standing, also if they were lost. */
export function countWatched(spans: Spans, now: number, times: StandingTimes): { active: number; standing: number } {
  const all = [...spans.values()]
  return {
    active: all.filter((of) => of.some(({ until }) => until === null)).length,
    standing: all.filter((of) => hasStanding(of, now, times)).length,
  }
}

/**
 * What happened in the last window, and devices that wait to count for longer. For each device the newest of each kind, so
 * that no thief pushes one out by repeating it. The oldest first.
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

function addedOf(own: readonly Span[], now: number, times: StandingTimes): Change {
  const newest = own.findLast((span) => !losesCosign(span, own))
  if (!newest) return null
  const { since: at, until } = newest
  const counts = countsAt(newest, times)
  const isWaiting = until === null && now < counts
  if (!isWaiting && !isRecent(at, now, times)) return null
  const everCounts = until === null || until >= counts
  const { cosigns } = newest
  return { kind: 'device_added', cosigns, at, countsAt: everCounts ? counts : null, countsUntil: null }
}

function cosignLostOf(own: readonly Span[], now: number, times: StandingTimes): Change {
  const newest = own.findLast((span) => losesCosign(span, own))
  if (!newest || !isRecent(newest.since, now, times)) return null
  const cosigning = own.filter(({ cosigns }) => cosigns)
  const [at, countsUntil] = [newest.since, lastsUntil(cosigning, times)]
  return { kind: 'cosign_lost', cosigns: false, at, countsAt: null, countsUntil }
}

function lostOf(own: readonly Span[], now: number, times: StandingTimes): Change {
  if (own.some(({ until }) => until === null)) return null
  const at = Math.max(...own.map(({ until }) => until ?? 0))
  if (!isRecent(at, now, times)) return null
  const cosigns = own.some((span) => span.cosigns && span.until === at)
  return { kind: 'device_lost', cosigns, at, countsAt: null, countsUntil: lastsUntil(own, times) }
}

/** A span that goes on where one with the right to co-sign ended, and has it no more. */
function losesCosign({ since, cosigns }: Span, own: readonly Span[]): boolean {
  return !cosigns && own.some((one) => one.cosigns && one.until === since)
}

/** When what these spans gave ends: null if no device counted by them. */
function lastsUntil(ended: readonly Span[], times: StandingTimes): number | null {
  const ends = ended.flatMap((span) =>
    span.until !== null && span.until >= countsAt(span, times) ? [span.until + times.standingMs] : [],
  )
  return ends.length > 0 ? Math.max(...ends) : null
}

function isRecent(at: number, now: number, { windowMs }: StandingTimes): boolean {
  return now - at < windowMs
}
