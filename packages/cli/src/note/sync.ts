import { mkdir, readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import * as z from 'zod'
import { CliError, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { argument, type Given, type Result } from '../result.ts'
import { readTextIfThere } from '../texts.ts'
import { passOver } from './opened.ts'
import { planOf, type Step, type Synced } from './sync-plan.ts'
import { follow, replaceFile, type SyncedNotes } from './sync-step.ts'

const STATE = '.svc-notes.json'
/** A state from elsewhere must not name files outside of the folder. */
const fileSchema = z.string().refine((file) => file === basename(file) && file.endsWith('.md'))
const stateSchema = z.strictObject({
  did: z.string(),
  notes: z.array(z.strictObject({ noteId: z.string(), file: fileSchema, version: z.int(), hash: z.string() })),
})

/** The files are decrypted: only their owner can read them. */
export async function sync(context: Context, given: Given): Promise<Result> {
  const folder = context.pathOf(argument(given, 0))
  const did = await context.did()
  const known = await stateOf(folder, did)
  const { notes } = await context.client()
  const listed = []
  const { isStampNote } = await import('#client/functions')
  for await (const entry of notes.all()) if (!isStampNote(entry.noteId)) listed.push(entry)
  const files = await filesOf(folder)
  const steps = planOf(known, listed, files)
  const done = { pulled: 0, pushed: 0, removed: 0, concurrent: [] as string[], leftAlone: [] as string[] }
  const synced = new Map(known.map((one) => [one.noteId, one]))
  if (!context.options.dryRun) await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const [position, step] of steps.entries()) {
    context.output.progress(`${position + 1} of ${steps.length} files`)
    if (!context.options.dryRun) {
      if (!(await followed(context.output, step, folder, notes, synced))) {
        done.leftAlone.push(step.file)
        continue
      }
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
    exitCode: done.leftAlone.length > 0 ? EXIT.pending : EXIT.ok,
  }
}

/** False for a note that does not verify, and for a file that is not a text: both stay as they are. */
async function followed(output: Context['output'], step: Step, ...rest: Following): Promise<boolean> {
  try {
    await follow(step, ...rest)
    return true
  } catch (error) {
    if (step.noteId !== null && !(error instanceof CliError)) {
      passOver(output, step.noteId, error)
      return false
    }
    if (!(error instanceof CliError) || step.act !== 'push') throw error
    output.warn(`${error.message}. It is left as it is, and not sent: save it as UTF-8, and run it again.`)
    return false
  }
}

type Following = readonly [folder: string, notes: SyncedNotes, synced: Map<string, Synced>]

/** Names and hashes of the Markdown files. Subfolders are not looked into. */
async function filesOf(folder: string): Promise<Map<string, string>> {
  const { hashOf } = await import('#client/functions')
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const hashes = new Map<string, string>()
  for (const entry of entries)
    if (entry.isFile() && entry.name.endsWith('.md'))
      hashes.set(entry.name, await hashOf(new Uint8Array(await readFile(join(folder, entry.name)))))
  return hashes
}

async function stateOf(folder: string, did: string): Promise<readonly Synced[]> {
  const text = await readTextIfThere(join(folder, STATE))
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
  return replaceFile(join(folder, STATE), new TextEncoder().encode(`${JSON.stringify(state)}\n`))
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
