import type { Client, Note } from '#client'
import { CliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'

type Notes = Client['notes']
export type NoteEntry = Awaited<ReturnType<Notes['list']>>['notes'][number]

/** How many notes are read at a time. */
const AT_A_TIME = 4

/** A note as listed, and as decrypted: null if it was deleted, is not encrypted for the keys here, or was passed over. */
export interface Opened {
  readonly entry: NoteEntry
  readonly note: Note | null
}

/** All notes but the stamps of anchors, by their newest change. What does not open stands in no other note's way: it is named, with why. */
export async function openNotes({ output }: Context, notes: Pick<Notes, 'all' | 'get'>): Promise<readonly Opened[]> {
  const opened: Opened[] = []
  const { isStampNote } = await import('#client/functions')
  for await (const entry of notes.all()) if (!isStampNote(entry.noteId)) opened.push({ entry, note: null })
  const waiting = [...opened.entries()].filter(([, { entry }]) => entry.status === 'stored')
  let done = 0
  const read = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, { entry }] = next
      opened[at] = { entry, note: await openedOrNull(output, notes, entry.noteId) }
      done += 1
      output.progress(`${done} of ${done + waiting.length} notes`)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, read))
  return opened
}

async function openedOrNull(output: Warns, notes: Pick<Notes, 'get'>, noteId: string): Promise<Note | null> {
  try {
    return await notes.get(noteId)
  } catch (error) {
    if (reasonOf(error) !== 'wrong_key') passOver(output, noteId, error)
    return null
  }
}

type Warns = Pick<Context['output'], 'warn'>

/**
 * Names a note that does not verify, and goes on without it. Throws everything else: also what contradicts what was seen
 * before, which has a name of its own.
 */
export function passOver(output: Warns, noteId: string, error: unknown): void {
  const reason = reasonOf(error)
  if (reason === null) throw error
  output.warn(`The note ${noteId} was passed over (${reason}): ${(error as Error).message}`)
}

function reasonOf(error: unknown): string | null {
  if (!(error instanceof Error) || error.name !== 'VerificationError' || !('reason' in error)) return null
  return String(error.reason)
}

/** What a call about a note answers. Refuses a note that is not there by its id, instead of the address that was called. */
export async function ofNote<T>(noteId: string, call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof Error && 'error' in error && error.error === 'not_found')) throw error
    throw new CliError(
      {
        exitCode: EXIT.refused,
        code: 'not_found',
        message: `There is no note ${noteId}, or not this version of it`,
        next: 'svc note list shows the notes; svc note history NOTE shows the versions of one',
        page: '/developer/notes',
      },
      { cause: error },
    )
  }
}
