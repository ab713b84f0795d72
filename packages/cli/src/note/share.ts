import type { Note } from '#client'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { flag, type Given, type Result } from '../result.ts'
import { ofNote, openNotes } from './opened.ts'

/**
 * A note is encrypted for the devices that there are when it is written. A device that came later gets a new version of it;
 * earlier versions stay closed to it.
 */
export async function shareNotes(context: Context, given: Given): Promise<Result> {
  const named = given.args.flat().filter((one) => one !== undefined)
  if (flag(given, 'all') === named.length > 0)
    throw usage('It is not clear which notes are meant', 'name them, or pass --all')
  const { unsharedNotes } = await import('#client/functions')
  const { notes: vault } = await context.client()
  const opened =
    named.length > 0
      ? await Promise.all(named.map((noteId) => ofNote(noteId, vault.get(noteId))))
      : (await openNotes(context, vault)).map(({ entry, note }) => (entry.status === 'stored' ? note : undefined))
  const unread = opened.filter((note) => note === null).length
  const readable = opened.filter((note): note is Note => Boolean(note))
  const meant = unsharedNotes(readable, await vault.readers())
  const data = { shared: meant.map(({ noteId }) => noteId), present: readable.length - meant.length, unread }
  if (context.options.dryRun) return { data, text: `Would be written again: ${meant.length}` }
  for (const [at, note] of meant.entries()) {
    context.output.progress(`${at + 1} of ${meant.length} notes`)
    const { isConcurrent } = await vault.put(note, note)
    if (isConcurrent) context.output.warn(`Somebody wrote another version of ${note.noteId} meanwhile. Both are kept.`)
  }
  return {
    data,
    text: [
      `Written again for all devices that read notes: ${meant.length}. Readable for all of them before: ${data.present}.`,
      ...(unread === 0 ? [] : [`Not opened with the keys here: ${unread}. Run it where they open.`]),
    ],
  }
}
