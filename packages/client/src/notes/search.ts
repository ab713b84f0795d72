import { checkCall } from '../arguments/check.ts'
import type { Note, NoteContent } from './record.ts'

const EXCERPT_CHARACTERS = 80
/** How much of an excerpt is in front of what was found. */
const BEFORE_CHARACTERS = 30

/**
 * The notes that have every word of a query, in any case: in the title, the text, the tags or the names of the files. An
 * empty query finds all. The notes are decrypted, so nothing is sent.
 */
export function searchNotes<N extends NoteContent>(notes: readonly N[], query: string): readonly N[] {
  checkCall('searchNotes', [notes, query], ['notes', 'query'])
  const wanted = wordsOf(query)
  return notes.filter(({ title, body, tags, attachments }) => {
    const text = [title, body, ...tags, ...attachments.map(({ name }) => name)].join('\n').toLowerCase()
    return wanted.every((word) => text.includes(word))
  })
}

/**
 * A part of the text of a note, in one line of some 80 characters: around the first word of a query that the text has, or
 * its beginning.
 */
export function noteExcerpt(note: Pick<NoteContent, 'body'>, query: string): string {
  checkCall('noteExcerpt', [note, query], ['note', 'query'])
  const line = note.body.replaceAll(/\s+/g, ' ').trim()
  const places = wordsOf(query).map((word) => line.toLowerCase().indexOf(word))
  const first = Math.min(...places.filter((at) => at >= 0))
  const from = Number.isFinite(first) ? Math.max(0, first - BEFORE_CHARACTERS) : 0
  const part = line.slice(from, from + EXCERPT_CHARACTERS)
  return `${from > 0 ? '…' : ''}${part}${from + part.length < line.length ? '…' : ''}`
}

/** What a note is called in a list: its title, else the first line of its text. Empty if it has neither. */
export function noteNameOf(note: Pick<NoteContent, 'title' | 'body'>): string {
  checkCall('noteNameOf', [note], ['note'])
  const { title, body } = note
  return title.trim() || (body.trim().split('\n', 1)[0] ?? '')
}

/** The notes that some of these readers, such as `notes.readers()`, cannot open: write them again with `put(note, note)`. */
export function unsharedNotes<N extends Pick<Note, 'readers'>>(
  notes: readonly N[],
  readers: readonly string[],
): readonly N[] {
  checkCall('unsharedNotes', [notes, readers], ['notes', 'readers'])
  return notes.filter((note) => readers.some((reader) => !note.readers.includes(reader)))
}

function wordsOf(query: string): readonly string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
}
