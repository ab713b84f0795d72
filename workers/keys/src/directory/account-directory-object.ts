import { DurableObject } from 'cloudflare:workers'
import { DeploymentSigner } from '@svc/protocol/deployment-signer'
import type { PrekeyPool, PrekeyStock, ReservationReceipt } from '@svc/protocol/key-directory'
import type { KeyPackagePair, Profile, SignedPackageRevocation, SuiteId } from '@svc/protocol/key-packages'
import { err, ok, type Result } from '@svc/protocol/result'
import type { Drawn } from '../prekeys/prekey-store.ts'
import { bodyHashOf, entryOf, receiptOf } from '../prekeys/prekeys.ts'
import {
  type CheckedBatch,
  type DeviceListing,
  DirectorySession,
  type FindRefusal,
  type PrekeyRefusal,
  type PublishRefusal,
  type ReserveRefusal,
  type ReserveRequest,
  type RevokeRefusal,
} from './directory-session.ts'
import type { PackageRow, RevocationRow } from './directory-store.ts'

/** When an account hands its leaves to the log itself; by then the request that made them mostly has. */
const DELIVERY_MS = 5_000
/** Nothing is forgotten on the minute. */
const FORGET_MS = 24 * 3_600_000
/** Leaves of some 400 bytes each, in one call. */
const MAX_DELIVERED = 256

/**
 * The directory of one account: its device packages, their prekeys, and who has reserved which. Named by the account's
 * DID. It makes its tables with the first publication; a stranger's question about an unknown account leaves nothing.
 * What is acknowledged here is durable, with its leaf in the outbox: the alarm hands it to the log, whatever became of the
 * request that was told so.
 */
export class AccountDirectoryObject extends DurableObject<Env> {
  readonly #session: DirectorySession
  readonly #signer: DeploymentSigner
  readonly #origin: string
  /** What the alarm is known to be set to; a restarted object sets it again. */
  #alarmAt: number | null = null

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#session = new DirectorySession(ctx.storage)
    this.#signer = new DeploymentSigner(env.DIRECTORY_LOG_SEED || undefined)
    this.#origin = env.PUBLIC_ORIGINS[0] ?? ''
  }

  publish(
    pair: KeyPackagePair,
    batches: readonly CheckedBatch[],
  ): Result<{ readonly row: PackageRow; readonly stock: PrekeyStock[] }, PublishRefusal> {
    return this.#wrote(this.#session.publish(pair, batches, Date.now()))
  }

  addPrekeys(deviceId: string, batches: readonly CheckedBatch[]): Result<PrekeyStock[], PrekeyRefusal | FindRefusal> {
    return this.#session.addPrekeys(deviceId, batches, Date.now())
  }

  find(deviceId: string, profile: Profile, suiteId: SuiteId): Result<PackageRow, FindRefusal> {
    return this.#session.find(deviceId, profile, suiteId)
  }

  list(after: string, limit: number): DeviceListing[] {
    return this.#session.list(after, limit)
  }

  revoke(revocation: SignedPackageRevocation): Result<RevocationRow, RevokeRefusal> {
    return this.#wrote(this.#session.revoke(revocation, Date.now()))
  }

  /** The answer of the first time is the answer of every time, signature included. */
  async reserve(
    request: ReserveRequest,
  ): Promise<Result<{ readonly prekey: Drawn; readonly receipt: ReservationReceipt }, ReserveRefusal>> {
    const now = Date.now()
    const reserved = this.#session.reserve(request, bodyHashOf(request), now)
    if (!reserved.ok) return reserved
    this.#keepAlarm()
    const { prekey, row } = reserved.value
    if (row.receipt) return ok({ prekey, receipt: row.receipt })
    const signed = await this.#signer.sign(receiptOf(row, this.#origin))
    // Asked before the call; a deployment without a key reserves nothing.
    if (!signed) throw new Error('no key for receipts')
    return ok({ prekey, receipt: this.#session.keepReceipt(row.reservationId, signed) })
  }

  /** What the owner sees of a device's pool. */
  pool(accountDid: string, deviceId: string, before: number, limit: number): Result<PrekeyPool, FindRefusal> {
    if (!this.#session.knows(deviceId)) return err({ reason: 'not_found' })
    const rows = this.#session.reservations.page(accountDid, deviceId, before, limit + 1)
    const shown = rows.slice(0, limit)
    return ok({
      stock: this.#session.stock(deviceId),
      reservations: shown.map(({ row }) => entryOf(row)),
      cursor: rows.length > limit ? (shown.at(-1)?.seq ?? null) : null,
    })
  }

  /** Idempotent: the log takes a leaf once, and what is forgotten stays so. */
  override async alarm(): Promise<void> {
    this.#alarmAt = null
    const now = Date.now()
    this.#session.forget(now)
    await this.#deliver()
    this.#keepAlarm()
  }

  /** The outbox is emptied by the alarm alone, several publications in one call. */
  #wrote<T extends { readonly ok: boolean }>(result: T): T {
    if (result.ok) this.#keepAlarm()
    return result
  }

  /** A leaf leaves the outbox when the log has answered that it has it. What came in meanwhile goes with the next. */
  async #deliver(): Promise<void> {
    if (!this.#session.exists) return
    const leaves = this.#session.directory.waiting(MAX_DELIVERED)
    if (leaves.length === 0) return
    try {
      await this.env.TRANSPARENCY_LOG.getByName('log').submit(leaves)
    } catch {
      // The log cannot be reached: the leaves wait here, and the alarm tries again.
      return
    }
    this.ctx.storage.transactionSync(() => this.#session.directory.delivered(leaves.map(({ leafId }) => leafId)))
  }

  /** Not awaited: the output gate holds the answer until the alarm is as durable as the rest. */
  #keepAlarm(): void {
    if (!this.#session.exists) return
    const isWaiting = this.#session.directory.waiting(1).length > 0
    const at = Date.now() + (isWaiting ? DELIVERY_MS : FORGET_MS)
    if (this.#alarmAt !== null && this.#alarmAt <= at) return
    this.#alarmAt = at
    void this.ctx.storage.setAlarm(at)
  }
}
