import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '@svc/client'
import * as z from 'zod'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { argument, type Given, type Result } from '../result.ts'
import { fileOf, noteOf, planOf, type Step, type Synced } from './sync-plan.ts'

const STATE = '.svc-notes.json'
const stateSchema = z.strictObject({
  did: z.string(),
  notes: z.array(z.strictObject({ noteId: z.string(), file: z.string(), version: z.int(), hash: z.string() })),
})

/** The files are decrypted: only their owner can read them. */
export async function sync(context: Context, given: Given): Promise<Result> {
  const folder = context.pathOf(argument(given, 0))
  const did = await context.did()
  const known = await stateOf(folder, did)
  const { notes } = await context.client()
  const listed = []
  for await (const entry of notes.all()) listed.push(entry)
  const files = await filesOf(folder)
  const steps = planOf(known, listed, files)
  const done = { pulled: 0, pushed: 0, removed: 0, concurrent: [] as string[] }
  const synced = new Map(known.map((one) => [one.noteId, one]))
  if (!context.options.dryRun) await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const [position, step] of steps.entries()) {
    context.output.progress(`${position + 1} of ${steps.length} files`)
    if (!context.options.dryRun) {
      await follow(step, folder, notes, synced)
      // After each step: what is done is not done again after an interruption.
      await writeState(folder, { did, notes: [...synced.values()] })
    }
    if (step.act === 'pull') done.pulled += 1
    if (step.act === 'push') done.pushed += 1
    if (step.act === 'remove') done.removed += 1
    if (step.act === 'push' && step.isConcurrent) done.concurrent.push(step.file)
  }
  for (const file of done.concurrent)
    context.output.warn(
      `${file} was changed on both sides. Yours is the newest version; svc note history has the other.`,
    )
  const would = context.options.dryRun ? 'Would be ' : ''
  return {
    data: { folder, ...done },
    text: `${would}${done.pulled} written here, ${done.pushed} sent, ${done.removed} removed`,
  }
}

type Notes = Client['notes']

async function follow(step: Step, folder: string, notes: Notes, synced: Map<string, Synced>): Promise<void> {
  const { hashOf } = await import('@svc/client/functions')
  const { file } = step
  const path = join(folder, file)
  if (step.act === 'remove') {
    await rm(path)
    synced.delete(step.noteId)
    return
  }
  if (step.act === 'pull') {
    const note = await notes.get(step.noteId)
    const content = new TextEncoder().encode(fileOf(note))
    await replace(path, content)
    synced.set(note.noteId, { noteId: note.noteId, file, version: note.version, hash: await hashOf(content) })
    return
  }
  const content = new Uint8Array(await readFile(path))
  const base = step.noteId === null ? undefined : await notes.get(step.noteId)
  const written = await notes.put({ ...noteOf(new TextDecoder().decode(content)), tags: base?.tags ?? [] }, base)
  for (const [noteId, one] of synced) if (one.file === file) synced.delete(noteId)
  const { noteId, version } = written
  synced.set(noteId, { noteId, file, version, hash: await hashOf(content) })
}

/** Names and hashes of the Markdown files. Subfolders are not looked into. */
async function filesOf(folder: string): Promise<Map<string, string>> {
  const { hashOf } = await import('@svc/client/functions')
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const hashes = new Map<string, string>()
  for (const entry of entries)
    if (entry.isFile() && entry.name.endsWith('.md'))
      hashes.set(entry.name, await hashOf(new Uint8Array(await readFile(join(folder, entry.name)))))
  return hashes
}

async function stateOf(folder: string, did: string): Promise<readonly Synced[]> {
  const text = await readFile(join(folder, STATE), 'utf8').catch(() => null)
  if (text === null) return []
  const parsed = stateSchema.safeParse(jsonOf(text))
  if (!parsed.success)
    throw usage(`${join(folder, STATE)} was changed by somebody`, 'delete it; files that differ become new notes')
  if (parsed.data.did === did) return parsed.data.notes
  throw usage(
    `The folder has the notes of ${parsed.data.did}`,
    'name another folder, or use the profile of that identity',
  )
}

function writeState(folder: string, state: z.infer<typeof stateSchema>): Promise<void> {
  return replace(join(folder, STATE), new TextEncoder().encode(`${JSON.stringify(state)}\n`))
}

async function replace(path: string, content: Uint8Array): Promise<void> {
  await writeFile(`${path}.next`, content, { mode: 0o600 })
  await rename(`${path}.next`, path)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
