import { sha256 } from '@noble/hashes/sha2.js'
import { toHex } from '@svc/protocol/base/hash'
import { describe, expect, it } from 'vitest'
import { parseCheckpoint } from './checkpoint.ts'
import { parseNote } from './signed-note.ts'
import {
  bundleEntries,
  entryBundle,
  parseTilePath,
  TILE_WIDTH,
  type TilePath,
  tileBytes,
  tileHashes,
  tilePath,
  widthIn,
} from './tiles.ts'
import { SHA256_TREE } from './tree.ts'
import { MIRRORED } from './vectors.fixture.ts'

const encoder = new TextEncoder()

describe('tile paths', () => {
  it.each<[string, TilePath]>([
    // The example of the specification, and those of golang.org/x/mod, sumdb/tlog/tlog_test.go, without the height.
    ['tile/0/x001/x234/067', { level: 0, index: 1_234_067, width: 256 }],
    ['tile/0/001', { level: 0, index: 1, width: 256 }],
    ['tile/0/001.p/5', { level: 0, index: 1, width: 5 }],
    ['tile/5/x123/x456/078', { level: 5, index: 123_456_078, width: 256 }],
    ['tile/5/x123/x456/078.p/2', { level: 5, index: 123_456_078, width: 2 }],
    ['tile/0/x003/x057/500', { level: 0, index: 3_057_500, width: 256 }],
    ['tile/entries/x003/x057/500', { level: 'entries', index: 3_057_500, width: 256 }],
    ['tile/63/000.p/255', { level: 63, index: 0, width: 255 }],
  ])('%s', (path, tile) => {
    expect(tilePath(tile)).toBe(path)
    expect(parseTilePath(path)).toEqual(tile)
  })

  it.each([
    'tile/5/123/456/078',
    'tile/-1/123/456/078',
    'tile/64/000',
    'tile/00/000',
    'tile/0/1',
    'tile/0/0001',
    'tile/0/x000/001',
    'tile/0/001.p/0',
    'tile/0/001.p/256',
    'tile/0/001.p/05',
    'tile/data/000',
    'tile/0/001/',
    '/tile/0/001',
    `tile/0/${'x999/'.repeat(6)}999`,
  ])('refuses %s', (path) => {
    expect(parseTilePath(path)).toBeNull()
  })
})

describe('tiles', () => {
  it('have the widths of the example in the specification', () => {
    const tiles = (level: number) => {
      const widths: number[] = []
      for (let index = 0, width = 1; width > 0; index++) {
        width = widthIn(70_000, { level, index })
        if (width > 0) widths.push(width)
      }
      return { full: widths.filter((width) => width === TILE_WIDTH).length, partial: widths.at(-1) }
    }
    expect([0, 1, 2, 3].map(tiles)).toEqual([
      { full: 273, partial: 112 },
      { full: 1, partial: 17 },
      { full: 0, partial: 1 },
      { full: 0, partial: undefined },
    ])
    expect(widthIn(256, { level: 0, index: 0 })).toBe(256)
    expect(widthIn(256, { level: 1, index: 0 })).toBe(1)
  })

  it('are the published tiles of a log of 300 records', () => {
    const leaves = Array.from({ length: 300 }, (_, i) => SHA256_TREE.leafHash(encoder.encode(`record ${i}`)))
    const tiles = {
      'tile/0/000': leaves.slice(0, 256),
      'tile/0/001.p/44': leaves.slice(256),
      'tile/1/000.p/1': [SHA256_TREE.merkleRoot(leaves.slice(0, 256))],
    }
    const hashes = Object.entries(tiles).map(([path, tile]) => [path, toHex(sha256(tileBytes(tile)))])
    expect(Object.fromEntries(hashes)).toEqual(MIRRORED.tiles)
    expect(tileHashes(tileBytes(leaves))).toEqual(leaves)
    const { root, size } = parseCheckpoint(parseNote(MIRRORED.note)?.text ?? '') ?? {}
    expect([size, root]).toEqual([300, SHA256_TREE.merkleRoot(leaves)])
  })
})

describe('bundles of entries', () => {
  it('have lengths of two bytes', () => {
    const entries = [encoder.encode('a'), new Uint8Array(), new Uint8Array(300).fill(7)]
    const bundle = entryBundle(entries)
    expect(bundle.subarray(0, 7)).toEqual(new Uint8Array([0, 1, 97, 0, 0, 1, 44]))
    expect(bundleEntries(bundle)).toEqual(entries)
    expect(bundleEntries(new Uint8Array())).toEqual([])
    expect(bundleEntries(bundle.subarray(0, -1))).toBeNull()
    expect(bundleEntries(new Uint8Array([0]))).toBeNull()
  })

  it('refuse an entry that does not fit', () => {
    expect(entryBundle([new Uint8Array(65_535)])).toHaveLength(65_537)
    expect(() => entryBundle([new Uint8Array(65_536)])).toThrow('an entry has at most 65,535 bytes')
  })
})
