import { sha3_384 } from '@svc/pqc/sha3'
import { describe, expect, it } from 'vitest'
import { bytesOf, encodeBase64url } from '../base/base64url.ts'
import { fromHex, hashTextHex, toHex } from '../base/hash.ts'
import {
  EMPTY_MAP_ROOT,
  epochOfLeafId,
  headOnPath,
  type MapAccount,
  type MapPath,
  mapEntryOf,
  mapLeafId,
  mapLine,
} from './account-map.ts'
import { EMPTY_HEAD, foldHead, updateLine } from './account-updates.ts'
import { AccountMap } from './map-in-memory.ts'
import { bucketOf, type MapUpdate } from './map-pages.ts'

const LABELS = {
  zero: '00'.repeat(32),
  near: `${'00'.repeat(31)}01`,
  third: `000001${'00'.repeat(29)}`,
  other: `80${'00'.repeat(31)}`,
} as const
const hashOf = (byte: number) => byte.toString(16).padStart(2, '0').repeat(48)
const updatesOf = (label: string, bytes: readonly number[]): MapUpdate[] =>
  bytes.map((byte, i) => ({ label, seq: i + 1, statementHash: hashOf(byte) }))
const mapOf = (updates: readonly MapUpdate[]) => {
  const map = new AccountMap()
  map.count(updates)
  return map
}

/** The definition, over all accounts at once. */
function naiveRoot(accounts: readonly MapAccount[], depth = 0): Uint8Array {
  const [first] = accounts
  if (!first) return new Uint8Array(48)
  if (accounts.length === 1) {
    const seq = new Uint8Array(4)
    new DataView(seq.buffer).setUint32(0, first.seq)
    return sha3_384(Uint8Array.of(2, ...fromHex(first.label), ...seq, ...fromHex(first.head)))
  }
  const isRight = ({ label }: MapAccount) => ((Number.parseInt(label[depth >> 2]!, 16) >> (3 - (depth & 3))) & 1) === 1
  const [left, right] = [accounts.filter((one) => !isRight(one)), accounts.filter(isRight)]
  return sha3_384(Uint8Array.of(3, ...naiveRoot(left, depth + 1), ...naiveRoot(right, depth + 1)))
}

const naiveRootOf = (updates: readonly MapUpdate[]) =>
  toHex(
    naiveRoot(
      [...Map.groupBy(updates, ({ label }) => label)].map(([label, some]) => ({
        label,
        ...foldHead(
          EMPTY_HEAD,
          some.map(({ statementHash }) => statementHash),
        ),
      })),
    ),
  )

describe('the map of accounts', () => {
  // Recomputed with Python's hashlib.
  it.each([
    ['nothing', [], EMPTY_MAP_ROOT],
    [
      'one account',
      updatesOf(LABELS.other, [1]),
      '44c6be2f68b0c441782176c74cd195f80faed69eede949143310d214df46962aaaeaf4a3b045c4424deb30652a976580',
    ],
    [
      'two',
      [...updatesOf(LABELS.zero, [1]), ...updatesOf(LABELS.other, [2])],
      '880e5d4e4e53b840bd9e50c8f1ee0d8a5add6f8f7d994b22443b570b1eb68ee73777bc83a6ad83d9a2f4e144d4325c6d',
    ],
    [
      'three, two with 23 bits in common',
      [...updatesOf(LABELS.zero, [1, 2, 3]), ...updatesOf(LABELS.third, [4]), ...updatesOf(LABELS.other, [5])],
      '324dc4a660dc1acc47837d4c68dabea1b0d55bc22fc0d50a0fb6dbe83e509f47915da89ad8ee12d4e8a83ddce9fa8363',
    ],
    [
      'two that differ in the last bit',
      [...updatesOf(LABELS.zero, [1]), ...updatesOf(LABELS.near, [2])],
      '784152fdf6a2897a0952be5470f909974b32393d62e848133f3f8ddd59994b7bf8a1ca9f0dec33ebbd81a8672f44048f',
    ],
  ])('of %s has the root of the vector', (_, updates, root) => {
    expect(mapOf(updates).root).toBe(root)
    expect(naiveRootOf(updates)).toBe(root)
  })

  it('is the same after one update at a time, after batches, and at once', () => {
    const accounts = Array.from({ length: 120 }, (_, i) => {
      const label = hashTextHex(`account ${i}`).slice(0, 64)
      // Some share a long way with the one before.
      return i % 5 === 0 ? `7f7f${label.slice(4)}` : i % 7 === 0 ? `7f7f7f7f${label.slice(8, 62)}7f` : label
    })
    const seqs = new Map<string, number>()
    const updates = Array.from({ length: 240 }, (_, i) => {
      const label = accounts[Number.parseInt(hashTextHex(`turn ${i}`).slice(0, 8), 16) % accounts.length]!
      const seq = (seqs.get(label) ?? 0) + 1
      seqs.set(label, seq)
      return { label, seq, statementHash: hashTextHex(`statement ${i}`) }
    })
    const [single, batched] = [new AccountMap(), new AccountMap()]
    for (const [i, update] of updates.entries()) {
      single.count([update])
      if (i % 40 !== 39) continue
      batched.count(updates.slice(i - 39, i + 1))
      const root = naiveRootOf(updates.slice(0, i + 1))
      expect({ single: single.root, batched: batched.root }).toEqual({ single: root, batched: root })
    }
    expect(mapOf(updates).root).toBe(single.root)
    for (const label of accounts) {
      const head = foldHead(
        EMPTY_HEAD,
        updates.filter((update) => update.label === label).map(({ statementHash }) => statementHash),
      )
      expect(headOnPath(label, single.path(label), single.root)).toEqual(head)
    }
  })

  it('does not count updates whose number does not follow, and nobody else is held up', () => {
    const [first, second, third] = updatesOf(LABELS.zero, [1, 2, 3])
    const [other] = updatesOf(LABELS.other, [4])
    const again = { ...second!, statementHash: hashOf(9) }
    const expected = mapOf([first!, second!, other!]).root
    expect(mapOf([first!, second!, again, other!]).root).toBe(expected)
    expect(mapOf([second!, first!, second!, other!]).root).toBe(expected)
    expect(mapOf([first!, third!, second!, other!]).root).toBe(expected)
    expect(mapOf([second!, third!]).root).toBe(EMPTY_MAP_ROOT)
  })

  it('has 256 buckets, by the first byte of the label', () => {
    expect([LABELS.zero, LABELS.other, 'ff'.repeat(32)].map(bucketOf)).toEqual([0, 128, 255])
  })
})

describe('a path of the map', () => {
  const updates = [
    ...updatesOf(LABELS.zero, [1, 2, 3]),
    ...updatesOf(LABELS.third, [4]),
    ...updatesOf(LABELS.other, [5]),
  ]
  const map = mapOf(updates)
  const read = (label: string, path: MapPath) => headOnPath(label, path, map.root)

  it('proves an account', () => {
    const path = map.path(LABELS.zero)
    expect(path.bitmap).toBe('800001')
    expect(read(LABELS.zero, path)).toEqual(foldHead(EMPTY_HEAD, [1, 2, 3].map(hashOf)))
  })

  it('proves that there is none: at an empty place, and at that of another account', () => {
    const empty = `01${'00'.repeat(31)}`
    expect(map.path(empty).terminal).toBeNull()
    expect(read(empty, map.path(empty))).toEqual(EMPTY_HEAD)
    expect(map.path(LABELS.near).terminal?.label).toBe(LABELS.zero)
    expect(read(LABELS.near, map.path(LABELS.near))).toEqual(EMPTY_HEAD)
    const above = `ff${'00'.repeat(31)}`
    expect(map.path(above)).toMatchObject({ terminal: { label: LABELS.other }, bitmap: '80' })
    expect(read(above, map.path(above))).toEqual(EMPTY_HEAD)
  })

  it('of an empty map is empty', () => {
    const path = { terminal: null, bitmap: '', siblingsB64u: '' }
    expect(new AccountMap().path(LABELS.zero)).toEqual(path)
    expect(headOnPath(LABELS.zero, path, EMPTY_MAP_ROOT)).toEqual(EMPTY_HEAD)
    expect(read(LABELS.zero, path)).toBeNull()
  })

  it('proves nothing else', () => {
    const path = map.path(LABELS.zero)
    const terminal = path.terminal!
    const siblings = bytesOf(path.siblingsB64u)
    const untrue: readonly (readonly [string, string, MapPath])[] = [
      ['another head', LABELS.zero, { ...path, terminal: { ...terminal, head: hashOf(7) } }],
      ['an earlier number', LABELS.zero, { ...path, terminal: { ...terminal, seq: 2 } }],
      ['no account', LABELS.zero, { ...path, terminal: null }],
      ['the account elsewhere', LABELS.other, path],
      ['the account below where it is', LABELS.near, { ...map.path(LABELS.near), terminal: null }],
      ['an account beside the path', LABELS.other, { ...map.path(LABELS.other), terminal }],
      ['too few siblings', LABELS.zero, { ...path, siblingsB64u: encodeBase64url(siblings.subarray(48)) }],
      ['too many', LABELS.zero, { ...path, siblingsB64u: encodeBase64url(new Uint8Array([...siblings, ...siblings])) }],
      ['another level', LABELS.zero, { ...path, bitmap: '800002' }],
      ['a longer bitmap for the same path', LABELS.zero, { ...path, bitmap: `${path.bitmap}00` }],
      ['siblings that are not base64url', LABELS.zero, { ...path, siblingsB64u: '=' }],
    ]
    for (const [what, label, changed] of untrue)
      expect({ what, head: read(label, changed) }).toEqual({ what, head: null })
    expect(headOnPath(LABELS.zero, path, mapOf(updates.slice(1)).root)).toBeNull()
  })
})

describe('the entry of a map', () => {
  const entry = { size: 7, root: hashOf(1), epoch: 3, at: 1_790_000_000_000 }

  it('is one line of canonical JSON', () => {
    expect(mapLine(entry)).toBe(`{"at":1790000000000,"epoch":3,"kind":"map","root":"${hashOf(1)}","size":7}`)
    expect(mapEntryOf(mapLine(entry))).toEqual({ kind: 'map', ...entry })
    expect(mapEntryOf(updateLine(updatesOf(LABELS.zero, [1])[0]!))).toBeNull()
    expect(mapEntryOf('{"kind":"map","size":0}')).toBeNull()
  })

  it('has an id that no account’s update has', () => {
    expect(mapLeafId(3)).toBe('map-3')
    expect(['map-3', 'map-03', `${LABELS.zero}-${hashOf(1)}`].map(epochOfLeafId)).toEqual([3, null, null])
  })
})
