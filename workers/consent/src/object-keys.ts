/**
 * The names of all objects in R2. Nothing else in this Worker spells a prefix.
 *
 * @module
 */

/** The page on retention has each of them. */
export const OBJECT_PREFIXES = { segments: 'segments/', snapshots: 'snapshots/' } as const

/** A segment of archived signatures of a bucket. Never rewritten, never deleted. */
export function segmentKey(bucket: number, segment: number): string {
  return `${OBJECT_PREFIXES.segments}${bucket}/${segment}`
}

/** All snapshots of one hour. */
export function snapshotPrefix(at: number): string {
  return `${OBJECT_PREFIXES.snapshots}${at}/`
}

/** A page of a snapshot, by who signed it and where it begins. */
export function snapshotKey(at: number, bucket: number, page: string): string {
  return `${snapshotPrefix(at)}${bucket}/${page}`
}

/** How far the snapshot of an hour was made, by who signs it. */
export function snapshotPlaceKey(at: number, signer: string): string {
  return `${snapshotPrefix(at)}place-${signer}`
}

/** A place at which a page of a bucket ends, and the next one begins. */
export function snapshotBeginKey(at: number, bucket: number, from: string): string {
  return `${snapshotPrefix(at)}begins/${bucket}-${from}`
}
