import type { Mark, RecordKeyIds, UnsealedRecord } from './record.ts'

/** What was erased disappears from the records within a day: until then, older ones may have it. */
const ERASED_WITHIN_MS = 24 * 3_600_000
/** A new base replaces the records before it once they are this many, and twice as large as the base. */
const MIN_RECORDS = 16
const MIN_BYTES = 64 * 1024

/** Kept in the object: how far its records go. */
export interface Progress {
  /** The newest record. */
  readonly sequence: number
  /** Of its file. Null without one. */
  readonly hash: string | null
  /** The keys of the newest record. Null without one, or if they are not known. */
  readonly keys: RecordKeyIds | null
  readonly base: number
  readonly basedAt: number
  /** Whether the records from the base on have all of a state. */
  readonly isBaseWhole: boolean
  readonly baseBytes: number
  /** Of the records after those. */
  readonly bytes: number
  /** Records before this one were deleted. */
  readonly cleared: number
  readonly marks: Readonly<Record<string, Mark>>
  /** The last change of a row by key that the records have. */
  readonly keysTo: number
  /** Since when something changed. The attempt is drawn when its record is written, null before. */
  readonly pending: { readonly attempt: string | null; readonly since: number } | null
  /** The first record from this time on is a base; null if none has to be. */
  readonly eraseBy: number | null
}

export const NOTHING: Progress = {
  sequence: 0,
  hash: null,
  keys: null,
  base: 0,
  basedAt: 0,
  isBaseWhole: false,
  baseBytes: 0,
  bytes: 0,
  cleared: 0,
  marks: {},
  keysTo: 0,
  pending: null,
  eraseBy: null,
}

/** Notes that something has to be recorded or erased. Returns the same progress if that was noted before. */
export function noted(
  progress: Progress,
  { isChanged, isErased }: { readonly isChanged: boolean; readonly isErased: boolean },
  now: number,
): Progress {
  const pending = progress.pending ?? (isChanged ? { attempt: null, since: now } : null)
  const eraseBy = isErased ? (progress.eraseBy ?? Math.max(now, progress.basedAt + ERASED_WITHIN_MS)) : progress.eraseBy
  return pending === progress.pending && eraseBy === progress.eraseBy ? progress : { ...progress, pending, eraseBy }
}

/** Whether records are left that a whole base has replaced. */
export function hasOlder({ cleared, base, isBaseWhole }: Progress): boolean {
  return isBaseWhole && cleared < base
}

export function isErasing({ eraseBy }: Progress, now: number): boolean {
  return eraseBy !== null && eraseBy <= now
}

/**
 * `keys` are the current ones. If they have changed, the records before are under an older or lost key, and an increment
 * would be useless without them.
 */
export function needsBase(progress: Progress, keys: RecordKeyIds, now: number): boolean {
  const { sequence, base, bytes, baseBytes } = progress
  const isLong = sequence - base >= MIN_RECORDS && bytes > Math.max(MIN_BYTES, 2 * baseBytes)
  return sequence === 0 || isLong || !isUnder(progress, keys) || isErasing(progress, now)
}

/** Whether the newest record is under these keys. */
export function isUnder({ keys: known }: Progress, keys: RecordKeyIds): boolean {
  return known?.keyId === keys.keyId && known.erasureKeyId === keys.erasureKeyId
}

/** A record that was written. */
export interface Settled {
  readonly record: UnsealedRecord
  /** Null if they are not known: a base follows. */
  readonly keys: RecordKeyIds | null
  readonly hash: string
  readonly bytes: number
  readonly keysTo: number
  /** Something changed since it was read, or it has not all of a state. */
  readonly isMore: boolean
  readonly isBaseNext: boolean
}

/** Progress after a record was written. */
export function settled(
  progress: Progress,
  { record, keys, hash, bytes, keysTo, isMore, isBaseNext }: Settled,
): Progress {
  const { sequence, base, isWhole, marks, writtenAt } = record
  const isBase = base === sequence
  const isOfBase = isBase || !progress.isBaseWhole
  const { eraseBy, baseBytes } = progress
  const isErased = isBase && eraseBy !== null && eraseBy <= writtenAt
  return {
    ...progress,
    sequence,
    hash,
    keys,
    base,
    marks,
    keysTo,
    basedAt: isBase ? writtenAt : progress.basedAt,
    isBaseWhole: isOfBase ? isWhole : true,
    baseBytes: isBase ? bytes : baseBytes + (isOfBase ? bytes : 0),
    bytes: isOfBase ? 0 : progress.bytes + bytes,
    eraseBy: isBaseNext ? writtenAt : isErased ? null : eraseBy,
    pending: isMore || isBaseNext ? { attempt: null, since: writtenAt } : null,
  }
}
