import type { Client, Note } from '@svc/client'
import { draftsOf } from '../drafts/drafts.ts'
import type { DraftDevice } from '../drafts/sealing.ts'
import type { NoteDraft } from './editor.ts'

/** The address of the notes; each note has one below it. */
export const NOTES = '/notes'
const NEW = 'new'

/** Null for a note that is not written yet. */
export const noteAddress = (noteId: string | null): string => `${NOTES}/${encodeURIComponent(noteId ?? NEW)}`

/** What an address opens: the list, a new note, or a note. */
export type Address = { readonly is: 'list' } | { readonly is: 'note'; readonly noteId: string | null }

export function addressOf(path: string): Address {
  const named = path.startsWith(`${NOTES}/`) ? decoded(path.slice(NOTES.length + 1)) : ''
  if (named === '') return { is: 'list' }
  return { is: 'note', noteId: named === NEW ? null : named }
}

export const noteDraftOf = (noteId: string | null): string => `note/${noteId ?? NEW}`

export interface Opened {
  readonly note: Note | null
  readonly draft: NoteDraft | null
  /** The note has a newer version than the one that the draft changed. */
  readonly isOlder: boolean
}

/** A note as it is now, since another device may have changed it, with what was typed here and not saved. */
export async function openNote(client: Client, device: DraftDevice, noteId: string | null): Promise<Opened> {
  const [note, draft] = await Promise.all([
    noteId === null ? null : client.notes.get(noteId),
    draftsOf(device).read(noteDraftOf(noteId)) as Promise<NoteDraft | null>,
  ])
  return { note, draft, isOlder: draft !== null && note !== null && draft.version < note.version }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
