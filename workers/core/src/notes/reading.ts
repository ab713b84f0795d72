import type { ObjectStorage } from '@svc/objects'
import { toHex } from '@svc/protocol/base/hash'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { merkleRoot } from '@svc/protocol/merkle/tree'
import type { Attachment, BlobRef, BlobRefs, NoteAppended, NoteIndex, NoteVersions } from '@svc/protocol/notes/api'
import type { NoteChange } from '@svc/protocol/notes/log'
import type { SignedNote } from '@svc/protocol/notes/notes'
import { type Blob, BlobIndex, refOf } from './blob-index.ts'
import type { NoteStatus, VaultUsage } from './rules.ts'
import { recordOf, VaultStore, type VersionRow } from './store.ts'

export type ReadRefusal = { readonly reason: 'not_found' | 'non_native_note_record' }

export interface ReadVersion {
  readonly appended: NoteAppended
  readonly record: SignedNote
  readonly r2Key: string
}

export interface ExportRow {
  readonly change: NoteChange
  readonly isErased: boolean
  readonly record: SignedNote | null
  readonly r2Key: string | null
  readonly bytes: number | null
}

export interface ExportRows {
  readonly size: number
  /** The current length of the log. */
  readonly length: number
  readonly root: string
  readonly rows: readonly ExportRow[]
}

const EMPTY_ROOT = toHex(merkleRoot([]))
const NO_USAGE: VaultUsage = { bytes: 0, objects: 0, refs: 0 }

/** A cursor is beyond the end of the log. */
export interface VaultBehind {
  readonly reason: 'vault_behind'
  readonly size: number
}

/** Reads a vault inside its object. A vault without a note has no tables, and is read as empty. */
export class VaultReading {
  readonly #stored: ObjectStorage
  readonly #store: VaultStore
  readonly #blobs: BlobIndex

  constructor(stored: ObjectStorage) {
    this.#stored = stored
    this.#store = new VaultStore(stored.sql)
    this.#blobs = new BlobIndex(stored.sql)
  }

  /** Entries of the log. */
  size(): number {
    return this.#stored.exists ? this.#store.size() : 0
  }

  index(cursor: number, limit: number): Result<NoteIndex, VaultBehind> {
    const size = this.size()
    if (cursor > size) return err({ reason: 'vault_behind', size })
    const found = this.#stored.exists ? this.#store.notes(cursor, limit + 1) : []
    const notes = found.slice(0, limit)
    const more = found.length > limit
    const last = notes.at(-1)
    return ok({ notes, cursor: String(more && last ? last.seq + 1 : size), more, size })
  }

  /** A version, by default the newest, and the attachments of its note. */
  read(
    noteId: string,
    version: number | null,
  ): Result<ReadVersion & { readonly attachments: readonly Attachment[] }, ReadRefusal> {
    const newest = this.status(noteId) === 'stored' ? this.#store.note(noteId)?.version : undefined
    const row = newest === undefined ? null : this.#store.version(noteId, version ?? newest)
    if (!row) return err({ reason: 'not_found' })
    const record = recordOf(row)
    if (!record) return err({ reason: 'non_native_note_record' })
    const { r2Key } = this.#mustFind(row.cipherHash)
    return ok({ appended: appendedOf(row), record, r2Key, attachments: this.#store.attachments(noteId) })
  }

  versions(noteId: string, from: number, limit: number): Result<NoteVersions, { reason: 'not_found' }> {
    if (this.status(noteId) !== 'stored') return err({ reason: 'not_found' })
    const found = this.#store.versions(noteId, from, limit + 1)
    return ok({ noteId, versions: found.slice(0, limit), next: found[limit]?.version ?? null })
  }

  attachment(noteId: string, attachmentId: string): Result<Attachment & { r2Key: string }, { reason: 'not_found' }> {
    const attachment = this.status(noteId) === 'stored' ? this.#store.attachment(noteId, attachmentId) : null
    if (!attachment) return err({ reason: 'not_found' })
    return ok({ ...attachment, r2Key: this.#mustFind(attachment.cipherHash).r2Key })
  }

  blob(cipherHash: string): BlobRef | null {
    const blob = this.#stored.exists ? this.#blobs.find(cipherHash) : null
    return blob && refOf(blob)
  }

  usage(): VaultUsage {
    return this.#stored.exists ? this.#blobs.usage() : NO_USAGE
  }

  refs(after: string, limit: number): BlobRefs {
    const found = this.#stored.exists ? this.#blobs.page(after, limit + 1) : []
    const blobs = found.slice(0, limit)
    return { blobs, next: found.length > limit ? (blobs.at(-1)?.cipherHash ?? null) : null }
  }

  /** Entries from an index on, of the log at `size`: as many as fit, and at least one. */
  export(
    from: number,
    claimedSize: number | null,
    max: { readonly entries: number; readonly bytes: number },
  ): Result<ExportRows, { reason: 'vault_behind'; size: number }> {
    const length = this.#stored.exists ? this.#store.size() : 0
    const size = claimedSize ?? length
    if (size > length || from > size) return err({ reason: 'vault_behind', size: length })
    const root = this.#stored.exists ? this.#store.root(size) : EMPTY_ROOT
    const rows: ExportRow[] = []
    let bytes = 0
    for (const change of this.#stored.exists ? this.#store.changes(from, Math.min(from + max.entries, size)) : []) {
      const row = this.#exportRow(change)
      bytes += change.kind === 'version' ? (row.bytes ?? 0) : 0
      if (rows.length > 0 && bytes > max.bytes) break
      rows.push(row)
    }
    return ok({ size, length, root, rows })
  }

  #exportRow(change: NoteChange): ExportRow {
    const { noteId, version, attachmentId } = change
    const isErased = this.status(noteId) === 'tombstoned' && change.kind !== 'tombstone'
    const nothing = { change, isErased, record: null, r2Key: null, bytes: null }
    if (isErased || change.kind === 'tombstone') return nothing
    if (attachmentId !== null) return { ...nothing, bytes: this.#store.attachment(noteId, attachmentId)?.bytes ?? null }
    const row = version === null ? null : this.#store.version(noteId, version)
    if (!row) throw new Error('an entry of the log without its record')
    const record = recordOf(row)
    const r2Key = record && (this.#blobs.find(row.cipherHash)?.r2Key ?? null)
    return { ...nothing, record, r2Key, bytes: row.bytes }
  }

  status(noteId: string): NoteStatus | null {
    return this.#stored.exists ? (this.#store.note(noteId)?.status ?? null) : null
  }

  /** Every ciphertext that a record refers to must be indexed. If it is not, the note is unavailable, not gone. */
  #mustFind(cipherHash: string): Blob {
    const blob = this.#blobs.find(cipherHash)
    if (!blob) throw new Error('a record without its ciphertext')
    return blob
  }
}

export function appendedOf({ noteId, version, seq, recordHash, acceptedAt }: VersionRow): NoteAppended {
  return { noteId, version, seq, recordHash, acceptedAt }
}
