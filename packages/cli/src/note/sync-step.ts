/**
 * One step of a synchronization: between a file that its owner wrote, in whatever encoding, and a note.
 *
 * @module
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '#client'
import { textIn } from '../texts.ts'
import { fileOf, noteOf, type Step, type Synced } from './sync-plan.ts'

/** What a step needs of the notes. */
export type SyncedNotes = Pick<Client['notes'], 'get' | 'put'>

/**
 * Does a step, and notes it in `synced`. A file that is sent stays as it is, byte for byte. Throws a `CliError` for one that
 * is not a text, before anything is sent: its owner’s only copy must not be replaced by a damaged one.
 */
export async function follow(
  step: Step,
  folder: string,
  notes: SyncedNotes,
  synced: Map<string, Synced>,
): Promise<void> {
  const { hashOf } = await import('#client/functions')
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
    await replaceFile(path, content)
    synced.set(note.noteId, { noteId: note.noteId, file, version: note.version, hash: await hashOf(content) })
    return
  }
  const content = new Uint8Array(await readFile(path))
  const text = textIn(file, content)
  const base = step.noteId === null ? undefined : await notes.get(step.noteId)
  const isSame = base !== undefined && text === fileOf(base)
  const written = isSame ? base : await notes.put({ ...noteOf(text), tags: base?.tags ?? [] }, base)
  for (const [noteId, one] of synced) if (one.file === file) synced.delete(noteId)
  const { noteId, version } = written
  synced.set(noteId, { noteId, file, version, hash: await hashOf(content) })
}

/** A program that ends in between leaves the old file or the new one. */
export async function replaceFile(path: string, content: Uint8Array): Promise<void> {
  await writeFile(`${path}.next`, content, { mode: 0o600 })
  await rename(`${path}.next`, path)
}
