import { hashHexAsync } from '#protocol/base/hash'
import { kemKeyId } from '#protocol/base/key-agreement'
import type { AttestDevice } from '#protocol/devices/inception'
import type {
  Collected,
  NoteAppended,
  NoteIndex,
  NoteVersion,
  Rebuilt,
  StorageUsage,
  VersionSummary,
} from '#protocol/notes/api'
import type { DeletionReceipt, SignedManifest } from '#protocol/notes/log'
import { type NoteSubmission, noteIdSchema, type SignedNote } from '#protocol/notes/notes'
import { checkForm } from '../arguments/check-form.ts'
import { everyItem } from '../transport/pages.ts'
import type { OnProgress } from '../transport/progress.ts'
import { ServiceError } from '../transport/service-error.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import { type ArchivedItem, NoteArchive, type RestoreOptions, type RestoreSummary } from './archive.ts'
import { type NewFile, NoteFiles, type ReadFileOptions } from './attachments.ts'
import { type NoteWritten, putMany } from './batch.ts'
import type { NoteDependencies } from './dependencies.ts'
import { NoteHeads } from './note-heads.ts'
import { NoteReader } from './note-reader.ts'
import { NoteWriter } from './note-writer.ts'
import { NoteOrder } from './order/note-order.ts'
import type { ReadNoteOptions } from './order/note-signing.ts'
import { NoteReceipts } from './receipts.ts'
import { type AttachedFile, checkContent, contentOf, type Note, type NoteContent, NoteRecords } from './record.ts'
import { VaultStore } from './store.ts'
import type { NoteBase, NoteText, RestoredBase, WrittenNote } from './vault.ts'

/**
 * Encrypted notes. Content, title, tags, file names and types are encrypted here for this identity and its devices that
 * can read notes; the service gets ciphertext. Every version is signed, and verified when it is read.
 */
export class Notes {
  // As results: see `safely`.
  readonly safeGet = safeTwin(this, 'get')
  readonly safeList = safeTwin(this, 'list')
  readonly safeHistory = safeTwin(this, 'history')
  readonly safeAttachment = safeTwin(this, 'attachment')

  readonly #deps: NoteDependencies
  readonly #records: NoteRecords
  readonly #archive: NoteArchive
  readonly #reader: NoteReader
  readonly #writer: NoteWriter
  readonly #heads: NoteHeads
  readonly #files: NoteFiles
  readonly #order: NoteOrder
  readonly #store: VaultStore
  readonly #receipts: NoteReceipts

  constructor(deps: NoteDependencies) {
    this.#deps = deps
    const { transport, owner, app, keys, memory } = deps
    this.#reader = new NoteReader(transport, () => this.#base)
    this.#records = new NoteRecords(owner, app, keys, transport)
    this.#receipts = new NoteReceipts(deps)
    const archived = { owner, notes: this, receipts: this.#receipts, memory }
    this.#archive = new NoteArchive({ transport, url: () => this.#base, ...archived })
    this.#order = new NoteOrder({ keys, reader: this.#reader })
    this.#files = new NoteFiles(transport, () => this.#base)
    this.#store = new VaultStore(transport, () => this.#base, owner)
    this.#heads = new NoteHeads(memory, () => owner.did, {
      versions: (noteId, from) => this.#reader.versions(noteId, from),
      read: (noteId, version) => this.#reader.read(noteId, version),
      changes: (from) => this.#reader.index({ cursor: String(from), limit: 1_000 }),
    })
    const parts = { transport, url: () => this.#base, reader: this.#reader }
    this.#writer = new NoteWriter({ ...parts, records: this.#records, heads: this.#heads })
  }

  /** A device has no DID until it belongs to an identity. */
  get #base(): string {
    const { core, owner } = this.#deps
    return `${core}/api/notes/${owner.did}`
  }

  /**
   * Writes a note or, with `over`, its next version, which keeps its attachments. Every version is kept, even if two
   * are written concurrently; `isConcurrent` then says so. Throws a RangeError above 704 KiB, and an
   * `ArgumentError` for a text that no reader could take.
   */
  async put(text: NoteText | Note | WrittenNote, over?: NoteBase): Promise<WrittenNote> {
    const { title = '', body, tags = [] } = text
    const content = { title, body, tags, attachments: [...(over?.attachments ?? [])] }
    return this.#writer.write(
      checkContent('notes.put', content as NoteContent),
      over ? 'update' : 'create',
      over ?? null,
    )
  }

  /**
   * Writes a new note under an id of your choice, which the service sees: 1 to 128 of A-Z a-z 0-9 . _ ~ -. Throws a
   * `ServiceError` (409) if there is one.
   */
  async putAs(noteId: string, { title = '', body, tags = [] }: NoteText): Promise<WrittenNote> {
    const content = checkContent('notes.putAs', { title, body, tags: [...tags], attachments: [] })
    return this.#writer.write(content, 'create', { noteId: checkForm('notes.putAs', 'noteId', noteIdSchema, noteId) })
  }

  /**
   * Writes many new notes, with one assertion for up to 50 of them or 1 MiB. Returns what became of each, at its place: a
   * refusal stops no other. Throws a RangeError for a note above 704 KiB, and sends nothing. `onProgress` counts notes.
   */
  putMany(
    texts: readonly NoteText[],
    { onProgress }: { readonly onProgress?: OnProgress } = {},
  ): Promise<readonly NoteWritten[]> {
    const { transport } = this.#deps
    const parts = { transport, url: `${this.#base}/batch`, records: this.#records, heads: this.#heads }
    return putMany(parts, texts, onProgress)
  }

  /**
   * The newest version of a note, or a specific one: verified and decrypted. Throws a `HistoryError` if this client has
   * seen a newer one, or if the note is missing without a trace of its deletion. Refuses a version that the vault accepted
   * after its key had ended, unless a version from before that follows it.
   */
  async get(noteId: string, version?: number, options: ReadNoteOptions = {}): Promise<Note> {
    const seen = await this.#heads.of(noteId)
    const stored = await this.#reader.read(noteId, version).catch(async (error: unknown) => {
      if (version === undefined && error instanceof ServiceError && error.status === 404) await seen.missing()
      throw error
    })
    const note = { ...(await this.#records.open(stored)), ...(await this.#order.of(stored, seen, options)) }
    if (version === undefined) await seen.newest(stored)
    else seen.version(stored)
    return note
  }

  /**
   * One page of the index: at most 1,000 notes, ordered by their latest change. `cursor` is that of the previous page;
   * keep the last one to get later changes, including deletions. Not verified, but held against what this client has
   * seen: throws a `HistoryError` if a note is older, or missing at the end. Throws `vault_behind` (409) if the service has lost
   * entries that the cursor had seen: `restore` an export then.
   */
  async list(query: { cursor?: string; limit?: number } = {}): Promise<NoteIndex> {
    const known = await this.#heads.all()
    const page = await this.#reader.index(query)
    await this.#heads.indexed(known, Number(query.cursor ?? 0), page)
    return page
  }

  /** Every entry of the index, ordered by its latest change; deletions included. Throws like `list`. */
  all(): AsyncGenerator<NoteIndex['notes'][number]> {
    return everyItem(async (cursor) => {
      const page = await this.list({ limit: 1_000, ...(cursor === undefined ? {} : { cursor }) })
      return { items: page.notes, cursor: page.more ? page.cursor : null }
    })
  }

  /**
   * Ids of the keys that a note is encrypted for if it is written now: the identity's own, and those of its devices that
   * read notes. A note whose `readers` lack one cannot be opened there: write it again with `put(note, note)`.
   */
  async readers(): Promise<readonly string[]> {
    return (await this.#deps.keys.readers()).map(({ kemPublicKeyB64u }) => kemKeyId(kemPublicKeyB64u))
  }

  /** All versions of a note, ascending, without their content. */
  async history(noteId: string): Promise<readonly VersionSummary[]> {
    const seen = await this.#heads.of(noteId)
    const versions = await this.#reader.versions(noteId, 1)
    seen.versions(versions)
    return versions
  }

  /**
   * Erases a note with its versions and attachments. Keep the receipt, which the service signs; throws if it is about
   * another note or its signature is invalid.
   */
  async delete(noteId: string): Promise<DeletionReceipt> {
    const seen = await this.#heads.of(noteId)
    const receipt = await this.#receipts.erase(`${this.#base}/${noteId}`, noteId)
    await seen.erased(receipt)
    await this.#archive.remember(receipt)
    return receipt
  }

  /**
   * Encrypts and uploads a file and writes a version that names it. Concurrent writes lose nothing: their changes are
   * merged into the final version. `onProgress` is told in bytes of ciphertext while it is uploaded. Throws a
   * `RangeError` above 25 MiB.
   */
  async attach(note: Note, added: NewFile, { onProgress }: { readonly onProgress?: OnProgress } = {}): Promise<Note> {
    const file = await this.#files.add(note.noteId, added, onProgress)
    return this.#writer.attach(note, file)
  }

  /** Uploads the ciphertext of an attachment. Idempotent: returns the existing attachment. */
  async putCiphertext(noteId: string, attachmentId: string, sealed: Uint8Array): Promise<void> {
    await this.#files.put(noteId, attachmentId, { sealed, cipherHash: await hashHexAsync(sealed) })
  }

  /** The stored ciphertext of an attachment. */
  ciphertext(noteId: string, attachmentId: string): Promise<Uint8Array> {
    return this.#files.bytes(noteId, attachmentId)
  }

  /** The bytes of an attachment, or of a part of it: only the chunks around it are fetched. */
  attachment(noteId: string, file: AttachedFile, options?: ReadFileOptions): Promise<Uint8Array> {
    return this.#files.open(noteId, file, options)
  }

  /**
   * The same as a stream: bytes come out as they arrive, each authenticated. The stream fails with a `VerificationError`
   * at what was modified or cut off, so what is in front of it is not the whole file.
   */
  attachmentStream(noteId: string, file: AttachedFile, options?: ReadFileOptions): Promise<ReadableStream<Uint8Array>> {
    return this.#files.stream(noteId, file, options)
  }

  /** Usage of the vault: bytes of ciphertext, counting shared ones once, and number of objects. */
  storage(): Promise<StorageUsage> {
    return this.#store.usage()
  }

  /** Whether the vault has a ciphertext (SHA3-384, 96 hex characters). */
  has(cipherHash: string): Promise<boolean> {
    return this.#store.has(cipherHash)
  }

  /** Deletes what has been unreferenced for a day, and uploads that never completed. Root key only. */
  collect(): Promise<Collected> {
    return this.#store.collect()
  }

  /** Recounts references and usage, or with `dryRun` reports the differences. Root key only. */
  rebuild({ dryRun = false } = {}): Promise<Rebuilt> {
    return this.#store.rebuild(dryRun)
  }

  /**
   * The whole vault, verified, piece by piece in the order that `restore` takes: keep every piece. Each page has a
   * manifest signed by the service, so you can prove what an export lacks.
   */
  export(): AsyncGenerator<ArchivedItem, void> {
    return this.#archive.export()
  }

  /**
   * Restores an export to this deployment or a new one where the identity exists. You can start it again: existing
   * items are not resent, and what was written there in the meantime stays current. With `repair`, and after a
   * `rebuild`, ciphertexts that the service lost are restored. `passedOver` names versions that cannot be read.
   */
  restore(
    items: AsyncIterable<ArchivedItem> | Iterable<ArchivedItem>,
    options: RestoreOptions = {},
  ): Promise<RestoreSummary> {
    return this.#archive.restore(items, options)
  }

  /** Proves the keys of this identity's devices. */
  attestations(): Promise<readonly AttestDevice[]> {
    return this.#deps.keys.attestations()
  }

  /** Adds devices that signed notes at another deployment. Throws if they do not belong to this identity. */
  learn(attestations: readonly AttestDevice[]): Promise<void> {
    return this.#deps.keys.learn(attestations)
  }

  /** Whether the service signed it: with this key, or one that the client trusts for the time of the receipt. */
  isReceipt(signed: SignedManifest | DeletionReceipt, key?: string): Promise<boolean> {
    return this.#receipts.isSigned(signed, key)
  }

  /** Throws unless a key of this identity signed the record. */
  async check({ statement, signatureB64u }: SignedNote): Promise<void> {
    if (statement.did !== this.#deps.owner.did)
      throw unverified('note', 'wrong_identity', 'The record belongs to another identity')
    return this.#deps.keys.check({ statement, signatureB64u }, statement.keyId)
  }

  /** Whether this key signed a record for this deployment, so that it can be sent unchanged. */
  isOurs({ statement }: SignedNote): Promise<boolean> {
    return this.#deps.keys.isOurs(statement)
  }

  /** What a version was restored from, by `recordHash`; null if it was written here. */
  async originOf(noteId: string, version: number): Promise<string | null> {
    const { statement } = await this.#reader.read(noteId, version)
    const origin = statement.header.ext?.['restored']
    return typeof origin === 'string' ? origin : null
  }

  /** Verifies and decrypts a version from the service or an export, also of another deployment. Refuses like `get`. */
  async open(stored: NoteVersion, options: ReadNoteOptions = {}): Promise<Note> {
    const note = await this.#records.open(stored)
    return { ...note, ...(await this.#order.ofKept(stored, await this.#heads.of(stored.noteId), options)) }
  }

  /** Sends a version unchanged: one signed earlier, or for another deployment. */
  send(submission: NoteSubmission): Promise<NoteAppended> {
    return this.#writer.send(submission)
  }

  /** Writes a note under a new name, or the next version of one, with a mark of its origin. */
  async rewrite(note: Note, base: RestoredBase | null, origin: string): Promise<WrittenNote> {
    const write = { ...(base ?? { noteId: note.noteId }), ext: { restored: origin } }
    return this.#writer.write(contentOf(note), base ? 'update' : 'create', write)
  }
}
