/**
 * What every transaction of an account's directory does. The object only carries calls here, signs receipts and keeps
 * the alarm. Whose signatures hold, and that core attests the device, was decided before each call.
 *
 * @module
 */
import { encodeBase64url } from '@svc/protocol/base64url'
import {
  type PrekeyStock,
  RESERVATION_MS,
  type ReservationReceipt,
  type ReservePrekey,
} from '@svc/protocol/key-directory'
import {
  type KeyPackagePair,
  PROFILES,
  type Profile,
  type SignedPackageRevocation,
  type SignedPrekeyBatch,
  SUITES,
  type SuiteId,
} from '@svc/protocol/key-packages'
import { err, ok, type Result } from '@svc/protocol/result'
import { statementHash } from '@svc/protocol/statement'
import { leafEntry } from '@svc/protocol/transparency'
import { type Drawn, type PrekeyRow, PrekeyStore, type Suite } from '../prekeys/prekey-store.ts'
import { type ReservationRow, ReservationStore } from '../prekeys/reservation-store.ts'
import {
  drawnKind,
  fitsPool,
  isBatchCurrent,
  isRevoked,
  MAX_DEVICES,
  mayReserve,
  mayRevoke,
  maySucceed,
  oldestKept,
  stockOf,
  UNKNOWN_DEVICE,
} from './directory.ts'
import { DirectoryStore, type PackageRow, type RevocationRow } from './directory-store.ts'

export type PrekeyRefusal = { readonly reason: 'prekey_reused' | 'prekey_limit' | 'statement_expired' }
export type PublishRefusal = PrekeyRefusal | { readonly reason: 'stale_package' | 'device_limit' }
export type FindRefusal = { readonly reason: 'not_found' | 'package_revoked' }
export type RevokeRefusal = { readonly reason: 'not_found' | 'stale_package' }
export type ReserveRefusal =
  | FindRefusal
  | { readonly reason: 'idempotency_conflict' | 'reservation_ended' | 'reservation_limit' | 'prekeys_exhausted' }

/** A batch whose signature and root hold, with the audit path of each key. */
export interface CheckedBatch {
  readonly batch: SignedPrekeyBatch
  readonly keys: readonly PrekeyRow[]
}

export interface ReserveRequest {
  readonly accountDid: string
  readonly deviceId: string
  readonly requesterDid: string
  readonly requesterDevice: string | null
  readonly key: string
  readonly asked: ReservePrekey
}

export interface Reserved {
  readonly prekey: Drawn
  readonly row: ReservationRow
}

export interface DeviceListing {
  readonly deviceId: string
  readonly packages: readonly PackageRow[]
  readonly revocation: RevocationRow | null
}

const RESERVATION_ID_BYTES = 24

export class DirectorySession {
  readonly #storage: DurableObjectStorage
  readonly directory: DirectoryStore
  readonly #prekeys: PrekeyStore
  readonly reservations: ReservationStore
  /** Whether the first publication has made the tables; read from storage when the object starts. */
  #exists: boolean

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.directory = new DirectoryStore(storage.sql)
    this.#prekeys = new PrekeyStore(storage.sql)
    this.reservations = new ReservationStore(storage.sql)
    this.#exists = this.directory.exists()
  }

  get exists(): boolean {
    return this.#exists
  }

  /** The same credential again changes nothing but adds what batches it brings. */
  publish(
    pair: KeyPackagePair,
    batches: readonly CheckedBatch[],
    now: number,
  ): Result<{ readonly row: PackageRow; readonly stock: PrekeyStock[] }, PublishRefusal> {
    return this.#transact((): Result<{ row: PackageRow; stock: PrekeyStock[] }, PublishRefusal> => {
      const { did, deviceId, profile, suiteId, version } = pair.credential.statement
      const leafId = statementHash(pair.credential.statement)
      const existing = this.#exists ? this.directory.find(deviceId, profile, suiteId) : null
      const device = this.#device(deviceId)
      const isAgain = existing?.leafId === leafId && !isRevoked(version, device)
      if (!isAgain && !maySucceed(version, device)) return err({ reason: 'stale_package' })
      if (!this.#exists) this.#begin()
      if (device.version === 0 && this.directory.countDevices() >= MAX_DEVICES) return err({ reason: 'device_limit' })
      const row = isAgain ? existing : { deviceId, profile, suiteId, version, leafId, pair, publishedAt: now }
      if (!isAgain) {
        this.directory.put(row)
        this.directory.enqueue(leafId, leafEntry({ kind: 'credential', did, deviceId, statementHash: leafId }))
      }
      const added = this.#add(deviceId, batches, now)
      return added.ok ? ok({ row, stock: this.#stock(deviceId) }) : added
    })
  }

  addPrekeys(
    deviceId: string,
    batches: readonly CheckedBatch[],
    now: number,
  ): Result<PrekeyStock[], PrekeyRefusal | FindRefusal> {
    return this.#transact((): Result<PrekeyStock[], PrekeyRefusal | FindRefusal> => {
      for (const { batch } of batches) {
        const found = this.find(deviceId, batch.statement.profile, batch.statement.suiteId)
        if (!found.ok) return found
      }
      const added = this.#add(deviceId, batches, now)
      return added.ok ? ok(this.#stock(deviceId)) : added
    })
  }

  find(deviceId: string, profile: Profile, suiteId: SuiteId): Result<PackageRow, FindRefusal> {
    const row = this.#exists ? this.directory.find(deviceId, profile, suiteId) : null
    if (!row) return err({ reason: 'not_found' })
    return isRevoked(row.version, this.#device(deviceId)) ? err({ reason: 'package_revoked' }) : ok(row)
  }

  /** One more than `limit` where there is another page. */
  list(after: string, limit: number): DeviceListing[] {
    if (!this.#exists) return []
    return this.directory.deviceIds(after, limit).map((deviceId) => {
      const device = this.#device(deviceId)
      return {
        deviceId,
        packages: this.directory.packages(deviceId).filter(({ version }) => !isRevoked(version, device)),
        revocation: this.directory.revocation(deviceId),
      }
    })
  }

  /** Every package of the device and every prekey that is left end in this transaction. */
  revoke(revocation: SignedPackageRevocation, now: number): Result<RevocationRow, RevokeRefusal> {
    return this.#transact((): Result<RevocationRow, RevokeRefusal> => {
      const { did, deviceId, version } = revocation.statement
      const device = this.#device(deviceId)
      if (device.version === 0) return err({ reason: 'not_found' })
      const leafId = statementHash(revocation.statement)
      const before = this.directory.revocation(deviceId)
      if (before?.leafId === leafId) return ok(before)
      if (!mayRevoke(version, device)) return err({ reason: 'stale_package' })
      const row = { revocation, leafId, revokedAt: now }
      this.directory.revoke(deviceId, row)
      this.#prekeys.supersede(deviceId)
      this.directory.enqueue(leafId, leafEntry({ kind: 'revocation', did, deviceId, statementHash: leafId }))
      return ok(row)
    })
  }

  /** One prekey for one requester. What was handed out once is never handed out again, also when nobody has used it. */
  reserve(request: ReserveRequest, bodyHash: string, now: number): Result<Reserved, ReserveRefusal> {
    return this.#transact((): Result<Reserved, ReserveRefusal> => {
      const { accountDid, deviceId, requesterDid, requesterDevice, key, asked } = request
      const suite: Suite = { deviceId, profile: asked.profile, suiteId: asked.suiteId }
      const found = this.find(deviceId, suite.profile, suite.suiteId)
      if (!found.ok) return found
      const before = this.reservations.find(accountDid, requesterDid, key)
      if (before) return this.#again(before, bodyHash, now)
      const { byRequester, byAll } = this.reservations.since(now - RESERVATION_MS, requesterDid)
      if (!mayReserve(byRequester, byAll)) return err({ reason: 'reservation_limit' })
      const left = {
        oneTime: this.#prekeys.left(suite, 'one-time') > 0,
        lastResort: this.#prekeys.left(suite, 'last-resort') > 0,
      }
      const kind = drawnKind(asked, left)
      const prekey = kind && this.#prekeys.draw(suite, kind)
      if (!prekey) return err({ reason: 'prekeys_exhausted' })
      const row: ReservationRow = {
        reservationId: encodeBase64url(crypto.getRandomValues(new Uint8Array(RESERVATION_ID_BYTES))),
        accountDid,
        requesterDid,
        requesterDevice,
        ...suite,
        kind: prekey.kind,
        prekeyId: prekey.prekeyId,
        leafId: found.value.leafId,
        reservedAt: now,
        expiresAt: now + RESERVATION_MS,
        key,
        bodyHash,
        receipt: null,
      }
      this.reservations.add(row)
      return ok({ prekey, row })
    })
  }

  keepReceipt(reservationId: string, receipt: ReservationReceipt): ReservationReceipt {
    return this.#transact(() => this.reservations.keepReceipt(reservationId, receipt))
  }

  stock(deviceId: string): PrekeyStock[] {
    return this.#exists ? this.#stock(deviceId) : []
  }

  /** Whether anything was published for the device. */
  knows(deviceId: string): boolean {
    return this.#device(deviceId).version > 0
  }

  forget(now: number): void {
    if (!this.#exists) return
    this.#transact(() => {
      this.reservations.forget(now, oldestKept(now))
      this.#prekeys.forget(oldestKept(now))
    })
  }

  #again(before: ReservationRow, bodyHash: string, now: number): Result<Reserved, ReserveRefusal> {
    if (before.bodyHash !== bodyHash) return err({ reason: 'idempotency_conflict' })
    const prekey = before.expiresAt > now ? this.#prekeys.find(before.prekeyId) : null
    return prekey ? ok({ prekey, row: before }) : err({ reason: 'reservation_ended' })
  }

  /** A batch that is there already adds nothing; a key that is there already refuses its batch. */
  #add(deviceId: string, batches: readonly CheckedBatch[], now: number): Result<void, PrekeyRefusal> {
    const device = this.#device(deviceId)
    for (const { batch, keys } of batches) {
      const { kind, profile, suiteId, root, issuedAt } = batch.statement
      if (this.#prekeys.hasBatch(deviceId, root)) continue
      if (!isBatchCurrent(issuedAt, device, now)) return err({ reason: 'statement_expired' })
      if (keys.some(({ prekeyId }) => this.#prekeys.has(prekeyId))) return err({ reason: 'prekey_reused' })
      const suite = { deviceId, profile, suiteId }
      if (kind === 'last-resort') this.#prekeys.supersede(deviceId, kind, suite)
      else if (!fitsPool(this.#prekeys.left(suite, kind), keys.length)) return err({ reason: 'prekey_limit' })
      this.#prekeys.add(deviceId, batch, keys, now)
    }
    return ok(undefined)
  }

  #stock(deviceId: string): PrekeyStock[] {
    const device = this.#device(deviceId)
    const published = this.directory.suites(deviceId).filter(({ version }) => !isRevoked(version, device))
    return PROFILES.flatMap((profile) => SUITES.map((suiteId) => ({ profile, suiteId })))
      .filter((suite) => published.some((row) => row.profile === suite.profile && row.suiteId === suite.suiteId))
      .map((suite) => {
        const of = { deviceId, ...suite }
        return stockOf(suite, this.#prekeys.left(of, 'one-time'), this.#prekeys.left(of, 'last-resort') > 0)
      })
  }

  #device(deviceId: string) {
    return this.#exists ? this.directory.device(deviceId) : UNKNOWN_DEVICE
  }

  #begin(): void {
    this.directory.createTables()
    this.#prekeys.createTables()
    this.reservations.createTables()
    this.#exists = true
  }

  /** A refusal after a write undoes it: the transaction ends as if it had never begun. */
  #transact<T>(work: () => T): T {
    const existed = this.#exists
    let refused: { readonly result: T } | undefined
    try {
      return this.#storage.transactionSync(() => {
        const result = work()
        if (!isRefusal(result)) return result
        refused = { result }
        throw new RefusedTransaction()
      })
    } catch (error) {
      this.#exists = existed
      if (error instanceof RefusedTransaction && refused) return refused.result
      throw error
    }
  }
}

class RefusedTransaction extends Error {}

function isRefusal(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'ok' in result && result.ok === false
}
