import { ok, type Result } from '@svc/protocol/base/result'
import type {
  Attachment,
  BlobRef,
  BlobRefs,
  Collected,
  NoteAppended,
  NoteVersions,
  Rebuilt,
} from '@svc/protocol/notes/api'
import { doneOrDelayed, objectsIn } from '@svc/service'
import { RecordedObject } from '@svc/service/recorded-object'
import type { BudgetRefusal } from '../storage/rules.ts'
import { collect, collectCutOff, collectWaiting, rebuild } from './blob-collector.ts'
import { BlobStore } from './blob-store.ts'
import { type LeaseShort, VaultLease } from './lease.ts'
import { type ExportRows, type ReadRefusal, type ReadVersion, type VaultBehind, VaultReading } from './reading.ts'
import { GRACE_MS, type VaultLimits, type VaultUsage } from './rules.ts'
import { NOTE_VAULT, VAULT_RECORDS } from './schema.ts'
import {
  type AttachRefusal,
  type NewAttachment,
  type NewVersion,
  type SpentRefusal,
  type SpentStatement,
  type Tombstone,
  VaultTransaction,
  type VersionRefusal,
} from './transaction.ts'
import type { Upload } from './upload-index.ts'

const RETRY_MS = 5 * 60_000

/** A refusal when the vault may lease more. */
export type Leased<E> = Exclude<E, LeaseShort> | BudgetRefusal

/**
 * The notes of one owner: index, versions, attachments, their log, and the location of ciphertexts. Named by the
 * owner's DID. The ciphertexts are in R2, and are written there before anything here refers to them.
 *
 * Created by the first note. The caller is authorized before each call.
 */
export class NoteVaultObject extends RecordedObject<Env> {
  static override readonly schemas = [NOTE_VAULT]
  static override readonly records = { objects: 'vaults', plan: VAULT_RECORDS } as const
  readonly #transaction: VaultTransaction
  readonly #reading: VaultReading
  readonly #lease: VaultLease
  readonly #store: BlobStore
  /** The page that was listed last. Every change of the index is an entry of the log, whose size tells if this is current. */
  #page: { readonly size: number; readonly cursor: number; readonly limit: number; readonly text: string } | null = null
  #turn: Promise<unknown> = Promise.resolve()

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const identities = objectsIn(env, env.IDENTITIES)
    this.#lease = new VaultLease(this.stored, (did, demand) => identities.getByName(did).lease(did, demand))
    this.#reading = new VaultReading(this.stored)
    this.#transaction = new VaultTransaction(this.stored, this.#reading, this.#lease)
    this.#store = new BlobStore(env.BLOBS)
  }

  async append(
    did: string,
    version: NewVersion,
    limits: VaultLimits,
  ): Promise<Result<NoteAppended, Leased<VersionRefusal>>> {
    const appended = await this.#lease.extendedFor(did, () => this.#transaction.append(version, limits, Date.now()))
    this.#keepAlarm()
    return appended
  }

  /** Begins the upload, if the version could be appended now. */
  async checkVersion(
    did: string,
    version: NewVersion,
    limits: VaultLimits,
  ): Promise<Result<NoteAppended | null, Leased<VersionRefusal>>> {
    const checked = await this.#lease.extendedFor(did, () =>
      this.#transaction.checkVersion(version, limits, Date.now()),
    )
    if (checked.ok && checked.value === null) this.#beginUpload(version, version.bytes)
    return checked
  }

  /** Begins the upload, if the attachment could be accepted now. */
  async checkAttachment(
    did: string,
    attachment: NewAttachment,
    limits: VaultLimits,
  ): Promise<Result<Attachment | null, Leased<AttachRefusal>>> {
    const checked = await this.#lease.extendedFor(did, () => this.#transaction.checkAttachment(attachment, limits))
    if (checked.ok && checked.value === null && attachment.upload)
      this.#beginUpload(attachment.upload, attachment.bytes)
    return checked
  }

  async attach(
    did: string,
    attachment: NewAttachment,
    limits: VaultLimits,
  ): Promise<Result<Attachment, Leased<AttachRefusal>>> {
    const attached = await this.#lease.extendedFor(did, () => this.#transaction.attach(attachment, limits, Date.now()))
    this.#keepAlarm()
    return attached
  }

  /** Once its bytes are gone. */
  endUpload(r2Key: string): void {
    this.#transaction.endUpload(r2Key)
  }

  tombstone(noteId: string): Result<Tombstone, { reason: 'not_found' }> {
    const tombstone = this.#transaction.tombstone(noteId, Date.now())
    this.#keepAlarm()
    return tombstone
  }

  /** A page as JSON text: what has not changed is neither read nor written again. */
  index(cursor: number, limit: number): Result<string, VaultBehind> {
    const size = this.#reading.size()
    const kept = this.#page
    if (kept?.size === size && kept.cursor === cursor && kept.limit === limit) return ok(kept.text)
    const page = this.#reading.index(cursor, limit)
    if (!page.ok) return page
    const text = JSON.stringify(page.value)
    this.#page = { size, cursor, limit, text }
    return ok(text)
  }

  note(
    noteId: string,
    version: number | null,
  ): Result<ReadVersion & { readonly attachments: readonly Attachment[] }, ReadRefusal> {
    return this.#reading.read(noteId, version)
  }

  versions(noteId: string, from: number, limit: number): Result<NoteVersions, { reason: 'not_found' }> {
    return this.#reading.versions(noteId, from, limit)
  }

  attachment(noteId: string, attachmentId: string): Result<Attachment & { r2Key: string }, { reason: 'not_found' }> {
    return this.#reading.attachment(noteId, attachmentId)
  }

  blob(cipherHash: string): BlobRef | null {
    return this.#reading.blob(cipherHash)
  }

  usage(): VaultUsage {
    return this.#reading.usage()
  }

  refs(after: string, limit: number): BlobRefs {
    return this.#reading.refs(after, limit)
  }

  export(
    from: number,
    claimedSize: number | null,
    max: { readonly entries: number; readonly bytes: number },
  ): Result<ExportRows, { reason: 'vault_behind'; size: number }> {
    return this.#reading.export(from, claimedSize, max)
  }

  async collect(did: string, statement: SpentStatement): Promise<Result<Collected, SpentRefusal>> {
    const spent = this.#transaction.spendStatement(statement, Date.now())
    if (!spent.ok) return spent
    return this.#keepingAlarm(async () => ok(await collect(this.#transaction, this.#store, did, Date.now())))
  }

  async rebuild(did: string, statement: SpentStatement, dryRun: boolean): Promise<Result<Rebuilt, SpentRefusal>> {
    const spent = this.#transaction.spendStatement(statement, Date.now())
    if (!spent.ok) return spent
    return this.#keepingAlarm(async () =>
      ok(await rebuild(this.#transaction, this.#store, did, { dryRun, now: Date.now() })),
    )
  }

  /** Idempotent: continues whatever storage says is pending. */
  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    if (!this.stored.exists) return
    const isDone = await doneOrDelayed({ service: 'core', delayed: 'note objects' }, async () => {
      await this.#inTurn(async () => {
        await collectWaiting(this.#transaction, this.#store, Date.now())
        await collectCutOff(this.#transaction, this.#store, Date.now())
      })
      await this.#lease.giveBack(this.#transaction.usedRoom())
      this.#keepAlarm()
    })
    // The platform stops after a few retries of its own, so set the next alarm here.
    if (!isDone) await this.stored.alarm.by(Date.now() + RETRY_MS)
    await this.keepRecords()
  }

  /** Serializes collection and rebuild, which read the store and then write: one could adopt what the other deletes. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work)
    this.#turn = turn
    return turn
  }

  async #keepingAlarm<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#inTurn(work)
    } finally {
      // Also after a failure of the store: what was not deleted is still pending.
      this.#keepAlarm()
    }
  }

  #beginUpload(upload: Upload, bytes: number): void {
    this.#transaction.beginUpload(upload, bytes)
    this.#keepAlarm()
  }

  /** Not awaited: the output gate holds the answer until the alarm is as durable as the other writes. */
  #keepAlarm(): void {
    const at = this.#nextCollection()
    if (at !== null) void this.stored.alarm.by(at)
  }

  #nextCollection(): number | null {
    if (!this.stored.exists) return null
    const { isCondemned, oldest, oldestUpload } = this.#transaction.blobs.pending()
    if (isCondemned) return Date.now()
    const times = [oldest, oldestUpload].filter((time) => time !== null)
    return times.length === 0 ? null : Math.min(...times) + GRACE_MS
  }
}
