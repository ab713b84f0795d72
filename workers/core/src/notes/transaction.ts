/**
 * What changes a vault. The object only forwards calls and keeps the alarm; `reading.ts` reads, and deletion from R2 is in
 * `blob-collector.ts`.
 *
 * @module
 */
import type { ObjectStorage } from '@svc/objects'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { Attachment, NoteAppended } from '@svc/protocol/notes/api'
import { LOG_ENTRY_BYTES, NO_ROOM, plus, type Room } from '../storage/rules.ts'
import { BlobAudit } from './blob-audit.ts'
import { BlobIndex } from './blob-index.ts'
import type { LeaseShort, VaultLease } from './lease.ts'
import { appendedOf, type VaultReading } from './reading.ts'
import {
  checkOrder,
  checkPlace,
  GRACE_MS,
  hasRoom,
  MAX_UPLOAD_MS,
  type OrderRefusal,
  type PlaceRefusal,
  type VaultLimits,
} from './rules.ts'
import { NOTE_VAULT } from './schema.ts'
import { recordOf, VaultStore, type VersionRow } from './store.ts'
import { type Upload, UploadIndex } from './upload-index.ts'

export type NewVersion = Pick<
  VersionRow,
  'noteId' | 'recordHash' | 'cipherHash' | 'bytes' | 'keyId' | 'operation' | 'follows' | 'record'
> &
  Upload

/** Without an upload, the vault must already have the ciphertext. */
export interface NewAttachment {
  readonly noteId: string
  readonly attachmentId: string
  readonly cipherHash: string
  readonly bytes: number
  readonly upload: Upload | null
}

export type StoreRefusal = { readonly reason: 'storage_quota' | 'upload_expired' } | LeaseShort
export type VersionRefusal = OrderRefusal | PlaceRefusal | StoreRefusal
export type AttachRefusal = StoreRefusal | { readonly reason: 'not_found' | 'attachment_exists' | 'note_tombstoned' }

/** A statement that authorizes one act, by its hash. */
export interface SpentStatement {
  readonly hash: string
  readonly keepUntil: number
}
export type SpentRefusal = { readonly reason: 'statement_expired' | 'statement_replay' }

export interface Tombstone {
  readonly noteId: string
  readonly seq: number
  readonly versions: number
  readonly attachments: number
  readonly lastRecordHash: string
  readonly tombstonedAt: number
  readonly collectableFrom: number
  readonly root: string
}

export class VaultTransaction {
  readonly store: VaultStore
  readonly blobs: BlobIndex
  readonly uploads: UploadIndex
  readonly audit: BlobAudit
  readonly #stored: ObjectStorage
  readonly #reading: VaultReading
  readonly #lease: VaultLease

  constructor(stored: ObjectStorage, reading: VaultReading, lease: VaultLease) {
    this.#stored = stored
    this.#reading = reading
    this.#lease = lease
    this.store = new VaultStore(stored.sql)
    this.blobs = new BlobIndex(stored.sql)
    this.uploads = new UploadIndex(stored.sql)
    this.audit = new BlobAudit(stored.sql)
  }

  /** For work that cannot fail with an error of its own. */
  transact<T>(work: () => T): T {
    return this.#stored.transact(work)
  }

  /** Creates the tables: what is stored from here on is deleted if nothing comes to refer to it. */
  beginUpload(upload: Upload, bytes: number): void {
    this.#stored.transact(() => {
      this.#stored.create(NOTE_VAULT)
      this.uploads.begin(upload, bytes)
    })
  }

  /** Its bytes were discarded. */
  endUpload(r2Key: string): void {
    if (this.#stored.exists) this.#stored.transact(() => this.uploads.end(r2Key))
  }

  /** Whether a version could be appended now: null if so, or the existing version if its ciphertext is there too. */
  checkVersion(version: NewVersion, limits: VaultLimits, now: number): Result<NoteAppended | null, VersionRefusal> {
    if (version.startedAt + MAX_UPLOAD_MS < now) return err({ reason: 'upload_expired' })
    const { noteId, recordHash, operation, record } = version
    const existing = this.#stored.exists ? this.store.versionOf(recordHash) : null
    if (existing) return ok(this.blobs.find(version.cipherHash) ? appendedOf(existing) : null)
    const note = this.#stored.exists ? this.store.note(noteId) : null
    const refusal = checkOrder(note?.status ?? null, operation) ?? this.#placeFault(version)
    if (refusal) return err(refusal)
    const fault = this.#roomFault({ ...version, recordBytes: record.length }, limits)
    return fault ? err(fault) : ok(null)
  }

  #placeFault({ record, follows, noteId }: NewVersion): PlaceRefusal | null {
    const base = follows !== null && this.#stored.exists ? this.store.versionOf(follows) : null
    const statement = recordOf({ record })?.statement
    const before = base?.noteId === noteId ? (recordOf(base)?.statement ?? null) : null
    return statement ? checkPlace(statement, before) : null
  }

  /** Idempotent: returns an existing version, whatever was appended since. The first version creates the tables. */
  append(version: NewVersion, limits: VaultLimits, now: number): Result<NoteAppended, VersionRefusal> {
    return this.#stored.transact((): Result<NoteAppended, VersionRefusal> => {
      const checked = this.checkVersion(version, limits, now)
      if (!checked.ok) return checked
      const { r2Key, startedAt: _, ...columns } = version
      const { noteId, recordHash, cipherHash, bytes } = columns
      const existing = this.#stored.exists ? this.store.versionOf(recordHash) : null
      if (existing) {
        this.#bringBack(cipherHash, bytes, r2Key)
        return ok(appendedOf(existing))
      }
      this.#stored.create(NOTE_VAULT)
      this.blobs.addRecord(version.record.length)
      this.#refer(cipherHash, bytes, r2Key)
      const newest = this.store.note(noteId)?.version ?? 0
      const row = { ...columns, version: newest + 1, seq: this.store.size(), acceptedAt: now }
      this.store.addVersion(row)
      return ok(appendedOf(row))
    })
  }

  /** Whether an attachment could be accepted now: null if so, or the existing attachment if there is one. */
  checkAttachment(attachment: NewAttachment, limits: VaultLimits): Result<Attachment | null, AttachRefusal> {
    const { noteId, attachmentId, cipherHash, bytes, upload } = attachment
    const status = this.#reading.status(noteId)
    if (status === null) return err({ reason: 'not_found' })
    if (status === 'tombstoned') return err({ reason: 'note_tombstoned' })
    const existing = this.store.attachment(noteId, attachmentId)
    if (existing && existing.cipherHash !== cipherHash) return err({ reason: 'attachment_exists' })
    const isThere = this.blobs.find(cipherHash) !== null
    if (existing && (isThere || !upload)) return ok(existing)
    if (!upload && !isThere) return err({ reason: 'not_found' })
    const fault = this.#roomFault({ cipherHash, bytes, recordBytes: 0, r2Key: upload?.r2Key ?? '' }, limits)
    return fault ? err(fault) : ok(null)
  }

  attach(attachment: NewAttachment, limits: VaultLimits, now: number): Result<Attachment, AttachRefusal> {
    return this.#stored.transact((): Result<Attachment, AttachRefusal> => {
      const { noteId, attachmentId, cipherHash, upload } = attachment
      if (upload && upload.startedAt + MAX_UPLOAD_MS < now) return err({ reason: 'upload_expired' })
      const checked = this.checkAttachment(attachment, limits)
      if (!checked.ok) return checked
      const existing = checked.value ?? this.store.attachment(noteId, attachmentId)
      if (existing) {
        if (upload) this.#bringBack(cipherHash, existing.bytes, upload.r2Key)
        return ok(existing)
      }
      const bytes = this.blobs.find(cipherHash)?.bytes ?? attachment.bytes
      this.#refer(cipherHash, bytes, upload?.r2Key ?? null)
      const value = { attachmentId, cipherHash, bytes, seq: this.store.size(), addedAt: now }
      this.store.addAttachment(noteId, value)
      return ok(value)
    })
  }

  /** Erases a note. Idempotent: returns the existing tombstone. */
  tombstone(noteId: string, now: number): Result<Tombstone, { reason: 'not_found' }> {
    return this.#stored.transact((): Result<Tombstone, { reason: 'not_found' }> => {
      const note = this.#stored.exists ? this.store.note(noteId) : null
      if (!note) return err({ reason: 'not_found' })
      if (note.status === 'stored') {
        this.blobs.releaseNote(noteId, now)
        this.store.erase(noteId, this.store.size(), now)
      }
      return ok(this.#tombstoneOf(noteId))
    })
  }

  /** What the log keeps of an erased note, so that its receipt can be issued at any time. */
  #tombstoneOf(noteId: string): Tombstone {
    const note = this.store.note(noteId)
    if (!note) throw new Error('a tombstone without a note')
    const { seq, updatedAt } = note
    return {
      noteId,
      seq,
      ...this.store.countLogged(noteId),
      lastRecordHash: this.store.lastRecordHash(noteId),
      tombstonedAt: updatedAt,
      collectableFrom: updatedAt + GRACE_MS,
      root: this.store.root(seq + 1),
    }
  }

  /**
   * Spends the statement that requests a collection or a rebuild. Creates the tables: a vault without notes can still
   * have abandoned uploads in the store.
   */
  spendStatement({ hash, keepUntil }: SpentStatement, now: number): Result<void, SpentRefusal> {
    return this.#stored.transact((): Result<void, SpentRefusal> => {
      // The hash of an expired statement may already be forgotten, so check expiry first.
      if (keepUntil < now) return err({ reason: 'statement_expired' })
      this.#stored.create(NOTE_VAULT)
      const isFirst = this.store.spendStatement(hash, keepUntil, now)
      return isFirst ? ok(undefined) : err({ reason: 'statement_replay' })
    })
  }

  /** An existing ciphertext takes no additional room. Uploads under way take theirs, so that none is free of it. */
  #roomFault(
    {
      cipherHash,
      bytes,
      recordBytes,
      r2Key,
    }: {
      readonly cipherHash: string
      readonly bytes: number
      readonly recordBytes: number
      readonly r2Key: string
    },
    limits: VaultLimits,
  ): { readonly reason: 'storage_quota' } | LeaseShort | null {
    const isKnown = this.#stored.exists && this.blobs.find(cipherHash) !== null
    const added = isKnown ? 0 : bytes
    if (!hasRoom(this.#reading.usage(), added, limits)) return { reason: 'storage_quota' }
    return this.#lease.fault(plus(this.usedRoom(r2Key), { bytes: added + recordBytes + LOG_ENTRY_BYTES, rows: 1 }))
  }

  /** What the vault uses of its lease, but for one upload. */
  usedRoom(besides = ''): Room {
    if (!this.#stored.exists) return NO_ROOM
    const { bytes, refs } = this.blobs.usage()
    const logged = this.store.size() * LOG_ENTRY_BYTES
    return { bytes: bytes + this.uploads.bytesBesides(besides) + this.blobs.records() + logged, rows: refs }
  }

  /** Refers to a ciphertext; if it existed already, the upload is surplus. */
  #refer(cipherHash: string, bytes: number, r2Key: string | null): void {
    if (r2Key !== null) this.uploads.end(r2Key)
    if (this.blobs.find(cipherHash)) {
      this.blobs.refer(cipherHash)
      if (r2Key !== null) this.#condemnSurplus(cipherHash, r2Key)
    } else if (r2Key !== null) this.blobs.add(cipherHash, r2Key, bytes, 1)
    else throw new Error('Reference to a missing ciphertext')
  }

  /** An upload restores a ciphertext that the store has lost; otherwise it is surplus. */
  #bringBack(cipherHash: string, bytes: number, r2Key: string): void {
    this.uploads.end(r2Key)
    if (this.blobs.find(cipherHash)) this.#condemnSurplus(cipherHash, r2Key)
    else this.blobs.add(cipherHash, r2Key, bytes, 0)
  }

  /** Unless it is the very upload that the blob came from. */
  #condemnSurplus(cipherHash: string, r2Key: string): void {
    if (this.blobs.find(cipherHash)?.r2Key !== r2Key) this.blobs.condemnKey(r2Key)
  }
}
