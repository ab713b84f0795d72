import { DurableObject } from 'cloudflare:workers'
import type { BlobRef, Collected, Rebuilt } from '@svc/protocol/note-api'
import { err, ok, type Result } from '@svc/protocol/result'
import { collect, collectWaiting, rebuild } from './blob-collector.ts'
import { BlobStore } from './blob-store.ts'
import { GRACE_MS, type VaultLimits } from './vault.ts'
import { type NewAttachment, type NewVersion, VaultSession } from './vault-session.ts'

/** A statement that authorizes one act, by its hash. */
export interface SpentStatement {
  readonly hash: string
  readonly keepUntil: number
}
type SpentRefusal = { readonly reason: 'statement_expired' | 'statement_replay' }

const RETRY_MS = 5 * 60_000

/**
 * The notes of one owner: index, versions, attachments, the log over them, and which ciphertexts are where. Named by
 * the owner's DID. The ciphertexts themselves are in R2, and are there before anything here refers to them.
 *
 * It makes its tables with the first note. Who may call was decided before each call.
 */
export class NoteVaultObject extends DurableObject<Env> {
  readonly #session: VaultSession
  readonly #store: BlobStore
  #turn: Promise<unknown> = Promise.resolve()
  /** What the alarm is known to be set to; a restarted object sets it again. */
  #alarmAt: number | null = null

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#session = new VaultSession(ctx.storage)
    this.#store = new BlobStore(env.BLOBS)
  }

  append(version: NewVersion, limits: VaultLimits): ReturnType<VaultSession['append']> {
    return this.#keepAlarm(this.#session.append(version, limits, Date.now()))
  }

  checkAttachment(attachment: NewAttachment, limits: VaultLimits): ReturnType<VaultSession['checkAttachment']> {
    return this.#session.checkAttachment(attachment, limits)
  }

  attach(attachment: NewAttachment, limits: VaultLimits): ReturnType<VaultSession['attach']> {
    return this.#keepAlarm(this.#session.attach(attachment, limits, Date.now()))
  }

  tombstone(noteId: string): ReturnType<VaultSession['tombstone']> {
    return this.#keepAlarm(this.#session.tombstone(noteId, Date.now()))
  }

  index(...operands: Parameters<VaultSession['index']>) {
    return this.#session.index(...operands)
  }

  note(...operands: Parameters<VaultSession['read']>) {
    return this.#session.read(...operands)
  }

  versions(...operands: Parameters<VaultSession['versions']>) {
    return this.#session.versions(...operands)
  }

  attachment(...operands: Parameters<VaultSession['attachment']>) {
    return this.#session.attachment(...operands)
  }

  blob(cipherHash: string): BlobRef | null {
    return this.#session.blob(cipherHash)
  }

  usage() {
    return this.#session.usage()
  }

  refs(...operands: Parameters<VaultSession['refs']>) {
    return this.#session.refs(...operands)
  }

  export(...operands: Parameters<VaultSession['export']>) {
    return this.#session.export(...operands)
  }

  async collect(did: string, statement: SpentStatement): Promise<Result<Collected, SpentRefusal>> {
    // An upload that nothing followed is in the store also of a vault that has no note yet.
    this.#session.open()
    const refusal = this.#spend(statement)
    if (refusal) return err(refusal)
    return this.#inTurn(async () => ok(await collect(this.#session, this.#store, did, Date.now())))
  }

  async rebuild(did: string, statement: SpentStatement, dryRun: boolean): Promise<Result<Rebuilt, SpentRefusal>> {
    this.#session.open()
    const refusal = this.#spend(statement)
    if (refusal) return err(refusal)
    return this.#inTurn(async () => ok(await rebuild(this.#session, this.#store, did, { dryRun, now: Date.now() })))
  }

  /** Idempotent: takes up whatever storage says is waiting. */
  override async alarm(): Promise<void> {
    this.#alarmAt = null
    if (!this.#session.exists) return
    try {
      await this.#inTurn(() => collectWaiting(this.#session, this.#store, Date.now()))
    } catch {
      // The platform gives up after a few attempts of its own; what waits has no other.
      await this.ctx.storage.setAlarm(Date.now() + RETRY_MS)
    }
  }

  /** Collection and rebuild look at the store and then write: never two at once, or one would take what the other deletes. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work)
    this.#turn = turn
    try {
      return await turn
    } finally {
      // Also when the store failed: what it did not delete waits.
      this.#keepAlarm(undefined)
    }
  }

  /** Looks at the time again: one that expired on its way here is no longer remembered either. */
  #spend({ hash, keepUntil }: SpentStatement): SpentRefusal | null {
    const now = Date.now()
    if (keepUntil < now) return { reason: 'statement_expired' }
    const isFirst = this.#session.transact(() => this.#session.store.spendStatement(hash, keepUntil, now))
    return isFirst ? null : { reason: 'statement_replay' }
  }

  /** Not awaited: the output gate holds the answer until the alarm is as durable as the rest. */
  #keepAlarm<T>(result: T): T {
    const at = this.#nextCollection()
    if (at !== null && (this.#alarmAt === null || at < this.#alarmAt)) {
      this.#alarmAt = at
      void this.ctx.storage.setAlarm(at)
    }
    return result
  }

  #nextCollection(): number | null {
    if (!this.#session.exists) return null
    const { isCondemned, oldest } = this.#session.blobs.pending()
    if (isCondemned) return Date.now()
    return oldest === null ? null : oldest + GRACE_MS
  }
}
