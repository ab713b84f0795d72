import { sha3_384 } from '@svc/pqc/sha3'
import { describe, expect, it } from 'vitest'
import { bytesOf, encodeBase64url } from '../base/base64url.ts'
import { fromHex, hashTextHex, toHex } from '../base/hash.ts'
import {
  EMPTY_MAP_ROOT,
  epochOfLeafId,
  type MapAccount,
  type MapPath,
  mapAccountSchema,
  mapEntryOf,
  mapLeafId,
  mapLine,
  valueOnPath,
} from './account-map.ts'
import {
  EMPTY_HEAD,
  EMPTY_VALUE,
  foldHead,
  type LoggedAgreement,
  nextAgreement,
  updateLine,
} from './account-updates.ts'
import { AccountMap } from './map-in-memory.ts'
import { bucketOf, type MapUpdate } from './map-pages.ts'

const LABELS = {
  zero: '00'.repeat(32),
  near: `${'00'.repeat(31)}01`,
  third: `000001${'00'.repeat(29)}`,
  other: `80${'00'.repeat(31)}`,
} as const
const NOW = 1_790_000_000_000
const hashOf = (byte: number) => byte.toString(16).padStart(2, '0').repeat(48)
const updatesOf = (label: string, bytes: readonly number[]): MapUpdate[] =>
  bytes.map((byte, i) => ({ label, seq: i + 1, statementHash: hashOf(byte) }))
/** The same, with key agreements at some of the indexes. */
const withAgreements = (updates: readonly MapUpdate[], times: Readonly<Record<number, number>>): MapUpdate[] =>
  updates.map((update, i) => ({ ...update, ...(i in times && { agreedAt: times[i] }) }))
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
    const [seq, time] = [new Uint8Array(4), new Uint8Array(8)]
    new DataView(seq.buffer).setUint32(0, first.seq)
    new DataView(time.buffer).setBigUint64(0, BigInt(first.agreement?.issuedAt ?? 0))
    const agreed = [...time, ...fromHex(first.agreement?.hash ?? hashOf(0))]
    return sha3_384(Uint8Array.of(2, ...fromHex(first.label), ...seq, ...fromHex(first.head), ...agreed))
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
        agreement: some.reduce<LoggedAgreement | null>(nextAgreement, null),
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
      '170387e01e8801eb8753522a485cc846459ead466fb335b0f10037ae26a633a49ebae6efaa3f299d295bff5c8e8f544e',
    ],
    [
      'two',
      [...updatesOf(LABELS.zero, [1]), ...updatesOf(LABELS.other, [2])],
      '15794b74ecb00581b227a4b06c8e515d125eae4a50fb068c5f50428ced003823a161b95519f98e236c8fd96516876eb0',
    ],
    [
      'three, two with 23 bits in common',
      [...updatesOf(LABELS.zero, [1, 2, 3]), ...updatesOf(LABELS.third, [4]), ...updatesOf(LABELS.other, [5])],
      '514e629de6cb84f972006ca0b978f5696ed89870a58e1b63ea18a48f86b495e3f647e3ddd0cb990da511544adf6383ee',
    ],
    [
      'two that differ in the last bit',
      [...updatesOf(LABELS.zero, [1]), ...updatesOf(LABELS.near, [2])],
      '9a638462f05b3d77f6c0b003935698a36aa44ec3b977a1deb3eb0cc6d2447958686ba37b2b17a908b3127165b9edf27c',
    ],
    [
      'two, one with key agreements: an older one and one of the same time do not count',
      [
        ...withAgreements(updatesOf(LABELS.zero, [1, 2, 3, 4]), { 0: NOW, 2: NOW + 1, 3: NOW + 1 }),
        ...withAgreements(updatesOf(LABELS.other, [5]), { 0: 0 }),
      ],
      'a97ec632613695864daa695063641ef09869649ea930b4f58381231cad7ce1083b17b1548cafbdbb39ca894299bbaec1',
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
      expect(valueOnPath(label, single.path(label), single.root)).toEqual({ ...head, agreement: null })
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

  it('proves the newest key agreement of an account, and no other', () => {
    const updates = withAgreements(updatesOf(LABELS.zero, [1, 2, 3]), { 0: NOW + 1, 2: NOW })
    const map = mapOf([...updates, ...updatesOf(LABELS.other, [4])])
    const path = map.path(LABELS.zero)
    const agreement = { hash: hashOf(1), issuedAt: NOW + 1 }
    expect(valueOnPath(LABELS.zero, path, map.root)).toEqual({
      ...foldHead(EMPTY_HEAD, [1, 2, 3].map(hashOf)),
      agreement,
    })
    expect(map.agreement(LABELS.zero)).toEqual(agreement)
    expect([LABELS.other, LABELS.near].map((label) => map.agreement(label))).toEqual([null, null])
    for (const other of [null, { ...agreement, issuedAt: NOW }, { ...agreement, hash: hashOf(3) }]) {
      const terminal = { ...path.terminal!, agreement: other }
      expect(valueOnPath(LABELS.zero, { ...path, terminal }, map.root)).toBeNull()
    }
  })

  it('refuses the leaf without a key agreement, label ‖ seq ‖ head alone', () => {
    const seq = Uint8Array.of(0, 0, 0, 1)
    const { head } = foldHead(EMPTY_HEAD, [hashOf(1)])
    const root = toHex(sha3_384(Uint8Array.of(2, ...fromHex(LABELS.zero), ...seq, ...fromHex(head))))
    const terminal = { label: LABELS.zero, seq: 1, head, agreement: null }
    expect(valueOnPath(LABELS.zero, { terminal, bitmap: '', siblingsB64u: '' }, root)).toBeNull()
    expect(mapAccountSchema.safeParse(terminal).success).toBe(true)
    expect(mapAccountSchema.safeParse({ label: LABELS.zero, seq: 1, head }).success).toBe(false)
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
  const read = (label: string, path: MapPath) => valueOnPath(label, path, map.root)

  it('proves an account', () => {
    const path = map.path(LABELS.zero)
    expect(path.bitmap).toBe('800001')
    expect(read(LABELS.zero, path)).toEqual({ ...foldHead(EMPTY_HEAD, [1, 2, 3].map(hashOf)), agreement: null })
  })

  it('proves that there is none: at an empty place, and at that of another account', () => {
    const empty = `01${'00'.repeat(31)}`
    expect(map.path(empty).terminal).toBeNull()
    expect(read(empty, map.path(empty))).toEqual(EMPTY_VALUE)
    expect(map.path(LABELS.near).terminal?.label).toBe(LABELS.zero)
    expect(read(LABELS.near, map.path(LABELS.near))).toEqual(EMPTY_VALUE)
    const above = `ff${'00'.repeat(31)}`
    expect(map.path(above)).toMatchObject({ terminal: { label: LABELS.other }, bitmap: '80' })
    expect(read(above, map.path(above))).toEqual(EMPTY_VALUE)
  })

  it('of an empty map is empty', () => {
    const path = { terminal: null, bitmap: '', siblingsB64u: '' }
    expect(new AccountMap().path(LABELS.zero)).toEqual(path)
    expect(valueOnPath(LABELS.zero, path, EMPTY_MAP_ROOT)).toEqual(EMPTY_VALUE)
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
    expect(valueOnPath(LABELS.zero, path, mapOf(updates.slice(1)).root)).toBeNull()
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
