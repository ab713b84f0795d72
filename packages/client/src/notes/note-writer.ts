import { type KnownInception, newerHead } from '#protocol/base/inception-head'
import { statementHash } from '#protocol/base/statement'
import { type NoteAppended, noteAppendedSchema } from '#protocol/notes/api'
import type { NoteStatement, NoteSubmission } from '#protocol/notes/notes'
import { randomId } from '../transport/random-id.ts'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'
import { writtenNote } from './batch.ts'
import type { NoteHeads } from './note-heads.ts'
import type { NoteReader } from './note-reader.ts'
import { type AttachedFile, contentOf, isSame, merge, type Note, type NoteContent, type NoteRecords } from './record.ts'
import type { NoteBase, WrittenNote } from './vault.ts'

/** How often adding an attachment is merged with concurrent writes. */
const MAX_MERGES = 8

interface Parts {
  readonly transport: Transport
  readonly url: () => string
  readonly reader: NoteReader
  readonly records: NoteRecords
  readonly heads: NoteHeads
}

/** Seals versions of notes and sends them, and merges those that others wrote at the same time. */
export class NoteWriter {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async write(
    content: NoteContent,
    operation: NoteStatement['header']['operation'],
    base: (Partial<NoteBase> & { readonly ext?: Record<string, string>; readonly after?: KnownInception }) | null,
  ): Promise<WrittenNote> {
    const noteId = base?.noteId ?? randomId()
    const follows = base?.recordHash ?? null
    const seen = await this.#parts.heads.of(noteId)
    const after = newerHead(seen.inception, base?.after ?? null)
    const facts = { noteId, operation, follows, ext: base?.ext, after }
    const submission = await this.#parts.records.seal(content, facts)
    const appended = await this.send(submission)
    await seen.written({ ...appended, ...submission })
    return writtenNote(content, submission, appended, base?.version)
  }

  /** Sends a version as it was sealed. */
  async send(submission: NoteSubmission): Promise<NoteAppended> {
    const call = { method: 'POST', url: this.#parts.url(), audience: 'notes', body: submission } as const
    const appended = await this.#parts.transport.data(call, noteAppendedSchema)
    if (appended.recordHash !== statementHash(submission.statement))
      throw unverified('note', 'different_answer', 'Core answered for a different note')
    return appended
  }

  /** Writes the version that names an uploaded file. */
  async attach(note: Note, file: AttachedFile): Promise<Note> {
    let base: NoteBase = note
    let content: NoteContent = { ...contentOf(note), attachments: [...note.attachments, file] }
    for (let merges = 0; merges < MAX_MERGES; merges++) {
      const written = await this.write(content, 'attach', base)
      const merged = await this.#merged(content, base, written)
      // A version in between that adds nothing new is another writer merging as this one does.
      if (isSame(merged, content)) return written
      content = merged
      base = written
    }
    throw new Error('Too many concurrent writes to the note: try again')
  }

  /** The new content, merged with what others wrote between two versions. */
  async #merged(content: NoteContent, base: NoteBase, written: NoteBase): Promise<NoteContent> {
    let merged = content
    for (let version = base.version + 1; version < written.version; version++) {
      const stored = await this.#parts.reader.read(written.noteId, version)
      merged = merge(merged, await this.#parts.records.open(stored), stored.statement.header.operation)
    }
    return merged
  }
}
