import type { Note } from '#client'
import type { Context } from '../context.ts'
import type { Given, Result } from '../result.ts'
import { openNotes } from './opened.ts'

/** The notes are decrypted and searched here: the service does not learn the words. */
export async function findNotes(context: Context, { args }: Given): Promise<Result> {
  const query = args.flat().join(' ')
  const { noteExcerpt, noteNameOf, searchNotes } = await import('#client/functions')
  const opened = await openNotes(context, (await context.client()).notes)
  const readable = opened.flatMap(({ note }) => (note === null ? [] : [note]))
  const unread = opened.filter(({ entry, note }) => entry.status === 'stored' && note === null).length
  const notes = searchNotes<Note>(readable, query).map((note) => ({
    noteId: note.noteId,
    title: note.title,
    excerpt: noteExcerpt(note, query),
    name: noteNameOf(note),
  }))
  return {
    data: { notes: notes.map(({ noteId, title, excerpt }) => ({ noteId, title, excerpt })), unread },
    text: [
      ...(notes.length === 0 ? ['No note has all of these words.'] : []),
      ...notes.flatMap(({ noteId, name, excerpt }) => [
        `${noteId}  ${name}`,
        ...(excerpt === '' || excerpt === name ? [] : [`    ${excerpt}`]),
      ]),
      ...(unread === 0 ? [] : [`Not opened with the keys here: ${unread}. Run svc note share --all where they open.`]),
    ],
  }
}
