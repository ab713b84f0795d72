import type { Client, Note } from '@svc/client'
import { expect, it } from 'vitest'
import { readShelf, type Shelf, withNote } from './shelf.ts'

const note = (noteId: string, members: Partial<Note> = {}): Note => ({
  noteId,
  title: '',
  body: '',
  tags: [],
  attachments: [],
  version: 1,
  recordHash: 'ab'.repeat(48),
  follows: null,
  seq: 0,
  acceptedAt: 0,
  keyId: 'cd'.repeat(48),
  readers: ['root', 'laptop'],
  signer: 'active' as const,
  order: 'inception' as const,
  ...members,
})
const idsOf = (notes: readonly Note[]) => notes.map(({ noteId }) => noteId)

it('a change puts a note first, and a deletion removes it', () => {
  const shelf: Shelf = { notes: [note('b', { seq: 1 }), note('a')], closed: ['c', 'd'], wrong: 0 }
  const changed = withNote(shelf, 'a', note('a', { seq: 2 }))
  expect(idsOf(changed.notes)).toEqual(['a', 'b'])
  expect(idsOf(withNote(changed, 'b', null).notes)).toEqual(['a'])
  expect(changed.closed).toEqual(['c', 'd'])
  expect(withNote(changed, 'c', note('c')).closed).toEqual(['d'])
})

it('notes that do not open or do not verify hide no other', async () => {
  const entries = ['a', 'closed', 'wrong', 'b'].map((noteId) => ({ noteId, status: 'stored' }))
  const answerTo = (noteId: string) => {
    if (noteId === 'closed') return { ok: false, error: { reason: 'wrong_key' } }
    return noteId === 'wrong' ? { ok: false, error: { reason: 'malformed' } } : { ok: true, value: note(noteId) }
  }
  const notes = { all: () => entries.values(), safeGet: async (noteId: string) => answerTo(noteId) }
  const shelf = await readShelf({ notes } as unknown as Client, () => {})
  expect({ ...shelf, notes: idsOf(shelf.notes).toSorted() }).toEqual({
    notes: ['a', 'b'],
    closed: ['closed'],
    wrong: 1,
  })
})
