import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { mustBeNew, writeNew } from '../files.ts'
import { argument, count, flag, type Given, list, option, type Result } from '../result.ts'
import { clientWithSheet } from '../sheets/client-with-sheet.ts'
import { ofNote, openNotes } from './opened.ts'

/** Where it opens, another version makes it readable here. */
const NOT_FOR_THIS_KEY = '(older than this device: run svc note share --all where it opens)'
const MAX_NAME_CHARACTERS = 60

export async function writeNote(context: Context, given: Given): Promise<Result> {
  const file = option(given, 'file')
  if (file === undefined) throw usage('The note has no text', 'pass it with --file, or --file - for standard input')
  const body = await context.readText(file)
  const [title, over] = [option(given, 'title'), option(given, 'over')]
  const tags = list(given, 'tag')
  if (context.options.dryRun)
    return { data: over === undefined ? {} : { noteId: over }, text: `Would write ${body.length} characters.` }
  const { notes } = await context.client()
  // By whichever key: this text takes its place.
  const base = over === undefined ? undefined : await ofNote(over, notes.get(over, undefined, { acceptEnded: true }))
  if (base && base.order === 'unknown' && base.signer !== 'active')
    context.output.warn(
      `The version before is by a key that has ended, perhaps signed afterwards: svc note read ${over}`,
    )
  const text = { body, tags: tags.length > 0 ? tags : (base?.tags ?? []), title: title ?? base?.title ?? '' }
  const { noteId, version, recordHash, isConcurrent } = await notes.put(text, base)
  if (isConcurrent) context.output.warn('Somebody wrote another version at the same time. Both are kept.')
  return { data: { noteId, version, recordHash, isConcurrent }, text: `${noteId}, version ${version}` }
}

export async function listNotes(context: Context): Promise<Result> {
  const opened = await openNotes(context, (await context.client()).notes)
  const { noteNameOf } = await import('#client/functions')
  return {
    data: { notes: opened.map(({ entry, note }) => ({ ...entry, title: note?.title ?? null })) },
    text:
      opened.length === 0
        ? 'There are no notes. svc note write makes one.'
        : opened.map(({ entry: { noteId, version, status, updatedAt }, note }) => {
            const name = note === null ? NOT_FOR_THIS_KEY : noteNameOf(note).slice(0, MAX_NAME_CHARACTERS)
            const when = `${noteId}  version ${version}, ${new Date(updatedAt).toISOString()}`
            return `${when}  ${status === 'stored' ? name : '(deleted)'}`
          }),
  }
}

/** What nobody refers to is deleted a day later. */
export async function checkStore(context: Context): Promise<Result> {
  const { notes } = await context.client()
  const { differences } = await notes.rebuild({ dryRun: true })
  if (context.options.dryRun) return { data: { differences }, text: `${differences} differences.` }
  const { waiting } = await notes.collect()
  return {
    data: { differences, waiting },
    text: [
      differences === 0 ? 'The store has what the log says.' : `${differences} differences: ask the operator.`,
      `${waiting.objects} objects wait to be deleted, ${waiting.bytes} bytes.`,
    ],
  }
}

export async function readNote(context: Context, given: Given): Promise<Result> {
  const version = option(given, 'number') === undefined ? undefined : count(given, 'number', 1)
  const noteId = argument(given, 0)
  const words = option(given, 'words')
  const { notes } = words === undefined ? await context.client() : await clientWithSheet(context, words)
  const note = await ofNote(noteId, notes.get(noteId, version, { acceptEnded: flag(given, 'acceptEnded') }))
  const { title, body, tags, attachments, acceptedAt, signer, order } = note
  const files = attachments.map(({ name, bytes }) => `Attached  ${name}, ${bytes} bytes`)
  return {
    data: { noteId, version: note.version, title, body, tags, attachments, acceptedAt, signer, order },
    text: [...(title === '' ? [] : [`# ${title}`, '']), body, ...files],
  }
}

export async function noteHistory(context: Context, given: Given): Promise<Result> {
  const noteId = argument(given, 0)
  const versions = await ofNote(noteId, (await context.client()).notes.history(noteId))
  return {
    data: { noteId, versions },
    text: versions.map(({ version, acceptedAt }) => `version ${version}  ${new Date(acceptedAt).toISOString()}`),
  }
}

/** The receipt is the only proof that the service erased the note. */
export async function deleteNote(context: Context, given: Given): Promise<Result> {
  const noteId = argument(given, 0)
  const path = context.pathOf(option(given, 'out') ?? `${noteId}.receipt.json`)
  if (context.options.dryRun) return { data: { noteId }, text: `Would erase ${noteId}.` }
  await mustBeNew(path)
  await context.confirm(`Erase the note ${noteId} with all its versions?`)
  const receipt = await ofNote(noteId, (await context.client()).notes.delete(noteId))
  await writeNew(path, `${JSON.stringify(receipt, null, 2)}\n`)
  const { versions, attachments } = receipt.statement
  return {
    data: { noteId, versions, attachments, receipt: path },
    text: [`${noteId} is erased: ${versions} versions, ${attachments} attachments.`, `Receipt  ${path}`],
  }
}
