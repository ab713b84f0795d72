import { bytesOf, encodeBase64url } from '@svc/protocol/base64url'
import { hashHex } from '@svc/protocol/hash'
import type { AttestDevice } from '@svc/protocol/inception'
import {
  attachmentSchema,
  type Collected,
  collectedSchema,
  type NoteIndex,
  type NoteVersion,
  type NoteVersions,
  noteAnswerSchema,
  noteAppendedSchema,
  noteIndexSchema,
  noteVersionSchema,
  noteVersionsSchema,
  type Rebuilt,
  rebuiltSchema,
  type StorageUsage,
  storageUsageSchema,
  type VersionSummary,
} from '@svc/protocol/note-api'
import { type DeletionReceipt, deletionReceiptSchema, type SignedManifest, verifyReceipt } from '@svc/protocol/note-log'
import { MAX_ATTACHMENT_BYTES, type NoteStatement, type NoteSubmission, type SignedNote } from '@svc/protocol/notes'
import { signStatement, statementHash } from '@svc/protocol/statement'
import type * as z from 'zod'
import type { AppInfo } from './assets.ts'
import { chunkStart, openChunks, sealAttachment, sealedLength, windowOf } from './attachment-cipher.ts'
import type { Device } from './device.ts'
import { Identity } from './identity.ts'
import { type ArchivedItem, NoteArchive, type RestoreOptions, type RestoreSummary } from './note-archive.ts'
import { newDataKey } from './note-cipher.ts'
import type { NoteKeys } from './note-keys.ts'
import { type AttachedFile, contentOf, isSame, merge, type Note, type NoteContent, NoteRecords } from './note-record.ts'
import { randomId } from './random-id.ts'
import { ServiceError } from './service-error.ts'
import type { Transport } from './transport.ts'

/** How often an attachment is merged with what others write at the same time. */
const MAX_MERGES = 8

export interface NoteText {
  readonly title?: string
  readonly body: string
  readonly tags?: readonly string[]
}

export interface WrittenNote extends Note {
  /** Somebody else wrote a version between the one that was given and this one: see `history`. */
  readonly isConcurrent: boolean
}

/** What a new version follows: a note as it was read or written. */
export type NoteBase = Pick<Note, 'noteId' | 'version' | 'recordHash' | 'attachments'>

export interface NewFile {
  readonly name: string
  /** Media type; encrypted, as the name is. */
  readonly type: string
  /** At most 25 MiB with sixteen bytes for each 64 KiB. */
  readonly bytes: Uint8Array
}

export interface NoteDependencies {
  readonly transport: Transport
  readonly core: string
  readonly owner: Identity | Device
  readonly app: AppInfo
  readonly keys: NoteKeys
  readonly receiptKeyB64u: string | undefined
}

/**
 * Encrypted notes (document 1 section 4.4). What is written, its title, tags, file names and types are encrypted here,
 * for this identity and its devices that may read notes; the service gets ciphertext. Every version is signed, and
 * every one that is read is verified.
 */
export class Notes {
  readonly #deps: NoteDependencies
  readonly #records: NoteRecords
  readonly #archive: NoteArchive

  constructor(deps: NoteDependencies) {
    this.#deps = deps
    const { transport, owner, app, keys } = deps
    this.#records = new NoteRecords(owner, app, keys, () => transport.now())
    this.#archive = new NoteArchive(transport, () => this.#base, owner, this)
  }

  /** A device has no DID before it belongs to an identity. */
  get #base(): string {
    const { core, owner } = this.#deps
    return `${core}/api/notes/${owner.did}`
  }

  /**
   * Writes a note, or with `over` its next version, which keeps its attachments. Every version is kept, also when two
   * are written at once: `isConcurrent` then says so. A connection that breaks is tried once more with the same
   * version, which the service takes once. Throws a RangeError for more than 704 KiB.
   */
  put(text: NoteText, over?: NoteBase): Promise<WrittenNote> {
    const { title = '', body, tags = [] } = text
    const content = { title, body, tags: [...tags], attachments: [...(over?.attachments ?? [])] }
    return this.#write(content, over ? 'update' : 'create', over ?? null)
  }

  /** The newest version of a note, or the one that is named: verified and decrypted. */
  async get(noteId: string, version?: number): Promise<Note> {
    return this.#records.open(await this.#read(noteId, version))
  }

  /**
   * One page of the index: at most 1,000 notes in the order of their newest change. `cursor` is that of the page before;
   * the last one, kept, later gives what changed since, deletions included. Throws `vault_behind` (409) when the service
   * has lost entries that the cursor had seen: `restore` an export then.
   */
  list(query: { cursor?: string; limit?: number } = {}): Promise<NoteIndex> {
    return this.#get(pathOf('', query), noteIndexSchema)
  }

  /** Versions of a note, ascending: all of them, without their content. */
  async history(noteId: string): Promise<readonly VersionSummary[]> {
    const versions: VersionSummary[] = []
    for (let from: number | null = 1; from !== null; ) {
      const path: string = pathOf(`/${noteId}/versions`, { from, limit: 500 })
      const page: NoteVersions = await this.#get(path, noteVersionsSchema)
      versions.push(...page.versions)
      if (page.next !== null && page.next <= from) throw new Error('the history does not go on')
      from = page.next
    }
    return versions
  }

  /**
   * Erases a note with its versions and attachments. The receipt is the service's signed word for it, good to keep;
   * throws when it is not about this note, or its signature does not hold.
   */
  async delete(noteId: string): Promise<DeletionReceipt> {
    const call = { method: 'DELETE', url: `${this.#base}/${noteId}`, audience: 'notes' } as const
    const receipt = await this.#again(() => this.#deps.transport.data(call, deletionReceiptSchema))
    const isOurs = receipt.statement.did === this.#deps.owner.did && receipt.statement.noteId === noteId
    if (!isOurs || !(await this.isReceipt(receipt))) throw new Error('the receipt does not hold')
    return receipt
  }

  /**
   * Encrypts and uploads a file and writes a version that names it. Nothing of it is lost when others write at the same
   * time: what they wrote is taken into the version that this ends with.
   */
  async attach(note: Note, { name, type, bytes }: NewFile): Promise<Note> {
    if (sealedLength(bytes.length) > MAX_ATTACHMENT_BYTES) throw new RangeError('an attachment has at most 25 MiB')
    const key = newDataKey()
    const sealed = await sealAttachment(bytes, key)
    const attachmentId = randomId()
    const cipherHash = hashHex(sealed)
    await this.putCiphertext(note.noteId, attachmentId, sealed)
    const file = { attachmentId, name, type, bytes: bytes.length, keyB64u: encodeBase64url(key), cipherHash }
    let base: NoteBase = note
    let content: NoteContent = { ...contentOf(note), attachments: [...note.attachments, file] }
    for (let merges = 0; merges < MAX_MERGES; merges++) {
      const written = await this.#write(content, 'attach', base)
      const merged = await this.#merged(content, base, written)
      // What came in between and holds nothing new is another writer who has merged as this one does.
      if (isSame(merged, content)) return written
      content = merged
      base = written
    }
    throw new Error('the note is written to faster than a file can be added to it')
  }

  /** Uploads the ciphertext of an attachment. Again is the same attachment. */
  async putCiphertext(noteId: string, attachmentId: string, sealed: Uint8Array): Promise<void> {
    const url = `${this.#base}/${noteId}/attachments/${attachmentId}?cipherHash=${hashHex(sealed)}`
    const call = { method: 'PUT', url, audience: 'notes', bytes: sealed } as const
    await this.#again(() => this.#deps.transport.data(call, attachmentSchema))
  }

  /** The ciphertext of an attachment as it is stored, whole. */
  async ciphertext(noteId: string, attachmentId: string): Promise<Uint8Array> {
    return this.#bytes(noteId, attachmentId)
  }

  /** The bytes of an attachment, or those of a range (`end` exclusive): only the chunks around it are fetched. */
  async attachment(
    noteId: string,
    { attachmentId, bytes, keyB64u, cipherHash }: AttachedFile,
    range?: { readonly start: number; readonly end: number },
  ): Promise<Uint8Array> {
    const key = bytesOf(keyB64u)
    if (!range) {
      const sealed = await this.#bytes(noteId, attachmentId)
      if (hashHex(sealed) !== cipherHash) throw new Error('the attachment is not what was written')
      return openChunks(sealed, 0, bytes, key)
    }
    const end = Math.min(range.end, bytes)
    if (range.start < 0 || range.start >= end) throw new RangeError('no such range')
    const window = windowOf(range.start, end, bytes)
    const sealed = await this.#bytes(noteId, attachmentId, `bytes=${window.start}-${window.end - 1}`)
    if (sealed.length !== window.end - window.start) throw new Error('the attachment is not what was written')
    const opened = await openChunks(sealed, window.firstChunk, bytes, key)
    const offset = chunkStart(window.firstChunk)
    return opened.slice(range.start - offset, end - offset)
  }

  /** What the vault takes: bytes of ciphertext, shared ones once, and how many objects. */
  storage(): Promise<StorageUsage> {
    return this.#get('/storage', storageUsageSchema)
  }

  /** Whether the vault has a ciphertext (SHA3-384, 96 hex characters). */
  async has(cipherHash: string): Promise<boolean> {
    const call = { method: 'HEAD', url: `${this.#base}/cas/${cipherHash}`, audience: 'notes' } as const
    try {
      await this.#deps.transport.send(call)
      return true
    } catch (error) {
      if (error instanceof ServiceError && error.status === 404) return false
      throw error
    }
  }

  /** Deletes what nothing has referred to for a day, and uploads that were never taken. By the root key. */
  async collect(): Promise<Collected> {
    const body = await this.#signAct('svc/note-gc/v1')
    return this.#deps.transport.data({ method: 'POST', url: `${this.#base}/cas/gc`, body }, collectedSchema)
  }

  /** Counts references and usage anew, or with `dryRun` says what differs. By the root key. */
  async rebuild({ dryRun = false } = {}): Promise<Rebuilt> {
    const body = { ...(await this.#signAct('svc/note-rebuild/v1')), dryRun }
    return this.#deps.transport.data({ method: 'POST', url: `${this.#base}/cas/rebuild`, body }, rebuiltSchema)
  }

  /**
   * The whole vault, verified, piece by piece in an order in which `restore` takes it: keep every piece. Each page is
   * under a manifest that the service has signed, so that what an export leaves out can be proved.
   */
  export(): AsyncGenerator<ArchivedItem, void> {
    return this.#archive.export()
  }

  /**
   * Puts an export back, into this deployment or a fresh one where the identity exists. May be begun again: what is
   * there is not sent twice, and what was written there meanwhile stays current. With `repair`, and after a `rebuild`,
   * ciphertexts that the service has lost come back.
   */
  restore(
    items: AsyncIterable<ArchivedItem> | Iterable<ArchivedItem>,
    options: RestoreOptions = {},
  ): Promise<RestoreSummary> {
    return this.#archive.restore(items, options)
  }

  /** What proves the keys of this identity's devices. */
  attestations(): Promise<readonly AttestDevice[]> {
    return this.#deps.keys.attestations()
  }

  /** Takes in devices that signed notes at another deployment. Throws when they are not of this identity. */
  learn(attestations: readonly AttestDevice[]): Promise<void> {
    return this.#deps.keys.learn(attestations)
  }

  /** Whether the service has signed it: by the key in the client's options, else by the one that it names itself. */
  isReceipt(signed: SignedManifest | DeletionReceipt): Promise<boolean> {
    return verifyReceipt(signed, this.#deps.receiptKeyB64u ?? signed.publicKeyB64u)
  }

  /** Throws unless a record was signed by a key of this identity. */
  async check({ statement, signatureB64u }: SignedNote): Promise<void> {
    if (statement.did !== this.#deps.owner.did) throw new Error('the record is of another identity')
    return this.#deps.keys.check({ statement, signatureB64u }, statement.keyId)
  }

  /** Whether a record was signed by this very key, so that it can be sent as it is. */
  isOurs({ statement }: SignedNote): boolean {
    return statement.keyId === this.#deps.keys.keyId && statement.header.userId === this.#deps.owner.userId
  }

  /** What a version was restored from, by `recordHash`; null for one that was written where it is. */
  async originOf(noteId: string, version: number): Promise<string | null> {
    const { statement } = await this.#read(noteId, version)
    const origin = statement.header.ext?.['restored']
    return typeof origin === 'string' ? origin : null
  }

  /** Verifies and decrypts a version as the service or an export has it. */
  open(stored: NoteVersion): Promise<Note> {
    return this.#records.open(stored)
  }

  /** Sends a version as it is: one that was signed earlier, or for another deployment. */
  async send(submission: NoteSubmission) {
    const call = { method: 'POST', url: this.#base, audience: 'notes', body: submission } as const
    const appended = await this.#again(() => this.#deps.transport.data(call, noteAppendedSchema))
    if (appended.recordHash !== statementHash(submission.statement)) throw new Error('core answered for another note')
    return appended
  }

  /** Writes a note under a name of its own, or the next version of one, with a mark of where it came from. */
  async rewrite(note: Note, base: NoteBase | null, origin: string): Promise<WrittenNote> {
    const write = { ...(base ?? { noteId: note.noteId }), ext: { restored: origin } }
    return this.#write(contentOf(note), base ? 'update' : 'create', write)
  }

  async #write(
    content: NoteContent,
    operation: NoteStatement['header']['operation'],
    base: (Partial<NoteBase> & { readonly ext?: Record<string, string> }) | null,
  ): Promise<WrittenNote> {
    const noteId = base?.noteId ?? randomId()
    const follows = base?.recordHash ?? null
    const submission = await this.#records.seal(content, { noteId, operation, follows, ext: base?.ext })
    const { version, recordHash, seq, acceptedAt } = await this.send(submission)
    const isConcurrent = version !== (base?.version ?? 0) + 1
    const { keyId } = submission.statement
    return { ...content, noteId, version, recordHash, follows, seq, acceptedAt, keyId, isConcurrent }
  }

  /** What is written, with what others wrote between two versions of it. */
  async #merged(content: NoteContent, base: NoteBase, written: NoteBase): Promise<NoteContent> {
    let merged = content
    for (let version = base.version + 1; version < written.version; version++) {
      const stored = await this.#read(written.noteId, version)
      merged = merge(merged, await this.#records.open(stored), stored.statement.header.operation)
    }
    return merged
  }

  async #read(noteId: string, version?: number): Promise<NoteVersion> {
    const stored =
      version === undefined
        ? await this.#get(`/${noteId}`, noteAnswerSchema)
        : await this.#get(`/${noteId}/versions/${version}`, noteVersionSchema)
    const isAsked = stored.noteId === noteId && (version === undefined || stored.version === version)
    if (!isAsked) throw new Error('core answered for another note')
    return stored
  }

  async #bytes(noteId: string, attachmentId: string, range?: string): Promise<Uint8Array> {
    const url = `${this.#base}/${noteId}/attachments/${attachmentId}`
    const call = {
      method: 'GET',
      url,
      audience: 'notes',
      ...(range === undefined ? {} : { headers: { range } }),
    } as const
    const response = await this.#deps.transport.send(call)
    return new Uint8Array(await response.arrayBuffer())
  }

  async #signAct<T extends 'svc/note-gc/v1' | 'svc/note-rebuild/v1'>(type: T) {
    const { owner, transport } = this.#deps
    if (!(owner instanceof Identity)) throw new TypeError('the store of a vault is kept by the root key')
    return signStatement({ type, did: owner.did, issuedAt: transport.now() }, (message) => owner.sign(message))
  }

  #get<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
    return this.#deps.transport.data({ method: 'GET', url: this.#base + path, audience: 'notes' }, schema)
  }

  /** A connection that breaks, or a service that lost one, is tried once more: what was sent is taken once. */
  #again<T>(send: () => Promise<T>): Promise<T> {
    return send().catch((error: unknown) => {
      if (error instanceof TypeError || (error instanceof ServiceError && error.status === 503)) return send()
      throw error
    })
  }
}

function pathOf(path: string, query: Record<string, string | number | undefined>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.size === 0 ? path : `${path}?${search.toString()}`
}
