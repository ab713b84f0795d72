import { type MapEntry, mapLine } from '@svc/protocol/keys/account-map'
import { updateEntryOf, updateLine } from '@svc/protocol/keys/account-updates'
import { AccountMap } from '@svc/protocol/keys/map-in-memory'
import { openEntry } from '@svc/protocol/merkle/entries'
import { describe, expect, it } from 'vitest'
import { AuditedMap, type MapFault } from './audited-map.ts'

const FIRST = 'https://core.test/transparency/2027a'
const SECOND = 'https://core.test/transparency/2027b'
const AT = 1_790_000_000_000
const updates = [1, 2, 3, 4].map((i) => {
  const byte = i.toString(16).padStart(2, '0')
  return { label: byte.repeat(32), seq: 1, statementHash: byte.repeat(48) }
})
const rootOf = (count: number) => {
  const map = new AccountMap()
  map.count(updates.slice(0, count))
  return map.root
}
const [one, two, three, four] = updates.map(updateLine) as [string, string, string, string]
const END = { log: FIRST, size: 6, root: 'a7'.repeat(48) }
const opened = (root: string | null) =>
  JSON.stringify({ ...(JSON.parse(openEntry(SECOND, END)) as object), map: root === null ? null : { root } })
const mapOf = (epoch: number, size: number, root: string, changes: Partial<MapEntry> = {}) =>
  mapLine({ epoch, size, root, at: AT, ...changes })

/** Log and index of the first invalid entry, and its fault; null if all are valid. */
function found(logs: Readonly<Record<string, readonly string[]>>): readonly [string, MapFault] | null {
  const map = new AuditedMap()
  for (const [log, lines] of Object.entries(logs))
    for (const [position, line] of lines.entries()) {
      const fault = map.take(line, updateEntryOf(line), { log, position })
      if (fault) return [`${log.at(-1)}${position}`, fault]
    }
  return null
}

/** The position of the first wrong map. */
function firstFault(logs: Readonly<Record<string, readonly string[]>>): string | null {
  const [place = null, fault] = found(logs) ?? []
  if (fault === 'out_of_order') throw new Error('a key agreement goes back')
  return place
}

describe('the maps of a log', () => {
  const first = [openEntry(FIRST, null), one, two, mapOf(1, 2, rootOf(1)), mapOf(2, 3, rootOf(2)), three]

  it('may leave out the newest entries, and go on into the next log', () => {
    const second = [opened(rootOf(3)), mapOf(3, 1, rootOf(3)), four, mapOf(4, 3, rootOf(4))]
    expect(firstFault({ [FIRST]: first, [SECOND]: second })).toBeNull()
    // Entries that a reader does not know count in the log and in no map.
    expect(firstFault({ [FIRST]: [...first.slice(0, 2), '{"kind":"later"}', mapOf(1, 3, rootOf(1))] })).toBeNull()
  })

  it.each<[string, readonly string[], string]>([
    ['has an update too early', [...first.slice(0, 3), mapOf(1, 2, rootOf(2))], 'a3'],
    ['lacks an update', [...first.slice(0, 3), mapOf(1, 3, rootOf(1))], 'a3'],
    ['claims entries after itself', [...first.slice(0, 3), mapOf(1, 4, rootOf(2))], 'a3'],
    ['goes back', [...first.slice(0, 5), mapOf(3, 2, rootOf(1))], 'a5'],
    ['repeats an epoch', [...first.slice(0, 5), mapOf(2, 3, rootOf(2))], 'a5'],
    ['leaves out an epoch', [...first.slice(0, 5), mapOf(4, 3, rootOf(2))], 'a5'],
    ['is the first and not called so', [...first.slice(0, 3), mapOf(2, 3, rootOf(2))], 'a3'],
  ])('are refused if one %s', (_, lines, place) => {
    expect(firstFault({ [FIRST]: lines })).toBe(place)
  })

  it('are refused if the next log goes on from another map', () => {
    expect(firstFault({ [FIRST]: first, [SECOND]: [opened(rootOf(2))] })).toBe('b0')
    expect(firstFault({ [FIRST]: first, [SECOND]: [opened(null), mapOf(3, 1, rootOf(2))] })).toBe('b1')
    expect(firstFault({ [FIRST]: first, [SECOND]: [opened(null), mapOf(3, 1, rootOf(3))] })).toBeNull()
  })
})

describe('key agreements of an account', () => {
  const [update] = updates
  const agreed = (times: readonly (number | undefined)[]) =>
    times.map((agreedAt, i) => ({ ...update!, seq: i + 1, statementHash: `a${i}`.repeat(48), agreedAt }))
  /** A map after each of them. */
  const mapped = (times: readonly (number | undefined)[]) => {
    const map = new AccountMap()
    return agreed(times).flatMap((next, i) => {
      map.count([next])
      return [updateLine(next), mapOf(i + 1, 2 * (i + 1), map.root)]
    })
  }

  it('are newer each time, and other updates come between them', () => {
    expect(found({ [FIRST]: [openEntry(FIRST, null), ...mapped([AT, undefined, AT + 1])] })).toBeNull()
  })

  it.each([
    ['goes back', [AT, undefined, AT - 1]],
    ['is of the same time', [AT, undefined, AT]],
  ])('are refused if one %s, in another map and in the same', (_, times) => {
    expect(found({ [FIRST]: [openEntry(FIRST, null), ...mapped(times)] })).toEqual(['a6', 'out_of_order'])
    const map = new AccountMap()
    map.count(agreed(times))
    const lines = [...agreed(times).map(updateLine), mapOf(1, 4, map.root)]
    expect(found({ [FIRST]: [openEntry(FIRST, null), ...lines] })).toEqual(['a4', 'out_of_order'])
    const opening = JSON.stringify({ ...(JSON.parse(openEntry(SECOND, END)) as object), map: { root: map.root } })
    const before = new AccountMap()
    before.count(agreed(times).slice(0, 2))
    const closing = [
      ...agreed(times).slice(0, 2).map(updateLine),
      mapOf(1, 3, before.root),
      updateLine(agreed(times)[2]!),
    ]
    expect(found({ [FIRST]: [openEntry(FIRST, null), ...closing], [SECOND]: [opening] })).toEqual([
      'b0',
      'out_of_order',
    ])
  })
})
