/**
 * The names of all objects in R2. Nothing else in this Worker spells a prefix.
 *
 * @module
 */
import { logPrefixes } from '@svc/log'
import { LOG_LISTS_PREFIX } from '@svc/protocol/merkle/log-list-files'
import { type TilePath, TILE_WIDTH as TLOG_WIDTH, tilePath } from '@svc/tlog/tiles'

/** The page on retention has each of them. `{log}` is the name of a log: a bucket holds every period. */
export const OBJECT_PREFIXES = {
  ...logPrefixes('{log}'),
  beaconHeads: 'logs/{beacon}/heads/',
  beaconTiles: 'logs/{beacon}/tile/',
  logLists: LOG_LISTS_PREFIX,
} as const

/** The key of a decided leaf of the beacon. */
export function beaconHeadKey(origin: string, index: number): string {
  return `${OBJECT_PREFIXES.beaconHeads.replace('{beacon}', origin)}${index}`
}

/** The key of a full tile or bundle of the beacon: its path in C2SP's form, below the beacon's origin. */
export function beaconTileKey(origin: string, tile: Omit<TilePath, 'width'>): string {
  const path = tilePath({ ...tile, width: TLOG_WIDTH }).slice('tile/'.length)
  return `${OBJECT_PREFIXES.beaconTiles.replace('{beacon}', origin)}${path}`
}
