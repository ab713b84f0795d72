import { describe, expect, it } from 'vitest'
import { noteExcerpt, noteNameOf, searchNotes, unsharedNotes } from './search.ts'

describe('the search over decrypted notes', () => {
  const file = { attachmentId: 'a', name: 'Boat.jpg', type: 'image/jpeg', bytes: 1, keyB64u: '', cipherHash: '' }
  const blank = { title: '', body: '', tags: [], attachments: [] }
  const notes = [
    { ...blank, noteId: 'title', title: 'Lightship' },
    { ...blank, noteId: 'body', body: 'The old lightship\nmoved' },
    { ...blank, noteId: 'tag', tags: ['harbour'] },
    { ...blank, noteId: 'file', attachments: [file] },
  ]

  it.each([
    ['LIGHTship', ['title', 'body']],
    ['moved  old', ['body']],
    ['harbour', ['tag']],
    ['boat', ['file']],
    ['submarine', []],
    ['  ', ['title', 'body', 'tag', 'file']],
  ])('for “%s” looks at title, text, tags and file names', (query, ids) => {
    expect(searchNotes(notes, query).map(({ noteId }) => noteId)).toEqual(ids)
  })
})

it.each([
  [' Omelette ', 'eggs', 'Omelette'],
  ['', '\neggs\nmilk', 'eggs'],
  ['', '', ''],
])('a note with the title “%s” and the text “%s” is called “%s”', (title, body, name) => {
  expect(noteNameOf({ title, body })).toBe(name)
})

it('a note is unshared if a device came after it was written', () => {
  const note = { readers: ['root', 'laptop'] }
  expect(unsharedNotes([note], ['laptop', 'root'])).toEqual([])
  expect(unsharedNotes([note], ['laptop', 'root', 'phone'])).toEqual([note])
})

describe('an excerpt', () => {
  const long = `${'a'.repeat(200)} eggs\nand milk ${'b'.repeat(200)}`

  it.each([
    ['around what was found', long, 'milk EGGS', `…${'a'.repeat(29)} eggs and milk ${'b'.repeat(36)}…`],
    ['is the beginning if the text has no word of the query', long, 'soup', `${'a'.repeat(80)}…`],
    ['is all of a short text, in one line', ' eggs\n\nand milk\n', 'milk', 'eggs and milk'],
    ['of no text', '', 'milk', ''],
  ])('%s', (_, body, query, excerpt) => {
    expect(noteExcerpt({ body }, query)).toBe(excerpt)
  })
})
