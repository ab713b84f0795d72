/**
 * Tiles of C2SP's logs (c2sp.org/tlog-tiles): 256 consecutive SHA-256 hashes of one level. Level 0 has the leaf hashes,
 * level 1 the roots of full tiles of level 0, and so on. A narrower tile is a prefix of the wider one.
 *
 * @module
 */
import { SHA256_BYTES } from './checkpoint.ts'

export const TILE_WIDTH = 256
const MAX_LEVEL = 63
const MAX_ENTRY_BYTES = 0xffff

/** A tile of hashes, or a bundle of entries as wide as its tile of level 0. */
export interface TilePath {
  readonly level: number | 'entries'
  readonly index: number
  readonly width: number
}

/** What follows the address of a log: `tile/0/x001/234.p/5`. */
export function tilePath({ level, index, width }: TilePath): string {
  const digits = String(index)
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0')
  const groups = padded.match(/.{3}/g) ?? []
  const number = groups.map((group, i) => (i < groups.length - 1 ? `x${group}` : group)).join('/')
  return `tile/${level}/${number}${width === TILE_WIDTH ? '' : `.p/${width}`}`
}

/** Null if it is not the one path of a tile. */
export function parseTilePath(path: string): TilePath | null {
  const match = /^tile\/(entries|0|[1-9][0-9]?)\/((?:x[0-9]{3}\/)*[0-9]{3})(?:\.p\/([1-9][0-9]{0,2}))?$/.exec(path)
  const [, levelText = '', number = '', widthText] = match ?? []
  if (!match) return null
  const level = levelText === 'entries' ? ('entries' as const) : Number(levelText)
  const index = Number(number.replaceAll(/[x/]/g, ''))
  const width = widthText === undefined ? TILE_WIDTH : Number(widthText)
  const isPartial = widthText !== undefined
  if (!Number.isSafeInteger(index) || (isPartial && width >= TILE_WIDTH)) return null
  if (level !== 'entries' && level > MAX_LEVEL) return null
  const tile = { level, index, width }
  // An index has one spelling: no group of zeros in front.
  return tilePath(tile) === path ? tile : null
}

/** How many hashes a tile has in a tree of `size` leaves; 0 if it has none. */
export function widthIn(size: number, { level, index }: Pick<TilePath, 'level' | 'index'>): number {
  const hashes = Math.floor(size / TILE_WIDTH ** (level === 'entries' ? 0 : level))
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH))
}

export function tileBytes(hashes: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(hashes.length * SHA256_BYTES)
  for (const [i, hash] of hashes.entries()) bytes.set(hash, i * SHA256_BYTES)
  return bytes
}

export function tileHashes(bytes: Uint8Array): Uint8Array[] {
  if (bytes.length % SHA256_BYTES !== 0) throw new RangeError('tlog tiles: not a tile')
  return Array.from({ length: bytes.length / SHA256_BYTES }, (_, i) =>
    bytes.slice(i * SHA256_BYTES, (i + 1) * SHA256_BYTES),
  )
}

/** Entries behind their lengths, two bytes each. */
export function entryBundle(entries: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(entries.reduce((length, entry) => length + 2 + entry.length, 0))
  let offset = 0
  for (const entry of entries) {
    if (entry.length > MAX_ENTRY_BYTES) throw new RangeError('tlog tiles: an entry has at most 65,535 bytes')
    new DataView(bytes.buffer).setUint16(offset, entry.length)
    bytes.set(entry, offset + 2)
    offset += 2 + entry.length
  }
  return bytes
}

/** Null if the last entry is cut off. */
export function bundleEntries(bytes: Uint8Array): Uint8Array[] | null {
  const entries: Uint8Array[] = []
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let offset = 0; offset < bytes.length; ) {
    if (offset + 2 > bytes.length) return null
    const end = offset + 2 + view.getUint16(offset)
    if (end > bytes.length) return null
    entries.push(bytes.slice(offset + 2, end))
    offset = end
  }
  return entries
}
