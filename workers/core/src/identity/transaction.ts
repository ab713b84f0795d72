/**
 * What every transaction of an identity's object shares: who may act, and their nonces. Chain, rotation, inception
 * and hold build their transactions on this one.
 *
 * @module
 */
import {
  type Caller,
  checkDevice,
  type DeviceStanding,
  mayUse,
  type SpendRefusal,
  type VerifiedAssertion,
} from '@svc/assertion'
import { NonceStore } from '@svc/assertion/worker/nonce-store'
import { type ObjectStorage, type Persisted, persist } from '@svc/objects'
import type { Capability } from '@svc/protocol/base/device'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { type Commitment, NO_COMMITMENT } from '@svc/protocol/chain/commitment'
import { OwnedAnchors } from '../anchors/owned.ts'
import type { ChainRecord } from '../chain/record.ts'
import { IdentityChainStore } from '../chain/store.ts'
import { EventStore } from '../events/store.ts'
import { DeviceStore } from '../inception/device-store.ts'
import { ReservedKeys } from '../inception/reserved-keys.ts'
import { InceptionStore } from '../inception/store.ts'
import type { Times } from '../rotation/rules.ts'
import { RotationStore } from '../rotation/store.ts'
import { UpdateOutbox } from '../rotation/updates/outbox.ts'
import { blockRoom } from '../storage/rules.ts'
import { StorageTransaction } from '../storage/transaction.ts'
import { type Pending, PendingReading } from '../watch/pending.ts'
import { WatchStore } from '../watch/store.ts'
import { callerOf } from './caller.ts'
import { Ending } from './ending.ts'
import { type Alias, checkKey, type Elsewhere, type IdentityRecord, type KeyRefusal, type RootKey } from './rules.ts'
import { ALIAS, IDENTITY } from './schema.ts'
import { IdentityStore } from './store.ts'

/** Authority to write: an assertion to spend now, or one that an earlier call of this request has spent. */
export type WriteAuthority = { readonly assertion: VerifiedAssertion } | { readonly spentBy: VerifiedAssertion }

export type Refused = SpendRefusal | Elsewhere

export interface OnceStatement {
  readonly signer: string
  readonly hash: string
  readonly keepUntil: number
}

/** What a genesis block creates, verified. */
export interface NewIdentity {
  readonly did: string
  readonly scope: string
  readonly key: RootKey
  readonly genesis: ChainRecord
  readonly commitment: Commitment | null
}

export class IdentityTransaction {
  readonly stored: ObjectStorage
  readonly identities: IdentityStore
  readonly chain: IdentityChainStore
  readonly rotations: RotationStore
  readonly inception: InceptionStore
  readonly devices: DeviceStore
  readonly reservedKeys: ReservedKeys
  readonly updates: UpdateOutbox
  readonly storage: StorageTransaction
  readonly events: EventStore
  readonly anchors: OwnedAnchors
  readonly watch: WatchStore
  readonly told: PendingReading
  readonly ending: Ending
  /** Reads the times from the configuration when they are needed. */
  readonly times: () => Times
  readonly #nonces: NonceStore

  constructor(stored: ObjectStorage, options: { readonly hasDirectory: boolean; readonly times: () => Times }) {
    this.stored = stored
    this.times = options.times
    this.identities = new IdentityStore(stored)
    this.chain = new IdentityChainStore(stored)
    this.events = new EventStore(stored)
    this.rotations = new RotationStore(stored, this.events)
    this.inception = new InceptionStore(stored)
    this.devices = new DeviceStore(stored)
    this.reservedKeys = new ReservedKeys(stored)
    this.#nonces = new NonceStore(stored)
    this.updates = new UpdateOutbox(stored, options)
    this.storage = new StorageTransaction(stored)
    this.anchors = new OwnedAnchors(stored)
    this.watch = new WatchStore(stored, () => this.times().standingMs)
    this.told = new PendingReading(this.rotations, this.devices, this.times)
    this.ending = new Ending(this)
  }

  init({ did, scope, key, genesis, commitment }: NewIdentity): Result<IdentityRecord, { reason: 'conflict' }> {
    return this.stored.transact((): Result<IdentityRecord, { reason: 'conflict' }> => {
      const existing = this.read()
      // The DID holds only 24 bytes of the scope, so always compare the full scope too.
      if (existing) {
        const same = existing.scope === scope && this.chain.at(0)?.hash === genesis.hash
        if (!same) return err({ reason: 'conflict' })
        // The block names it, so it is what its owner signed, also if it is shown late.
        if (commitment && existing.current.epoch === 0) this.identities.commitAtGenesis(commitment)
        return ok(this.read() ?? existing)
      }
      // A key reserved for a rotation or a device belongs to the identity that reserved it.
      if (this.alias()) return err({ reason: 'conflict' })
      this.stored.create(IDENTITY)
      this.identities.create(did, scope, key, commitment)
      this.chain.append(genesis, null, key.activatedAt)
      this.storage.countAnyway('chain', blockRoom(0))
      const createdAt = key.activatedAt
      return ok({ did, scope, createdAt, current: key, commitment: commitment ?? NO_COMMITMENT, deactivatedAt: null })
    })
  }

  /** Whether genesis was written. An alias is not an identity. */
  get #exists(): boolean {
    return this.stored.is(IDENTITY)
  }

  read(): IdentityRecord | null {
    if (!this.#exists) return null
    this.ending.endIfDue(Date.now())
    return this.identities.read()
  }

  /** The identity, unless it has ended. */
  living(): IdentityRecord | null {
    const identity = this.read()
    return identity?.deactivatedAt === null ? identity : null
  }

  alias(): Alias | null {
    return this.stored.is(ALIAS) ? this.identities.alias() : null
  }

  /** Whether a key could be reserved for an identity; `reserved` if it already is, for that identity. */
  standingOf(wanted: Alias): 'free' | 'reserved' | 'taken' {
    if (this.#exists) return 'taken'
    const alias = this.alias()
    if (!alias) return 'free'
    const { kind, userId, did, scope } = alias
    const same = kind === wanted.kind && userId === wanted.userId && did === wanted.did && scope === wanted.scope
    return same ? 'reserved' : 'taken'
  }

  /** Reserves this object's name for a key of another identity, permanently. Idempotent. */
  reserve(wanted: Alias): 'reserved' | 'taken' {
    return this.stored.transact(() => {
      const standing = this.standingOf(wanted)
      if (standing !== 'free') return standing
      this.stored.create(ALIAS)
      this.identities.putAlias(wanted, Date.now())
      return 'reserved'
    })
  }

  checkKey(userId: string): Result<IdentityRecord, KeyRefusal | Elsewhere> {
    const alias = this.alias()
    if (alias?.kind === 'root' && alias.userId === userId) return err({ reason: 'elsewhere', did: alias.did })
    return checkKey(this.read(), userId, (id) => this.identities.hasKey(id))
  }

  /** A device's record and its standing under the root key; null if it was never attested here. */
  deviceStanding(deviceId: string): DeviceStanding | null {
    const identity = this.read()
    const device = identity && this.devices.find(deviceId)
    if (!device) return null
    const { scope, current } = identity
    return { ...device, scope, userId: current.userId, currentEpoch: current.epoch }
  }

  /** Devices of the current and the previous epoch: all that a cache may hold. */
  deviceIds(): string[] {
    const epoch = this.read()?.current.epoch ?? 0
    return [epoch - 1, epoch].flatMap((e) => this.devices.ofEpoch(e)).map(({ deviceId }) => deviceId)
  }

  /** Whether a device may act now: attested under the current root key, neither suspended, revoked nor expired. */
  isActive(deviceId: string, now: number): boolean {
    const standing = this.deviceStanding(deviceId)
    const hasExpired = standing?.expiresAt != null && standing.expiresAt <= now
    return standing?.status === 'active' && standing.rootEpoch === standing.currentEpoch && !hasExpired
  }

  /** Whether the caller of an assertion spent earlier may still act, with the capability that it needs. */
  stillActs(userId: string, device: { readonly deviceId: string; readonly needs: Capability } | null, now: number) {
    if (!this.checkKey(userId).ok) return false
    if (device === null) return true
    const { deviceId, needs } = device
    return this.isActive(deviceId, now) && this.deviceStanding(deviceId)?.capabilities.includes(needs) === true
  }

  /** Whether the key that signed may act at all; its permissions are checked later. */
  #standing(assertion: VerifiedAssertion): Result<IdentityRecord, Refused> {
    const { device, userId } = assertion
    if (!device) return this.checkKey(userId)
    const identity = this.read()
    if (!identity) return err({ reason: 'unknown_device' })
    if (identity.deactivatedAt !== null) return err({ reason: 'deactivated' })
    const refusal = checkDevice(this.deviceStanding(device.deviceId), { ...assertion, device }, Date.now())
    return refusal ? err({ reason: refusal }) : ok(identity)
  }

  /**
   * Spends the assertion and does the work in the same transaction. If the work fails, its writes are rolled back and
   * the nonce stays spent: an assertion serves one request, whatever the outcome.
   */
  authorized<T, E>(
    assertion: VerifiedAssertion,
    work: (identity: IdentityRecord, caller: Caller) => Result<T, E>,
  ): Result<T, E | Refused> {
    const result = this.stored.transact((): Result<T, E | Refused> | Persisted<Result<T, E | Refused>> => {
      const standing = this.#standing(assertion)
      if (!standing.ok) return standing
      const { signer, nonce, keepUntil, issuedAt } = assertion
      const outcome = this.#nonces.spend(signer, nonce, keepUntil, Date.now(), issuedAt)
      if (outcome !== 'spent') return err({ reason: outcome })
      if (!mayUse(assertion.requiredCapability, assertion.device)) return persist(err({ reason: 'capability' }))
      return persist(
        this.stored.transact((): Result<T, E | Refused> => work(standing.value, callerOf(standing.value, assertion))),
      )
    })
    this.keepAlarm()
    return result
  }

  /** The same for a write whose assertion may be spent already; its signer must still be allowed to act. */
  write<T, E>(authority: WriteAuthority, work: (identity: IdentityRecord) => Result<T, E>): Result<T, E | Refused> {
    if ('assertion' in authority) return this.authorized(authority.assertion, work)
    return this.stored.transact((): Result<T, E | Refused> => {
      const standing = this.#standing(authority.spentBy)
      return standing.ok ? work(standing.value) : standing
    })
  }

  /** Returns the pending change and the changes of standing, as members of a response to the owner. */
  pending(): Pending {
    return this.told.read(this.identities.read()?.current.epoch ?? 0, Date.now())
  }

  consumeNonce(subject: string, nonce: string, keepUntil: number): 'spent' | 'replay' | 'expired' | 'not_found' {
    if (!this.#exists) return 'not_found'
    return this.stored.transact(() => this.#nonces.spend(subject, nonce, keepUntil, Date.now()))
  }

  /** A statement that counts once, until it is too old to count at all. */
  isUsed({ signer, hash, keepUntil }: OnceStatement, now: number): boolean {
    return this.#nonces.standing(signer, hash, keepUntil, now) !== 'fresh'
  }

  /** Call inside a transaction, after `isUsed`. */
  use({ signer, hash, keepUntil }: OnceStatement, now: number): void {
    if (this.#nonces.spend(signer, hash, keepUntil, now) !== 'spent') throw new Error('Statement used twice')
  }

  /** In the transaction that rebuilds the object: nonces until then are lost, and the index of blocks follows from them. */
  onRebuilt(signedFrom: number): void {
    this.#nonces.startFrom(signedFrom)
    this.chain.startRebuild()
    this.events.tidy(Date.now())
  }

  startRebuild(): boolean {
    if (!this.#exists) return false
    this.stored.transact(() => this.chain.startRebuild())
    void this.stored.alarm.by(Date.now())
    return true
  }

  /**
   * One bounded step of pending work. Sets the alarm for the rest. Nonces have no alarm, which would take a page and two
   * writes for each hour with an assertion: what is left of the last hours goes with the next assertion or alarm.
   */
  housekeep(now: number): void {
    if (!this.#exists) return
    this.stored.transact(() => {
      this.#nonces.dropEnded(now)
      this.chain.rebuildStep()
      this.events.prune(now)
    })
    this.keepAlarm()
  }

  /** Sets the alarm for the next step. Not awaited: the output gate holds the answer until it is as durable as the writes. */
  keepAlarm(): void {
    if (!this.#exists) return
    const times = [
      this.chain.indexing() ? Date.now() : null,
      this.updates.dueAt(),
      this.anchors.dueAt(),
      this.events.nextDue(),
      // So that it is reported even if nobody asks. One held past its deadline is found after the hold is lifted.
      this.rotations.nextEnd(Date.now()),
    ].filter((time) => time !== null)
    if (times.length > 0) void this.stored.alarm.by(Math.min(...times))
  }
}
