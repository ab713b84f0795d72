/**
 * Which version of a document is requested (W3C DID Resolution, `versionId` and `versionTime`). A version is a root
 * epoch: `versionId` is its number, and `versionTime` finds the one that was in force.
 *
 * @module
 */

import { err, ok, type Result } from '@svc/protocol/base/result'
import { timeOfDateTime } from '@svc/protocol/http/date-time'

export type WantedVersion =
  | { readonly kind: 'current' }
  | { readonly kind: 'epoch'; readonly epoch: number }
  | { readonly kind: 'time'; readonly at: number }
  /** Well-formed, but not a version of anything here. */
  | { readonly kind: 'unknown' }

const EPOCH = /^(?:0|[1-9][0-9]{0,8})$/
/** The clock tolerance of every signed time: a time this far ahead is now. */
const SKEW_MS = 300_000

/**
 * Times in DID resolution have no fractions, and metadata rounds them down: an event within a second counts from its
 * beginning, so that a time from an answer finds that answer again.
 */
export function wantedVersion(
  { versionId, versionTime }: { readonly versionId?: string | undefined; readonly versionTime?: string | undefined },
  now: number,
): Result<WantedVersion, 'INVALID_OPTIONS'> {
  if (versionId !== undefined && versionTime !== undefined) return err('INVALID_OPTIONS')
  if (versionId !== undefined) {
    return ok(EPOCH.test(versionId) ? { kind: 'epoch', epoch: Number(versionId) } : { kind: 'unknown' })
  }
  if (versionTime === undefined) return ok({ kind: 'current' })
  const time = timeOfDateTime(versionTime)
  if (time === null) return err('INVALID_OPTIONS')
  const second = Math.floor(time / 1000) * 1000
  if (second > now) return ok({ kind: second > now + SKEW_MS ? 'unknown' : 'current' })
  return ok(second < 0 ? { kind: 'unknown' } : { kind: 'time', at: second + 999 })
}

/** The version as named in a proof. */
export function versionLabel(query: {
  readonly versionId?: string | undefined
  readonly versionTime?: string | undefined
}): string | null {
  if (query.versionId !== undefined) return `versionId=${query.versionId}`
  return query.versionTime === undefined ? null : `versionTime=${query.versionTime}`
}
