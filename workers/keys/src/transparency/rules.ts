/**
 * The keys of the log's tiles. The bytes behind a key never change. A partial tile has its width in its key, so a late
 * write of an earlier batch never touches a tile that a later batch has published.
 *
 * @module
 */
import { TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import { bundleKey, tileKey } from '../object-keys.ts'

/** Four seconds of 500 leaves each. 2,048 leaves make nine tiles and as many bundles at a time. */
export const MAX_BATCH_LEAVES = 2_048
/** About once a second. */
export const BATCH_MS = 1_000
/** A reader asks for the head before it asks for tiles; five minutes later it has them. */
export const GRACE_MS = 300_000

/** A leaf on its way to the log. */
export interface SubmittedLeaf {
  readonly leafId: string
  readonly entry: string
}

/** The keys of a log's partial tiles and bundle: obsolete once the log has grown beyond them. */
export function edgeKeys(log: string, size: number): string[] {
  const keys: string[] = []
  for (let level = 0, hashes = size; hashes > 0; level++, hashes = Math.floor(hashes / TILE_WIDTH)) {
    const index = Math.floor(hashes / TILE_WIDTH)
    if (hashes % TILE_WIDTH === 0) continue
    keys.push(tileKey(log, { level, index }, size))
    if (level === 0) keys.push(bundleKey(log, index, size))
  }
  return keys
}
