/**
 * Where the tiles of the log are: each under a key that is never written with other bytes. A tile that is not full yet
 * has its width in its key, so that a late write of an earlier batch touches nothing that a later one has shown.
 *
 * @module
 */
import { TILE_WIDTH, type TileName, tileWidth } from '@svc/protocol/merkle-tiles'

/** Four seconds of 500 leaves each; 2,048 make nine tiles and as many bundles at a time. */
export const MAX_BATCH_LEAVES = 2_048
/** About once a second. */
export const BATCH_MS = 1_000
/** A reader has asked for the head before it asks for tiles; five minutes later it has them. */
export const GRACE_MS = 300_000

const widthSuffix = (width: number) => (width === TILE_WIDTH ? '' : `.p/${width}`)

/** The key of a tile of hashes in a log of `size` leaves. */
export function tileKey(tile: TileName, size: number): string {
  return `tile/${tile.level}/${tile.index}${widthSuffix(tileWidth(size, tile))}`
}

/** The key of a bundle of entries: those that the leaf hashes of tile `0/index` are of. */
export function bundleKey(index: number, size: number): string {
  return `entries/${index}${widthSuffix(tileWidth(size, { level: 0, index }))}`
}

/** The keys of a log's unfinished tiles and bundle: obsolete once the log has grown beyond them. */
export function edgeKeys(size: number): string[] {
  const keys: string[] = []
  for (let level = 0, hashes = size; hashes > 0; level++, hashes = Math.floor(hashes / TILE_WIDTH)) {
    const index = Math.floor(hashes / TILE_WIDTH)
    if (hashes % TILE_WIDTH === 0) continue
    keys.push(tileKey({ level, index }, size))
    if (level === 0) keys.push(bundleKey(index, size))
  }
  return keys
}
