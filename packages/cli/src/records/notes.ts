import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { argument, type Given, list, option, type Result } from '../result.ts'

export async function writeNote(context: Context, given: Given): Promise<Result> {
  const file = option(given, 'file')
  if (file === undefined) throw usage('The note has no text', 'pass it with --file, or --file - for standard input')
  const body = new TextDecoder().decode(await context.read(file))
  const [title, over] = [option(given, 'title'), option(given, 'over')]
  const tags = list(given, 'tag')
  if (context.options.dryRun)
    return { data: { noteId: over ?? null, dryRun: true }, text: `Would write ${body.length} characters.` }
  const { notes } = await context.client()
  const base = over === undefined ? undefined : await notes.get(over)
  const text = { body, tags: tags.length > 0 ? tags : (base?.tags ?? []), title: title ?? base?.title ?? '' }
  const { noteId, version, recordHash, isConcurrent } = await notes.put(text, base)
  if (isConcurrent) context.output.warn('Somebody wrote another version at the same time. Both are kept.')
  return { data: { noteId, version, recordHash, isConcurrent }, text: `${noteId}, version ${version}` }
}

export async function listNotes(context: Context): Promise<Result> {
  const notes = []
  for await (const note of (await context.client()).notes.all()) notes.push(note)
  return { data: { notes }, text: notes.map(({ noteId, version }) => `${noteId}  version ${version}`) }
}

export async function readNote(context: Context, given: Given): Promise<Result> {
  const note = await (await context.client()).notes.get(argument(given, 0))
  const { noteId, version, title, body, tags, attachments, acceptedAt } = note
  return {
    data: { noteId, version, title, body, tags, attachments, acceptedAt },
    text: [...(title === '' ? [] : [`# ${title}`, '']), body],
  }
}
