import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { ArchivedItem } from '#client'
import { NOTE_ARCHIVE_FORMAT, noteArchiveLines } from '#client/functions'
import { invalid, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { argument, type Given, option, type Result } from '../result.ts'
import { passOver } from './opened.ts'

/**
 * One line of JSON for each piece, so that a large vault needs little memory. The file has its name only once it is
 * complete: a part of an export cannot be restored.
 */
export async function exportNotes(context: Context, given: Given): Promise<Result> {
  const out = option(given, 'out')
  if (out === undefined) throw usage('The file is missing', 'svc note export --out notes.jsonl')
  const path = context.pathOf(out)
  const [part, free] = [`${path}.part`, await open(path, 'wx', 0o600).catch(() => null)]
  if (!free) throw usage(`${path} cannot be written`, 'name a new file in a folder that you can write to')
  await free.close()
  const file = await open(part, 'w', 0o600)
  const counted = { entries: 0, attachments: 0 }
  try {
    const items = (await context.client()).notes.export()
    for await (const line of noteArchiveLines(await context.did(), counting(items, counted))) {
      context.output.progress(`${counted.entries} entries, ${counted.attachments} attachments`)
      await file.write(`${line}\n`)
    }
  } catch (error) {
    await Promise.all([path, part].map((one) => rm(one, { force: true })))
    throw error
  } finally {
    await file.close()
  }
  if (context.options.dryRun) await Promise.all([path, part].map((one) => rm(one)))
  else await rename(part, path)
  return {
    data: { file: path, ...counted },
    text: `${context.options.dryRun ? 'Would write' : 'Wrote'} ${path}: ${counted.entries} entries, ${counted.attachments} attachments`,
  }
}

/** Can be started again: what is there already is not sent. */
export async function restoreNotes(context: Context, given: Given): Promise<Result> {
  const name = argument(given, 0)
  const items = itemsOf(context.pathOf(name), name)
  if (context.options.dryRun) {
    let pieces = 0
    for await (const _ of items) pieces += 1
    return { data: {}, text: `Would restore ${pieces} pieces.` }
  }
  const receiptKeyB64u = option(given, 'receiptKey')
  const { restored, present, merged, passedOver } = await (await context.client()).notes.restore(items, {
    ...(receiptKeyB64u !== undefined && { receiptKeyB64u }),
    onProgress: ({ done, total }) => context.output.progress(`${done} of ${total ?? '?'} entries`),
  })
  for (const { noteId, error } of passedOver) passOver(context.output, noteId, error)
  return {
    data: { restored, present, merged },
    text: `${restored} versions were sent, ${present} were there${merged.length > 0 ? `, ${merged.length} notes were changed on both sides` : ''}.`,
  }
}

async function* counting(items: AsyncIterable<ArchivedItem>, counted: { entries: number; attachments: number }) {
  for await (const item of items) {
    if (item.kind === 'page') counted.entries += item.page.entries.length
    if (item.kind === 'attachment') counted.attachments += 1
    yield item
  }
}

async function* itemsOf(path: string, name: string): AsyncGenerator<ArchivedItem> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })
  let isFirst = true
  try {
    for await (const line of lines) {
      const value = parsed(line, name)
      if (isFirst && value['format'] !== NOTE_ARCHIVE_FORMAT) throw malformed(name)
      if (!isFirst) yield itemOf(value)
      isFirst = false
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'EISDIR')
      throw usage(`${name} cannot be read (${code})`, 'pass a file of svc note export')
    throw error
  }
  if (isFirst) throw malformed(name)
}

/** What is in a piece is verified where it is restored. */
function itemOf({ sealedB64u, ...value }: Record<string, unknown>): ArchivedItem {
  const sealed = typeof sealedB64u === 'string' ? { sealed: new Uint8Array(Buffer.from(sealedB64u, 'base64url')) } : {}
  return { ...value, ...sealed } as ArchivedItem
}

function parsed(line: string, name: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // Told below.
  }
  throw malformed(name)
}

function malformed(name: string) {
  return invalid('malformed', `${name} is not an export of notes`, 'pass a complete file of svc note export')
}
