/**
 * The packages of an account's directory and its updates, in transactions. The object only forwards calls to them and keeps
 * the alarm. Callers have verified signatures, and that core attests the device, before each call.
 *
 * @module
 */
import type { ObjectStorage } from '@svc/objects'
import type { KnownInception } from '@svc/protocol/base/inception-head'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { statementHash } from '@svc/protocol/base/statement'
import {
  type AccountHead,
  type AccountValue,
  agreedIn,
  EMPTY_HEAD,
  isNewerAgreement,
} from '@svc/protocol/keys/account-updates'
import type { PrekeyStock } from '@svc/protocol/keys/directory'
import type { KeyPackagePair, Profile, SignedPackageRevocation, SuiteId } from '@svc/protocol/keys/packages'
import { OwnerEvents } from './owner-events.ts'
import { type CheckedBatch, PrekeyPools, type PrekeyRefusal } from './prekey-pools.ts'
import {
  isDeactivation,
  isRevoked,
  MAX_DEVICES,
  mayFollow,
  mayRevoke,
  maySucceed,
  rotatedEpoch,
  UNKNOWN_DEVICE,
} from './rules.ts'
import { ACCOUNT_DIRECTORY } from './schema.ts'
import { DirectoryStore, type PackageRow, type RevocationRow } from './store.ts'
import { type UpdateRow, UpdateStore } from './update-store.ts'

export type PublishRefusal = PrekeyRefusal | { readonly reason: 'stale_package' | 'device_limit' }
export type FindRefusal = { readonly reason: 'not_found' | 'package_revoked' }
export type RevokeRefusal = { readonly reason: 'not_found' | 'stale_package' }

/** One update with what is shown of it: the whole package or revocation while it is the newest, else the statement. */
export interface ListedUpdate extends UpdateRow {
  readonly row: PackageRow | null
  readonly revocation: RevocationRow | null
}

export interface AccountListing extends AccountHead {
  readonly updates: readonly ListedUpdate[]
}

export class DirectoryTransaction {
  readonly #stored: ObjectStorage
  readonly directory: DirectoryStore
  readonly pools: PrekeyPools
  readonly updates: UpdateStore
  readonly told: OwnerEvents

  constructor(stored: ObjectStorage) {
    this.#stored = stored
    this.directory = new DirectoryStore(stored.sql)
    this.pools = new PrekeyPools(stored.sql)
    this.updates = new UpdateStore(stored.sql, stored.facts)
    this.told = new OwnerEvents(stored.sql)
  }

  /** Idempotent per credential: repeating it only adds the batches it brings. */
  publish(
    label: string,
    pair: KeyPackagePair,
    batches: readonly CheckedBatch[],
    now: number,
  ): Result<{ readonly row: PackageRow; readonly stock: PrekeyStock[] }, PublishRefusal> {
    return this.#stored.transact((): Result<{ row: PackageRow; stock: PrekeyStock[] }, PublishRefusal> => {
      const { statement } = pair.credential
      const { deviceId, profile, suiteId, version } = statement
      const existing = this.#stored.exists ? this.directory.find(deviceId, profile, suiteId) : null
      const device = this.#device(deviceId)
      const isSame = existing !== null && statementHash(existing.pair.credential.statement) === statementHash(statement)
      const isAgain = isSame && !isRevoked(version, device)
      const isNewer = maySucceed(version, device) && mayFollow(statement, this.#newestHead(deviceId))
      if (!isAgain && !isNewer) return err({ reason: 'stale_package' })
      this.#stored.create(ACCOUNT_DIRECTORY)
      if (device.version === 0 && this.directory.countDevices() >= MAX_DEVICES) return err({ reason: 'device_limit' })
      const row = isAgain
        ? existing
        : { deviceId, profile, suiteId, version, ...this.updates.append(label, statement), pair, publishedAt: now }
      if (!isAgain) {
        this.directory.put(row)
        const event = { id: statementHash(statement), kind: 'package.published', ref: deviceId } as const
        this.told.add(statement.did, event, now)
      }
      const added = this.pools.add(deviceId, this.#device(deviceId), batches, now)
      return added.ok ? ok({ row, stock: this.#stock(deviceId) }) : added
    })
  }

  addPrekeys(
    deviceId: string,
    batches: readonly CheckedBatch[],
    now: number,
  ): Result<PrekeyStock[], PrekeyRefusal | FindRefusal> {
    return this.#stored.transact((): Result<PrekeyStock[], PrekeyRefusal | FindRefusal> => {
      for (const { batch } of batches) {
        const found = this.find(deviceId, batch.statement.profile, batch.statement.suiteId)
        if (!found.ok) return found
      }
      const added = this.pools.add(deviceId, this.#device(deviceId), batches, now)
      return added.ok ? ok(this.#stock(deviceId)) : added
    })
  }

  find(deviceId: string, profile: Profile, suiteId: SuiteId): Result<PackageRow, FindRefusal> {
    const row = this.#stored.exists ? this.directory.find(deviceId, profile, suiteId) : null
    if (!row) return err({ reason: 'not_found' })
    return isRevoked(row.version, this.#device(deviceId)) ? err({ reason: 'package_revoked' }) : ok(row)
  }

  /** The updates after a number, in order, and what all of them come to. */
  list(after: number, limit: number): AccountListing {
    if (!this.#stored.exists) return { ...EMPTY_HEAD, updates: [] }
    const page = this.updates.after(after, limit)
    const [first = 0, last = 0] = [page[0]?.seq, page.at(-1)?.seq]
    const packages = new Map(this.directory.packagesIn(first, last).map((row) => [row.seq, row]))
    const rootEpoch = this.updates.rootEpoch()
    const revocations = new Map(this.directory.revocations().map((row) => [row.seq, row]))
    const updates = page.map((update) => {
      const row = packages.get(update.seq) ?? null
      // A credential ends with its root key.
      const isCurrent = row !== null && row.pair.credential.statement.rootEpoch >= rootEpoch
      const isLive = isCurrent && !isRevoked(row.version, this.#device(row.deviceId))
      return { ...update, row: isLive ? row : null, revocation: revocations.get(update.seq) ?? null }
    })
    return { ...this.updates.head(), updates }
  }

  /**
   * Statements of the account's root key that core tells, in order. Each is an update once. A deactivation ends every
   * prekey and the settings. A key agreement that is older than one in the log is left out: core has lost the newer one,
   * and the log never goes back.
   */
  record(label: string, statements: readonly { readonly type: string }[]): void {
    this.#stored.transact(() => {
      this.#stored.create(ACCOUNT_DIRECTORY)
      for (const statement of statements) {
        const { agreedAt } = agreedIn(statement)
        if (agreedAt !== undefined && !isNewerAgreement(agreedAt, this.updates.agreement())) continue
        this.updates.append(label, statement)
        this.updates.rotated(rotatedEpoch(statement) ?? 0)
      }
      if (!statements.some(isDeactivation)) return
      this.pools.end()
    })
  }

  /** An object that was lost or restored to an earlier time may be behind what the map of accounts has of it. */
  catchUp(published: AccountValue): void {
    if (published.seq <= this.head().seq) return
    this.#stored.transact(() => {
      this.#stored.create(ACCOUNT_DIRECTORY)
      this.updates.continueAfter(published)
    })
  }

  /** After a rebuild, which does not know of the last minute. Call inside a transaction. */
  onRebuilt(): void {
    this.pools.spendOneTime()
  }

  head(): AccountHead {
    return this.#stored.exists ? this.updates.head() : EMPTY_HEAD
  }

  /** The statement hashes after a number, and what all updates come to. */
  audit(since: number, limit: number): AccountHead & { readonly statementHashes: string[] } {
    const statementHashes = this.#stored.exists ? this.updates.hashesAfter(since, limit) : []
    return { ...this.head(), statementHashes }
  }

  /** One transaction ends every package of the device and every prekey that is left. */
  revoke(label: string, revocation: SignedPackageRevocation, now: number): Result<RevocationRow, RevokeRefusal> {
    return this.#stored.transact((): Result<RevocationRow, RevokeRefusal> => {
      const { deviceId, version } = revocation.statement
      const device = this.#device(deviceId)
      if (device.version === 0) return err({ reason: 'not_found' })
      const before = this.directory.revocation(deviceId)
      if (before && statementHash(before.revocation.statement) === statementHash(revocation.statement))
        return ok(before)
      const isNewest = mayRevoke(version, device) && mayFollow(revocation.statement, this.#newestHead(deviceId))
      if (!isNewest) return err({ reason: 'stale_package' })
      const row = { revocation, ...this.updates.append(label, revocation.statement), revokedAt: now }
      this.pools.supersede(deviceId)
      this.directory.revoke(deviceId, row)
      const event = { id: statementHash(revocation.statement), kind: 'package.revoked', ref: deviceId } as const
      this.told.add(revocation.statement.did, event, now)
      return ok(row)
    })
  }

  stock(deviceId: string): PrekeyStock[] {
    return this.#stored.exists ? this.#stock(deviceId) : []
  }

  /** Whether anything was published for the device. */
  knows(deviceId: string): boolean {
    return this.#device(deviceId).version > 0
  }

  #stock(deviceId: string): PrekeyStock[] {
    const device = this.#device(deviceId)
    const published = this.directory.suites(deviceId).filter(({ version }) => !isRevoked(version, device))
    return this.pools.stock(deviceId, published)
  }

  #newestHead(deviceId: string): KnownInception {
    return this.#stored.exists ? this.directory.newestHead(deviceId) : null
  }

  #device(deviceId: string) {
    return this.#stored.exists ? this.directory.device(deviceId) : UNKNOWN_DEVICE
  }
}
