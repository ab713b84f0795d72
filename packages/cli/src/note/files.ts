import { basename } from 'node:path'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { asBytes } from '../files.ts'
import { argument, type Given, option, type Result } from '../result.ts'
import { ofNote } from './opened.ts'

export async function attach(context: Context, given: Given): Promise<Result> {
  const [noteId, file] = [argument(given, 0), argument(given, 1)]
  const bytes = await context.read(file)
  const name = basename(file)
  if (context.options.dryRun)
    return { data: { noteId, name, bytes: bytes.length }, text: `Would attach ${name} to ${noteId}.` }
  const { notes } = await context.client()
  const type = option(given, 'type') ?? 'application/octet-stream'
  const note = await notes.attach(
    await ofNote(noteId, notes.get(noteId)),
    { name, type, bytes },
    { onProgress: ({ done, total }) => context.output.progress(`${done} of ${total ?? '?'} bytes`) },
  )
  const added = note.attachments.findLast((one) => one.name === name)
  if (!added) throw new TypeError('The new version names the attachment')
  const { attachmentId } = added
  return {
    data: { noteId, version: note.version, attachmentId, name, bytes: bytes.length },
    text: `${name} is attached: ${noteId}, version ${note.version}`,
  }
}

/** The name is that of the newest attachment that is called so; an id of an attachment is taken too. */
export async function readFile(context: Context, given: Given): Promise<Result> {
  const [noteId, name, out] = [argument(given, 0), argument(given, 1), option(given, 'out')]
  const range = rangeOf(given)
  const { notes } = await context.client()
  const { attachments } = await ofNote(noteId, notes.get(noteId))
  const found = attachments.findLast((one) => one.name === name || one.attachmentId === name)
  if (!found)
    throw usage(
      `The note has no attachment ${name}`,
      attachments.length === 0 ? 'svc note attach' : `choose one of ${attachments.map((one) => one.name).join(', ')}`,
    )
  const bytes = await notes.attachment(noteId, found, {
    ...range,
    onProgress: ({ done, total }) => context.output.progress(`${done} of ${total ?? '?'} bytes`),
  })
  const { file, contentB64u, ...shown } = await asBytes(context, out, bytes)
  const { attachmentId, type } = found
  return {
    data: { noteId, attachmentId, name: found.name, type, bytes: bytes.length, file, contentB64u },
    ...shown,
  }
}

/** Typed like the range of a request: both ends are in it. */
function rangeOf(given: Given): { readonly start?: number; readonly end?: number } {
  const typed = option(given, 'range')
  if (typed === undefined) return {}
  const [, first, last] = /^(\d{1,15})-(\d{1,15})$/.exec(typed) ?? []
  if (first === undefined || Number(last) < Number(first))
    throw usage(`"${typed}" is not a range of bytes`, 'pass the first and the last, such as --range 0-99')
  return { start: Number(first), end: Number(last) + 1 }
}
