/**
 * The keys of the log's tiles. The bytes behind a key never change. A partial tile has its width in its key, so a late
 * write of an earlier batch never touches a tile that a later batch has published.
 *
 * @module
 */
import { TILE_WIDTH, type TileName, tileWidth } from '@svc/protocol/merkle/tiles'

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

const widthSuffix = (width: number) => (width === TILE_WIDTH ? '' : `.p/${width}`)

/** The key of a tile of hashes in a log of `size` leaves. Starts with the log's name: a bucket holds every period. */
export function tileKey(log: string, tile: TileName, size: number): string {
  return `${log}/tile/${tile.level}/${tile.index}${widthSuffix(tileWidth(size, tile))}`
}

/** The key of a bundle of entries: those hashed in tile `0/index`. */
export function bundleKey(log: string, index: number, size: number): string {
  return `${log}/entries/${index}${widthSuffix(tileWidth(size, { level: 0, index }))}`
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
