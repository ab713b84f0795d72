/**
 * The rules of a note vault: which version may follow, what fits, and when a blob without references may be deleted.
 *
 * @module
 */
import { isOlderHead, type KnownInception } from '@svc/protocol/base/inception-head'
import type { NoteStatement } from '@svc/protocol/notes/notes'

/**
 * How long a blob is kept after its last reference was removed. A client that found it by the dedup probe can still
 * refer to it, and an upload in progress is far younger.
 */
export const GRACE_MS = 24 * 60 * 60_000
/**
 * An upload is accepted within an hour of its first byte, or not at all. Stored bytes that are older than the grace
 * period and not indexed therefore belong to no one.
 */
export const MAX_UPLOAD_MS = 60 * 60_000
/** At some 10 kB per row, 2 GB of the 10 GB that an object can hold. */
const MAX_RECORDS = 200_000

export interface VaultUsage {
  readonly bytes: number
  readonly objects: number
  /** Versions and attachments: each refers to one blob. */
  readonly refs: number
}

export interface VaultLimits {
  readonly quotaBytes: number
}

export type Operation = NoteStatement['header']['operation']
export type NoteStatus = 'stored' | 'tombstoned'

export type OrderRefusal = { readonly reason: 'not_found' | 'note_exists' | 'note_tombstoned' }

/** Whether a version may follow the note's current state. Every update is kept, in order of arrival. */
export function checkOrder(status: NoteStatus | null, operation: Operation): OrderRefusal | null {
  if (status === 'tombstoned') return { reason: 'note_tombstoned' }
  if (operation === 'create') return status === null ? null : { reason: 'note_exists' }
  return status === null ? { reason: 'not_found' } : null
}

/** `inception` is the event that the followed version names. */
export type PlaceRefusal = { readonly reason: 'older_event'; readonly inception: KnownInception }

/**
 * Checks that a version names no older event than the version it follows, which its writer has read. So the thief of an
 * ended key cannot write a version that follows one from after the end.
 */
export function checkPlace(
  { inception }: Pick<NoteStatement, 'inception'>,
  base: Pick<NoteStatement, 'inception'> | null,
): PlaceRefusal | null {
  return base && isOlderHead(inception, base.inception) ? { reason: 'older_event', inception: base.inception } : null
}

/** Whether a vault with this usage has room for one more blob. */
export function hasRoom(usage: VaultUsage, bytes: number, { quotaBytes }: VaultLimits): boolean {
  return usage.bytes + bytes <= quotaBytes && usage.refs < MAX_RECORDS
}

export function isCollectable(unreferencedSince: number, now: number): boolean {
  return unreferencedSince + GRACE_MS <= now
}

/** How many items a page has: what was asked for, as far as it is allowed. */
export function pageLimit(asked: number, max: number): number {
  return Math.min(Math.max(asked, 1), max)
}
