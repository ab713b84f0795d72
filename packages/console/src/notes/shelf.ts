import type { Client, Note } from '@svc/client'
import { noteNameOf } from '@svc/client/functions'
import { words } from '../words/notes/words.ts'

/** How many notes are read at a time. */
const AT_A_TIME = 4

/** The notes of the vault, decrypted in this browser. */
export interface Shelf {
  /** The latest change first. */
  readonly notes: readonly Note[]
  /** Ids of those that were written before this browser joined, so its key cannot open them. */
  readonly closed: readonly string[]
  /** Opened, but they do not verify. */
  readonly wrong: number
}

export async function readShelf(client: Client, onRead: (done: number, total: number) => void): Promise<Shelf> {
  const ids: string[] = []
  for await (const { noteId, status } of client.notes.all()) if (status !== 'tombstoned') ids.push(noteId)
  const notes: Note[] = []
  const closed: string[] = []
  let wrong = 0
  const waiting = [...ids]
  let done = 0
  const read = async () => {
    for (let noteId = waiting.pop(); noteId !== undefined; noteId = waiting.pop()) {
      const answer = await client.notes.safeGet(noteId)
      if (answer.ok) notes.push(answer.value)
      else if (answer.error.reason === 'wrong_key') closed.push(noteId)
      else wrong += 1
      done += 1
      onRead(done, ids.length)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, read))
  return { notes: inOrder(notes), closed, wrong }
}

/** With a note as it is now, or without it. */
export function withNote(shelf: Shelf, noteId: string, note: Note | null): Shelf {
  const others = shelf.notes.filter((one) => one.noteId !== noteId)
  const closed = shelf.closed.filter((id) => id !== noteId)
  return { ...shelf, notes: inOrder(note ? [...others, note] : others), closed }
}

/** What a note is called in a list. */
export function nameOf(note: Pick<Note, 'title' | 'body'>): string {
  return noteNameOf(note) || words.untitled
}

function inOrder(notes: readonly Note[]): readonly Note[] {
  return notes.toSorted((a, b) => b.seq - a.seq)
}
