/**
 * The names of all objects in R2. Nothing else in this Worker spells a prefix.
 *
 * @module
 */
import { LOG_LISTS_PREFIX } from '@svc/protocol/merkle/log-list-files'
import { TILE_WIDTH, type TileName, tileWidth } from '@svc/protocol/merkle/tiles'
import { type TilePath, TILE_WIDTH as TLOG_WIDTH, tilePath } from '@svc/tlog/tiles'

/** The page on retention has each of them. `{log}` is the name of a log: a bucket holds every period. */
export const OBJECT_PREFIXES = {
  tiles: '{log}/tile/',
  entries: '{log}/entries/',
  beaconHeads: '{beacon}/heads/',
  beaconTiles: '{beacon}/tile/',
  logLists: LOG_LISTS_PREFIX,
} as const

const prefixOf = (kind: 'tiles' | 'entries', log: string) => OBJECT_PREFIXES[kind].replace('{log}', log)
const widthSuffix = (width: number) => (width === TILE_WIDTH ? '' : `.p/${width}`)

/** The key of a tile of hashes in a log of `size` leaves. */
export function tileKey(log: string, tile: TileName, size: number): string {
  return `${prefixOf('tiles', log)}${tile.level}/${tile.index}${widthSuffix(tileWidth(size, tile))}`
}

/** The key of a bundle of entries: those hashed in tile `0/index`. */
export function bundleKey(log: string, index: number, size: number): string {
  return `${prefixOf('entries', log)}${index}${widthSuffix(tileWidth(size, { level: 0, index }))}`
}

/** The key of a decided leaf of the beacon. */
export function beaconHeadKey(origin: string, index: number): string {
  return `${OBJECT_PREFIXES.beaconHeads.replace('{beacon}', origin)}${index}`
}

/** The key of a full tile or bundle of the beacon: its path in C2SP's form, below the beacon's origin. */
export function beaconTileKey(origin: string, tile: Omit<TilePath, 'width'>): string {
  const path = tilePath({ ...tile, width: TLOG_WIDTH }).slice('tile/'.length)
  return `${OBJECT_PREFIXES.beaconTiles.replace('{beacon}', origin)}${path}`
}
