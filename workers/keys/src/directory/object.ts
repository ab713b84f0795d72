import { placedBy, type SubmittedLeaf } from '@svc/log'
import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { AccountHead } from '@svc/protocol/keys/account-updates'
import type { PrekeyPool, PrekeyStock, ReservationReceipt } from '@svc/protocol/keys/directory'
import { bucketOf } from '@svc/protocol/keys/map-pages'
import type { KeyPackagePair, Profile, SignedPackageRevocation, SuiteId } from '@svc/protocol/keys/packages'
import type { DirectorySettings } from '@svc/protocol/keys/reserving'
import { MAX_AUDITED_UPDATES } from '@svc/protocol/keys/transparency'
import {
  doneOrDelayed,
  InternalClient,
  internalSecretsOf,
  objectsIn,
  readConfig,
  reportEvents,
  signerOf,
} from '@svc/service'
import { RecordedObject } from '@svc/service/recorded-object'
import { mapBucket } from '../account-map/bindings.ts'
import { configSchema } from '../env.ts'
import type { ReservationRow } from '../prekeys/reservation-store.ts'
import { bodyHashOf, entryOf, receiptOf } from '../prekeys/rules.ts'
import { directoryLogs } from '../transparency/logs.ts'
import type { CheckedBatch, PrekeyRefusal } from './prekey-pools.ts'
import { proveDirectory } from './rebuilt/proof.ts'
import { readRebuilt } from './rebuilt/state.ts'
import { witnessesOf } from './rebuilt/witnesses.ts'
import { ReservationTransaction, type Reserved, type ReserveRefusal, type ReserveRequest } from './reservations.ts'
import { ACCOUNT_DIRECTORY, DIRECTORY_RECORDS } from './schema.ts'
import type { PackageRow, RevocationRow } from './store.ts'
import {
  type AccountListing,
  DirectoryTransaction,
  type FindRefusal,
  type PublishRefusal,
  type RevokeRefusal,
} from './transaction.ts'
import type { UpdatePlace } from './update-store.ts'

/** What was signed for a reservation, now or by an earlier call. */
export interface ReservedReceipt {
  readonly receipt: ReservationReceipt
}

/** How long leaves wait before the account hands them to the log itself. The publishing request usually does it sooner. */
const DELIVERY_MS = 5_000
/** Expiry need not be exact to the minute: what is due in a day is deleted at its end. */
const DAY_MS = 24 * 3_600_000
/** Calls of one alarm: as many updates as an account may have waiting, or the logs that were closed since. */
const MAX_CALLS = 16
/** Leaves of about 400 bytes each, per call. */
const MAX_DELIVERED = 256

/**
 * The directory of one account: its updates, its device packages, their prekeys, who may reserve them, and who did.
 * Named by the account's label, which every leaf id carries: a leaf leads to its account without an index over all
 * accounts. Its tables are created with the first publication or settings, so a lookup of an unknown account leaves
 * nothing. Every acknowledged publication is durable together with its leaf in the outbox: the alarm hands the leaf to the
 * log even if the publishing request dies.
 */
export class AccountDirectoryObject extends RecordedObject<Env> {
  static override readonly schemas = [ACCOUNT_DIRECTORY]
  static override readonly records = { objects: 'accounts', plan: DIRECTORY_RECORDS } as const
  readonly #transaction: DirectoryTransaction
  readonly #reserving: ReservationTransaction
  #receipts: DeploymentSigner | undefined
  #isCaughtUp = false

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#transaction = new DirectoryTransaction(this.stored)
    this.#reserving = new ReservationTransaction(this.stored, this.#transaction)
    this.onRebuilt = () => {
      this.#transaction.onRebuilt()
      this.#isCaughtUp = false
    }
    this.proveRebuilt = async (rehearse) => {
      const label = ctx.id.name ?? ''
      const state = rehearse(() => (this.stored.exists ? readRebuilt(this.stored.sql, this.stored.facts) : null))
      const { REALMS: realms } = readConfig(configSchema, env)
      if (state) await proveDirectory(state, label, witnessesOf(env, label), realms)
    }
  }

  async publish(
    label: string,
    pair: KeyPackagePair,
    batches: readonly CheckedBatch[],
  ): Promise<Result<{ readonly row: PackageRow; readonly stock: PrekeyStock[] }, PublishRefusal>> {
    await this.#catchUp(label)
    return this.#wrote(this.#transaction.publish(label, pair, batches, Date.now()))
  }

  /** What has no place in the log yet, in order: a request takes all of it along, so the log never has a gap. */
  sendTo(log: string): SubmittedLeaf[] {
    return this.stored.exists ? this.#transaction.updates.sendTo(log, MAX_DELIVERED) : []
  }

  /** An update by the hash of its statement; null if the account has no such update. */
  findUpdate(statementHash: string): UpdatePlace | null {
    return this.stored.exists ? this.#transaction.updates.find(statementHash) : null
  }

  /** Idempotent: each statement is an update once. The caller is core, which has verified them. */
  async record(label: string, statements: readonly { readonly type: string }[]): Promise<void> {
    await this.#catchUp(label)
    this.#transaction.record(label, statements)
    this.#keepAlarm()
  }

  head(): AccountHead {
    return this.#transaction.head()
  }

  audit(since: number): AccountHead & { readonly statementHashes: string[] } {
    return this.#transaction.audit(since, MAX_AUDITED_UPDATES)
  }

  addPrekeys(deviceId: string, batches: readonly CheckedBatch[]): Result<PrekeyStock[], PrekeyRefusal | FindRefusal> {
    return this.#wrote(this.#transaction.addPrekeys(deviceId, batches, Date.now()))
  }

  find(deviceId: string, profile: Profile, suiteId: SuiteId): Result<PackageRow, FindRefusal> {
    return this.#transaction.find(deviceId, profile, suiteId)
  }

  list(after: number, limit: number): AccountListing {
    return this.#transaction.list(after, limit)
  }

  async revoke(label: string, revocation: SignedPackageRevocation): Promise<Result<RevocationRow, RevokeRefusal>> {
    await this.#catchUp(label)
    return this.#wrote(this.#transaction.revoke(label, revocation, Date.now()))
  }

  /**
   * Draws a prekey and signs its receipt, so that a reservation is one call. Idempotent: repeating a request returns its
   * reservation and its receipt. A crash between the two leaves the reservation, and its retry signs.
   */
  async reserve(request: ReserveRequest): Promise<Result<Reserved & ReservedReceipt, ReserveRefusal>> {
    const reserved = this.#wrote(this.#reserving.reserve(request, bodyHashOf(request), Date.now()))
    if (!reserved.ok) return reserved
    const { row } = reserved.value
    return ok({ ...reserved.value, receipt: row.receipt ?? (await this.#signReceipt(row)) })
  }

  /** Signing is randomized, so the first receipt stored is the one that every retry returns. */
  async #signReceipt(row: ReservationRow): Promise<ReservationReceipt> {
    const [origin = ''] = readConfig(configSchema, this.env).PUBLIC_ORIGINS
    this.#receipts ??= signerOf(this.env, { service: 'keys', use: 'reservation' })
    const signed = await this.#receipts.sign(receiptOf(row, origin))
    // The caller has checked that there is a key.
    if (!signed) throw new Error('no key for receipts')
    return this.#reserving.keepReceipt(row.reservationId, signed)
  }

  settings(): DirectorySettings {
    return this.#reserving.settings()
  }

  configure(settings: DirectorySettings): DirectorySettings {
    return this.#reserving.configure(settings)
  }

  /** The owner's view of a device's pool. */
  pool(
    accountDid: string,
    deviceId: string,
    before: number,
    limit: number,
  ): Result<Omit<PrekeyPool, 'cursor'> & { readonly next: number | null }, FindRefusal> {
    if (!this.#transaction.knows(deviceId)) return err({ reason: 'not_found' })
    const rows = this.#reserving.reservations.page(accountDid, deviceId, before, limit + 1)
    const shown = rows.slice(0, limit)
    return ok({
      stock: this.#transaction.stock(deviceId),
      reservations: shown.map(({ row }) => entryOf(row)),
      next: rows.length > limit ? (shown.at(-1)?.seq ?? null) : null,
    })
  }

  /** Idempotent: the log takes a leaf once, and expired rows stay deleted. */
  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    const now = Date.now()
    this.#reserving.forget(now)
    await this.#deliver()
    await this.#report()
    this.#keepAlarm()
    await this.keepRecords()
  }

  /** Before the first update after each start: the object may have been lost or restored meanwhile. */
  async #catchUp(label: string): Promise<void> {
    if (this.#isCaughtUp) return
    const published = await mapBucket(this.env, bucketOf(label)).account(label)
    if (published) this.#transaction.catchUp(published)
    this.#isCaughtUp = true
  }

  /** Only the alarm empties the outbox, several publications per call. */
  #wrote<T extends { readonly ok: boolean }>(result: T): T {
    if (result.ok) this.#keepAlarm()
    return result
  }

  /** A log that cannot be reached, or is too busy, gets its updates from a later alarm. */
  async #deliver(): Promise<void> {
    if (!this.stored.exists) return
    const configured = directoryLogs(this.env).configured
    await doneOrDelayed({ service: 'keys', delayed: 'directory updates' }, async () => {
      // In the order of the updates: a log that fails holds back what is for a later one.
      for (let turn = 0; turn < MAX_CALLS; turn++) {
        const [first] = this.#transaction.updates.waitsFor()
        if (first === undefined || !(await this.#deliverTo(first ?? configured))) return
      }
    })
  }

  /**
   * An update leaves the outbox once its place is stored here, and the log knows that. What a closed log has not taken
   * goes to the next one. False if the log takes nothing now.
   */
  async #deliverTo(name: string): Promise<boolean> {
    const log = objectsIn(this.env, this.env.TRANSPARENCY_LOG).getByName(name)
    const { updates } = this.#transaction
    const leaves = updates.sendTo(name, MAX_DELIVERED)
    if (leaves.length > 0) {
      const taken = await log.submit(name, Date.now(), leaves)
      const placed = placedBy(taken)
      if (!placed) return false
      this.stored.transact(() => {
        updates.placed(name, placed.places)
        if (placed.next !== null) updates.move(name, placed.next)
      })
    }
    const known = updates.unacknowledged(name)
    if (known.length === 0) return true
    await log.acknowledge(name, known)
    this.stored.transact(() => updates.acknowledged(name, known))
    return true
  }

  /** The owner's event feed takes each once. */
  async #report(): Promise<void> {
    const due = this.stored.exists ? this.#transaction.told.due(Date.now()) : null
    if (!due) return
    const core = new InternalClient(this.env.CORE, internalSecretsOf(readConfig(configSchema, this.env)))
    const haveArrived = await reportEvents(core, due.did, due.events)
    this.stored.transact(() => this.#transaction.told.settle(due, haveArrived, Date.now()))
  }

  /** None is set while nothing waits to be delivered or forgotten. Not awaited: the output gate holds the response. */
  #keepAlarm(): void {
    if (!this.stored.exists) return
    if (this.#transaction.updates.waitsFor().length > 0) void this.stored.alarm.by(Date.now() + DELIVERY_MS)
    const report = this.#transaction.told.dueAt()
    if (report !== null) void this.stored.alarm.by(report)
    const due = this.#reserving.nextForgetting()
    if (due !== null) void this.stored.alarm.by(Math.ceil(due / DAY_MS) * DAY_MS)
  }
}
