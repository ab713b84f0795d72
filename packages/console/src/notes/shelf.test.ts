import type { Note } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { found, type Shelf, unshared, withNote } from './shelf.ts'

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
  ...members,
})
const idsOf = (notes: readonly Note[]) => notes.map(({ noteId }) => noteId)

describe('the search over decrypted notes', () => {
  const file = { attachmentId: 'a', name: 'Boat.jpg', type: 'image/jpeg', bytes: 1, keyB64u: '', cipherHash: '' }
  const notes = [
    note('title', { title: 'Lightship' }),
    note('body', { body: 'The old lightship\nmoved' }),
    note('tag', { tags: ['harbour'] }),
    note('file', { attachments: [file] }),
  ]

  it.each([
    ['LIGHTship', ['title', 'body']],
    ['moved  old', ['body']],
    ['harbour', ['tag']],
    ['boat', ['file']],
    ['submarine', []],
    ['  ', ['title', 'body', 'tag', 'file']],
  ])('for “%s” looks at title, text, tags and file names', (query, ids) => {
    expect(idsOf(found(notes, query))).toEqual(ids)
  })
})

it('a change puts a note first, and a deletion removes it', () => {
  const shelf: Shelf = { notes: [note('b', { seq: 1 }), note('a')], closed: 2, wrong: 0 }
  const changed = withNote(shelf, 'a', note('a', { seq: 2 }))
  expect(idsOf(changed.notes)).toEqual(['a', 'b'])
  expect(idsOf(withNote(changed, 'b', null).notes)).toEqual(['a'])
  expect(changed.closed).toBe(2)
})

it('a note is unshared if a device came after it was written', () => {
  expect(unshared([note('a')], ['laptop', 'root'])).toEqual([])
  expect(idsOf(unshared([note('a')], ['laptop', 'root', 'phone']))).toEqual(['a'])
})
