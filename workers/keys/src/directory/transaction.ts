/**
 * The transactions of an account's directory. The object only forwards calls to them and keeps the alarm. Callers have
 * verified signatures, and that core attests the device, before each call.
 *
 * @module
 */
import type { ObjectStorage } from '@svc/objects'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { statementHash } from '@svc/protocol/base/statement'
import { type AccountHead, EMPTY_HEAD } from '@svc/protocol/keys/account-updates'
import {
  type PrekeyStock,
  RESERVATION_MS,
  type ReservationReceipt,
  type ReservePrekey,
} from '@svc/protocol/keys/directory'
import {
  type KeyPackagePair,
  PROFILES,
  type PrekeyKind,
  type Profile,
  type SignedPackageRevocation,
  type SignedPrekeyBatch,
  SUITES,
  type SuiteId,
} from '@svc/protocol/keys/packages'
import { DEFAULT_SETTINGS, type DirectorySettings } from '@svc/protocol/keys/reserving'
import { isDefault, RequesterStore } from '../prekeys/requester-store.ts'
import { type ReservationRow, ReservationStore } from '../prekeys/reservation-store.ts'
import { type Standing, standingOf } from '../prekeys/rules.ts'
import { type Drawn, type PrekeyRow, PrekeyStore, type Suite } from '../prekeys/store.ts'
import type { AttestationRefusal } from './attested-device-client.ts'
import { OwnerEvents } from './owner-events.ts'
import {
  drawnKind,
  fitsPool,
  isBatchCurrent,
  isDeactivation,
  isRevoked,
  keptOf,
  keptUntil,
  leftFor,
  MAX_DEVICES,
  mayReserve,
  mayRevoke,
  maySucceed,
  oldestKept,
  setAsideOf,
  stockOf,
  UNKNOWN_DEVICE,
} from './rules.ts'
import { ACCOUNT_DIRECTORY } from './schema.ts'
import { DirectoryStore, type PackageRow, type RevocationRow } from './store.ts'
import { type UpdateRow, UpdateStore } from './update-store.ts'

export type PrekeyRefusal = { readonly reason: 'prekey_reused' | 'prekey_limit' | 'statement_expired' }
export type PublishRefusal = PrekeyRefusal | { readonly reason: 'stale_package' | 'device_limit' }
export type FindRefusal = { readonly reason: 'not_found' | 'package_revoked' }
export type RevokeRefusal = { readonly reason: 'not_found' | 'stale_package' }
export type ReserveRefusal =
  | FindRefusal
  | { readonly reason: 'idempotency_conflict' | 'reservation_ended' | 'reservation_limit' | 'prekeys_exhausted' }
  | { readonly reason: 'challenge_required' | 'stale_epoch' }
  | AttestationRefusal

/** A batch whose signature and root were verified, with the audit path of each key. */
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
  /** What core says of the device: the epoch of the root key that has to have signed its package, or why it is not in force. */
  readonly device: { readonly currentEpoch: number } | { readonly refusal: AttestationRefusal }
  /** Whether the requester has passed a challenge for this reservation. */
  readonly hasPassed: boolean
}

export interface Reserved {
  readonly prekey: Drawn
  readonly row: ReservationRow
}

/** One update with what is shown of it: the whole package or revocation while it is the newest, else the statement. */
export interface ListedUpdate extends UpdateRow {
  readonly row: PackageRow | null
  readonly revocation: RevocationRow | null
}

export interface AccountListing extends AccountHead {
  readonly updates: readonly ListedUpdate[]
}

const RESERVATION_ID_BYTES = 24

export class DirectoryTransaction {
  readonly #stored: ObjectStorage
  readonly directory: DirectoryStore
  readonly #prekeys: PrekeyStore
  readonly #requesters: RequesterStore
  readonly reservations: ReservationStore
  readonly updates: UpdateStore
  readonly told: OwnerEvents

  constructor(stored: ObjectStorage) {
    this.#stored = stored
    this.directory = new DirectoryStore(stored.sql)
    this.#prekeys = new PrekeyStore(stored.sql)
    this.#requesters = new RequesterStore(stored.sql)
    this.reservations = new ReservationStore(stored.sql)
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
      if (!isAgain && !maySucceed(version, device)) return err({ reason: 'stale_package' })
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
      const added = this.#add(deviceId, batches, now)
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
      const added = this.#add(deviceId, batches, now)
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
    const revocations = new Map(this.directory.revocations().map((row) => [row.seq, row]))
    const updates = page.map((update) => {
      const row = packages.get(update.seq) ?? null
      const isLive = row !== null && !isRevoked(row.version, this.#device(row.deviceId))
      return { ...update, row: isLive ? row : null, revocation: revocations.get(update.seq) ?? null }
    })
    return { ...this.updates.head(), updates }
  }

  /**
   * Statements of the account's root key that core tells, in order. Each is an update once. A deactivation ends every
   * prekey and the settings.
   */
  record(label: string, statements: readonly { readonly type: string }[]): void {
    this.#stored.transact(() => {
      this.#stored.create(ACCOUNT_DIRECTORY)
      for (const statement of statements) this.updates.append(label, statement)
      if (!statements.some(isDeactivation)) return
      this.#prekeys.end()
      this.#requesters.put(DEFAULT_SETTINGS)
    })
  }

  /** An object that was lost or restored to an earlier time may be behind what the map of accounts has of it. */
  catchUp(published: AccountHead): void {
    if (published.seq <= this.head().seq) return
    this.#stored.transact(() => {
      this.#stored.create(ACCOUNT_DIRECTORY)
      this.updates.continueAfter(published)
    })
  }

  /** After a rebuild, which does not know of the last minute. Call inside a transaction. */
  onRebuilt(): void {
    this.#prekeys.spendOneTime()
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
      if (!mayRevoke(version, device)) return err({ reason: 'stale_package' })
      const row = { revocation, ...this.updates.append(label, revocation.statement), revokedAt: now }
      this.#prekeys.supersede(deviceId)
      this.directory.revoke(deviceId, row)
      const event = { id: statementHash(revocation.statement), kind: 'package.revoked', ref: deviceId } as const
      this.told.add(revocation.statement.did, event, now)
      return ok(row)
    })
  }

  /** Draws one prekey for one requester. A prekey is never handed out twice, even if it was never used. */
  reserve(request: ReserveRequest, bodyHash: string, now: number): Result<Reserved, ReserveRefusal> {
    return this.#stored.transact((): Result<Reserved, ReserveRefusal> => {
      const { accountDid, deviceId, requesterDid, requesterDevice, key, asked, device, hasPassed } = request
      const suite: Suite = { deviceId, profile: asked.profile, suiteId: asked.suiteId }
      const found = this.find(deviceId, suite.profile, suite.suiteId)
      if (!found.ok) return found
      if ('refusal' in device) return err(device.refusal)
      if (found.value.pair.credential.statement.rootEpoch !== device.currentEpoch) return err({ reason: 'stale_epoch' })
      const before = this.reservations.find(accountDid, requesterDid, key)
      if (before) return this.#again(before, bodyHash, now)
      const isContact = this.#requesters.isContact(accountDid, requesterDid)
      const standing = standingOf({ isContact, hasPassed }, this.#requesters.policy())
      if (!standing) return err({ reason: 'challenge_required' })
      const { byRequester, byStanding } = this.reservations.since(now - RESERVATION_MS, requesterDid, standing)
      if (!mayReserve(byRequester, byStanding)) return err({ reason: 'reservation_limit' })
      const kind = this.#kindFor(standing, asked, suite)
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
        standing,
      }
      this.reservations.add(row)
      return ok({ prekey, row })
    })
  }

  keepReceipt(reservationId: string, receipt: ReservationReceipt): ReservationReceipt {
    return this.#stored.transact(() => this.reservations.keepReceipt(reservationId, receipt))
  }

  settings(): DirectorySettings {
    return this.#stored.exists ? this.#requesters.settings() : DEFAULT_SETTINGS
  }

  /** In effect for the next reservation. The settings of a new account make nothing. */
  configure(settings: DirectorySettings): DirectorySettings {
    return this.#stored.transact(() => {
      if (!this.#stored.exists && isDefault(settings)) return DEFAULT_SETTINGS
      this.#stored.create(ACCOUNT_DIRECTORY)
      this.#requesters.put(settings)
      return this.#requesters.settings()
    })
  }

  stock(deviceId: string): PrekeyStock[] {
    return this.#stored.exists ? this.#stock(deviceId) : []
  }

  /** Whether anything was published for the device. */
  knows(deviceId: string): boolean {
    return this.#device(deviceId).version > 0
  }

  forget(now: number): void {
    if (!this.#stored.exists) return
    this.#stored.transact(() => {
      this.reservations.forget(now, oldestKept(now))
      this.#prekeys.forget(oldestKept(now))
    })
  }

  /** When there is something to forget; null if nothing that is kept expires. */
  nextForgetting(): number | null {
    const { receipt, reservation } = this.reservations.earliest()
    const times = [receipt, keptUntil(reservation), keptUntil(this.#prekeys.earliestUsedUp())]
    return times.reduce((least, time) => (time === null || (least !== null && least < time) ? least : time), null)
  }

  #again(before: ReservationRow, bodyHash: string, now: number): Result<Reserved, ReserveRefusal> {
    if (before.bodyHash !== bodyHash) return err({ reason: 'idempotency_conflict' })
    const prekey = before.expiresAt > now ? this.#prekeys.find(before.prekeyId) : null
    return prekey ? ok({ prekey, row: before }) : err({ reason: 'reservation_ended' })
  }

  /** Repeating a batch adds nothing. A batch with a key that is already known is refused. */
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
      if (kind === 'one-time') this.#prekeys.keep(suite, setAsideOf(this.#prekeys.left(suite, kind)))
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
        const lastResort = this.#prekeys.left(of, 'last-resort') > 0
        return stockOf(suite, { ...this.#oneTime(of), lastResort }, this.#requesters.policy())
      })
  }

  /** Strangers draw from what is not kept for contacts, and find the rest of a pool empty. */
  #kindFor(standing: Standing, asked: ReservePrekey, suite: Suite): PrekeyKind | null {
    const { oneTime, kept } = this.#oneTime(suite)
    const lastResort = this.#prekeys.left(suite, 'last-resort') > 0
    return drawnKind(asked, { oneTime: leftFor(standing, oneTime, kept) > 0, lastResort })
  }

  #oneTime(suite: Suite): { readonly oneTime: number; readonly kept: number } {
    const level = { oneTime: this.#prekeys.left(suite, 'one-time'), setAside: this.#prekeys.kept(suite) }
    const kept = keptOf(level, this.#requesters.policy(), this.#requesters.hasContacts())
    return { oneTime: level.oneTime, kept }
  }

  #device(deviceId: string) {
    return this.#stored.exists ? this.directory.device(deviceId) : UNKNOWN_DEVICE
  }
}
