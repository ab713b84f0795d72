import type { KnownInception } from '#protocol/base/inception-head'
import type { AttestDevice } from '#protocol/devices/inception'
import type { NoteAppended, NoteVersion, VersionSummary } from '#protocol/notes/api'
import type { NoteSubmission, SignedNote } from '#protocol/notes/notes'
import type { ReadNoteOptions } from './order/note-signing.ts'
import type { Note } from './record.ts'

export interface NoteText {
  readonly title?: string
  readonly body: string
  readonly tags?: readonly string[]
}

export interface WrittenNote extends Note {
  /** Another version was written between the given one and this one: see `history`. */
  readonly isConcurrent: boolean
}

/** What a new version follows: a note as read or written. */
export type NoteBase = Pick<Note, 'noteId' | 'version' | 'recordHash' | 'attachments'>

/** `after` is the event that the version names, if it was sent as signed. The next version may not name an older event. */
export type RestoredBase = NoteBase & { readonly after?: KnownInception }

/** What an export is read from and written back to: `Notes`, as far as an archive needs it. */
export interface Vault {
  readonly get: (noteId: string, version?: number, options?: ReadNoteOptions) => Promise<Note>
  readonly history: (noteId: string) => Promise<readonly VersionSummary[]>
  readonly originOf: (noteId: string, version: number) => Promise<string | null>
  readonly open: (stored: NoteVersion, options?: ReadNoteOptions) => Promise<Note>
  readonly send: (submission: NoteSubmission) => Promise<NoteAppended>
  readonly rewrite: (note: Note, base: RestoredBase | null, origin: string) => Promise<WrittenNote>
  readonly ciphertext: (noteId: string, attachmentId: string) => Promise<Uint8Array>
  readonly putCiphertext: (noteId: string, attachmentId: string, sealed: Uint8Array) => Promise<void>
  readonly has: (cipherHash: string) => Promise<boolean>
  readonly attestations: () => Promise<readonly AttestDevice[]>
  readonly learn: (attestations: readonly AttestDevice[]) => Promise<void>
  readonly isOurs: (record: SignedNote) => Promise<boolean>
  readonly check: (record: SignedNote) => Promise<void>
}

/** A path with the members of a query that are given. */
export function pathOf(path: string, query: Record<string, string | number | undefined>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.size === 0 ? path : `${path}?${search.toString()}`
}
