import { describe, expect, it } from 'vitest'
import { ForkError, type HistoryError, type Piece, RollbackError, UnprovedError } from './errors.ts'
import { follow } from './extension.ts'
import { type LinkedLog, linkedLog } from './linked-log.ts'

/** An entry is its number, its hash, the hash before it, and the epoch of the key that signed it. */
interface Entry {
  readonly position: number
  readonly hash: string
  readonly previous: string
  readonly epoch: number | null
}

/** Entries named `a1`, `a2` and so on; `b` from an index on is another branch. */
function logOf(names: string, epochs: Readonly<Record<number, number | null>> = {}): Entry[] {
  return names.split('').map((name, i) => ({
    position: i + 1,
    hash: `${name}${i + 1}`,
    previous: i === 0 ? 'empty' : `${names[i - 1]}${i}`,
    epoch: i + 1 in epochs ? (epochs[i + 1] ?? null) : 0,
  }))
}

const asked: number[] = []
const showing = (entries: readonly Entry[]): LinkedLog<Entry> => ({
  name: { kind: 'inception', of: 'did:svc:test' },
  placeOf: ({ position, hash }) => ({ position, hash }),
  previousOf: ({ previous }) => previous,
  entries: async function* (from) {
    asked.push(from)
    for (const entry of entries) if (entry.position >= from) yield entry
  },
  epochOf: ({ epoch }) => Promise.resolve(epoch),
  emptyHash: () => Promise.resolve('empty'),
})
const pieceOf = (entry: Entry): Piece<Entry> => ({ position: entry.position, hash: entry.hash, signed: entry })
const known = (...entries: (Entry | undefined)[]) => entries.map((entry) => pieceOf(entry!))
const EMPTY: Piece<null> = { position: 0, hash: 'empty', signed: null }
const claim = (entries: readonly Entry[]) => pieceOf(entries.at(-1)!)

const truth = logOf('aaaaa')
/** A later key signed the third entry. */
const upToLater = logOf('aaa', { 3: 1 })

describe('a log of linked entries', () => {
  it.each<[string, Piece<Entry | null>[], Entry[]]>([
    ['itself', known(truth[2]), truth.slice(0, 3)],
    ['what follows', known(truth[2]), truth],
    ['what follows the empty log', [EMPTY], truth],
    ['both places that two clients knew', known(truth[1], truth[3]), truth],
    ['the first contact', [], truth],
    ['later keys', known(truth[2]), logOf('aaaaa', { 4: 1, 5: 1 })],
    ['the same later key', known(upToLater[2]), logOf('aaaaa', { 3: 1, 4: 1, 5: 1 })],
  ])('extends %s', async (_, remembered, entries) => {
    expect(await follow(linkedLog(showing(entries)), remembered, claim(entries))).toEqual(claim(entries))
  })

  it.each<[string, Piece<Entry | null>[], Entry[], abstract new (...parts: never[]) => HistoryError]>([
    ['ends earlier', known(truth[4]), truth.slice(0, 3), RollbackError],
    ['has another entry there', known(truth[2]), logOf('aab'), ForkError],
    ['goes on from another entry', known(truth[2]), logOf('aabbb'), ForkError],
    ['went another way before the second of two known places', known(truth[1], truth[3]), logOf('aabbb'), ForkError],
    ['is another one than the first of two known places', known(truth[1], truth[3]), logOf('bbbaa'), ForkError],
    ['leaves out an entry', known(truth[1]), [...truth.slice(0, 2), ...truth.slice(3)], ForkError],
    ['has an entry that nobody signed', known(truth[1]), logOf('aaaaa', { 4: null }), UnprovedError],
    ['goes on with a key that was superseded before', known(upToLater[2]), logOf('aaaaa', { 3: 1 }), UnprovedError],
    ['has an entry that this identity did not sign', known(logOf('aaa', { 3: null })[2]), truth, UnprovedError],
    ['has an entry by a superseded key', known(truth[1]), logOf('aaaaa', { 3: 1 }), UnprovedError],
  ])('that %s is refused', async (_, remembered, entries, error) => {
    await expect(follow(linkedLog(showing(entries)), remembered, claim(entries))).rejects.toThrow(error)
  })

  it.each([
    ['ends before it', truth, { position: 7, hash: 'a7' }],
    ['has another entry at it', truth, { position: 5, hash: 'b5' }],
  ])('does not prove a head if it %s', async (_, entries, head) => {
    await expect(follow(linkedLog(showing(entries)), known(truth[1]), head)).rejects.toThrow(UnprovedError)
  })

  it('reads only what lies between', async () => {
    asked.length = 0
    await follow(linkedLog(showing(truth)), known(truth[2]), claim(truth))
    await follow(linkedLog(showing(truth)), known(truth[4]), claim(truth))
    expect(asked).toEqual([4])
  })

  it('is not begun by an entry that nobody signed', async () => {
    const entries = logOf('aaa', { 3: null })
    const refusal = 'Nothing proves what the service claims of the inception log'
    await expect(follow(linkedLog(showing(entries)), [], claim(entries))).rejects.toThrow(refusal)
    await expect(follow(linkedLog(showing(entries)), [], { position: 0, hash: 'other' })).rejects.toThrow(refusal)
  })
})
