import { describe, expect, it } from 'vitest'
import { fileOf, noteOf, planOf } from './sync-plan.ts'

const known = { noteId: 'n', file: 'n.md', version: 1, hash: 'a' }
const stored = (version: number, noteId = 'n') => ({ noteId, version, status: 'stored' }) as const
const gone = { noteId: 'n', version: 1, status: 'tombstoned' } as const

describe('a plan', () => {
  it.each([
    ['nothing if both are as they were', [known], [stored(1)], { 'n.md': 'a' }, []],
    ['a new note', [], [stored(1)], {}, [{ act: 'pull', noteId: 'n', file: 'n.md' }]],
    ['a newer version', [known], [stored(2)], { 'n.md': 'a' }, [{ act: 'pull', noteId: 'n', file: 'n.md' }]],
    ['a file that is gone', [known], [stored(1)], {}, [{ act: 'pull', noteId: 'n', file: 'n.md' }]],
    [
      'a changed file',
      [known],
      [stored(1)],
      { 'n.md': 'b' },
      [{ act: 'push', noteId: 'n', file: 'n.md', isConcurrent: false }],
    ],
    [
      'a change on both sides',
      [known],
      [stored(2)],
      { 'n.md': 'b' },
      [{ act: 'push', noteId: 'n', file: 'n.md', isConcurrent: true }],
    ],
    ['a new file', [], [], { 'new.md': 'b' }, [{ act: 'push', noteId: null, file: 'new.md', isConcurrent: false }]],
    ['a deleted note', [known], [gone], { 'n.md': 'a' }, [{ act: 'remove', noteId: 'n', file: 'n.md' }]],
    ['a deleted note without a file', [known], [gone], {}, []],
    [
      'a file that was changed after its note was deleted',
      [known],
      [gone],
      { 'n.md': 'b' },
      [{ act: 'push', noteId: null, file: 'n.md', isConcurrent: true }],
    ],
    ['a note that was deleted before it came here', [], [gone], {}, []],
    [
      'a file whose state is lost, which is not overwritten',
      [],
      [stored(1)],
      { 'n.md': 'b' },
      [{ act: 'push', noteId: 'n', file: 'n.md', isConcurrent: true }],
    ],
  ])('has %s', (_, synced, listed, files, steps) => {
    expect(planOf(synced, listed, new Map(Object.entries(files)))).toEqual(steps)
  })
})

it('reads a file as it was written', () => {
  for (const note of [
    { title: 'Omelette', body: 'eggs\n\nand milk\n' },
    { title: '', body: 'no title' },
    { title: 'Empty', body: '' },
  ])
    expect(noteOf(fileOf(note))).toEqual(note)
})

it('reads the title of a file with the line ends of Windows', () => {
  expect(noteOf('# Omelette\r\n\r\neggs\r\n')).toEqual({ title: 'Omelette', body: 'eggs\r\n' })
})
