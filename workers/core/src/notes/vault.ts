/**
 * The law of a note vault: what may follow what, what fits, and when a blob that nothing refers to may go.
 *
 * @module
 */
import type { NoteStatement } from '@svc/protocol/notes'

/**
 * How long a blob stays after the last reference to it went. Whoever found it by the dedup probe can still refer to it,
 * and an upload under way is far younger.
 */
export const GRACE_MS = 24 * 60 * 60_000
/**
 * An upload is taken within an hour of its first byte or not at all. Bytes in the store that are older than the grace
 * period and that no index knows are therefore nobody's.
 */
export const MAX_UPLOAD_MS = 60 * 60_000
/** Rows of some 10 kB: 2 GB of the 10 that an object may hold. */
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

/** Whether a version may follow what the vault has of its note. Every update is kept, in the order of arrival. */
export function checkOrder(status: NoteStatus | null, operation: Operation): OrderRefusal | null {
  if (status === 'tombstoned') return { reason: 'note_tombstoned' }
  if (operation === 'create') return status === null ? null : { reason: 'note_exists' }
  return status === null ? { reason: 'not_found' } : null
}

/** Whether a vault with this usage has room for a blob more. */
export function hasRoom(usage: VaultUsage, bytes: number, { quotaBytes }: VaultLimits): boolean {
  return usage.bytes + bytes <= quotaBytes && usage.refs < MAX_RECORDS
}

export function isCollectable(unreferencedSince: number, now: number): boolean {
  return unreferencedSince + GRACE_MS <= now
}
