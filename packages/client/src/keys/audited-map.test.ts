import { type MapEntry, mapLine } from '@svc/protocol/keys/account-map'
import { updateEntryOf, updateLine } from '@svc/protocol/keys/account-updates'
import { AccountMap } from '@svc/protocol/keys/map-in-memory'
import { openEntry } from '@svc/protocol/merkle/entries'
import { describe, expect, it } from 'vitest'
import { AuditedMap } from './audited-map.ts'

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

/** The first entry that does not follow, as log and index; null if all do. */
function firstFault(logs: Readonly<Record<string, readonly string[]>>): string | null {
  const map = new AuditedMap()
  for (const [log, lines] of Object.entries(logs))
    for (const [position, line] of lines.entries())
      if (!map.take(line, updateEntryOf(line), { log, position })) return `${log.at(-1)}${position}`
  return null
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
