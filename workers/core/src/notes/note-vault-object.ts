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

const NOTHING_COLLECTED: Collected = {
  collected: { objects: 0, bytes: 0 },
  orphans: { objects: 0, bytes: 0 },
  waiting: { objects: 0, bytes: 0 },
  nextAt: null,
}

/**
 * The notes of one owner: index, versions, attachments, the log over them, and which ciphertexts are where. Named by
 * the owner's DID. The ciphertexts themselves are in R2, and are there before anything here refers to them.
 *
 * It makes its tables with the first note. Who may call was decided before each call.
 */
export class NoteVaultObject extends DurableObject<Env> {
  readonly #session: VaultSession
  readonly #store: BlobStore
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

  async collect(did: string, statement: SpentStatement): Promise<Result<Collected, { reason: 'statement_replay' }>> {
    if (!this.#session.exists) return ok(NOTHING_COLLECTED)
    if (!this.#spend(statement)) return err({ reason: 'statement_replay' })
    return this.#keepAlarm(ok(await collect(this.#session, this.#store, did, Date.now())))
  }

  async rebuild(
    did: string,
    statement: SpentStatement,
    dryRun: boolean,
  ): Promise<Result<Rebuilt, { reason: 'statement_replay' }>> {
    if (!this.#session.exists) return ok(nothingRebuilt(dryRun))
    if (!this.#spend(statement)) return err({ reason: 'statement_replay' })
    return this.#keepAlarm(ok(await rebuild(this.#session, this.#store, did, { dryRun, now: Date.now() })))
  }

  /** Idempotent: takes up whatever storage says is waiting. */
  override async alarm(): Promise<void> {
    this.#alarmAt = null
    if (!this.#session.exists) return
    await collectWaiting(this.#session, this.#store, Date.now())
    this.#keepAlarm(undefined)
  }

  #spend({ hash, keepUntil }: SpentStatement): boolean {
    return this.#session.transact(() => this.#session.store.spendStatement(hash, keepUntil, Date.now()))
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

function nothingRebuilt(dryRun: boolean): Rebuilt {
  const nothing = { objects: 0, bytes: 0 }
  return {
    dryRun,
    refs: [],
    missing: [],
    orphans: nothing,
    usage: { recorded: nothing, actual: nothing },
    differences: 0,
  }
}
