/**
 * What every transaction of an identity's object needs: who may act, their nonces, and the chain. The object itself only
 * carries calls here and keeps the alarm; rotation and inception have sessions of their own over this one.
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
import { encodeBase64url } from '@svc/protocol/base64url'
import type { SignedDeactivation } from '@svc/protocol/deactivation'
import type { Capability } from '@svc/protocol/device'
import type { SignedKeyAgreement } from '@svc/protocol/key-agreement'
import type { DidService, StandingRegistration } from '@svc/protocol/registration'
import { err, ok, type Result } from '@svc/protocol/result'
import { DEVICE_HOLD_PERIOD_MS, type HoldState, MAX_DEVICE_HOLDS } from '@svc/protocol/security'
import { type AppendClaim, type AppendRefusal, checkAppend } from '../chain/chain.ts'
import type { ChainRecord } from '../chain/chain-record.ts'
import { ChainStore, type StoredPayload } from '../chain/chain-store.ts'
import { InceptionStore } from '../inception/inception-store.ts'
import { RotationStore } from '../rotation/rotation-store.ts'
import { type Alias, checkKey, type Elsewhere, type IdentityRecord, type KeyRefusal, type RootKey } from './identity.ts'
import { IdentityStore } from './identity-store.ts'

/** Nonces are swept a minute after the first of them expires, so that one alarm clears a burst. */
const SWEEP_DELAY_MS = 60_000

export interface Candidate {
  readonly record: ChainRecord
  readonly claim: AppendClaim
  readonly payload: StoredPayload | null
}

/** Who may write: an assertion to spend now, or the caller whose assertion an earlier call of this request spent. */
export type WriteAuthority = { readonly assertion: VerifiedAssertion } | { readonly spentBy: VerifiedAssertion }

export type Refused = SpendRefusal | Elsewhere

export type RegistrationRefusal = { readonly reason: 'not_found' | 'invalid_signature' | 'stale' }

export interface GenesisReading {
  readonly identity: IdentityRecord
  readonly genesis: ChainRecord
  /** The key that signed block "0". */
  readonly key: RootKey
}

export interface RootKeyReading {
  readonly identity: IdentityRecord
  readonly key: RootKey
  readonly supersededAt: number | null
}

export class IdentitySession {
  readonly storage: DurableObjectStorage
  readonly identities: IdentityStore
  readonly chain: ChainStore
  readonly rotations: RotationStore
  readonly inception: InceptionStore
  readonly #nonces: NonceStore
  /** Whether genesis has made the tables; read from storage when the object starts. */
  #exists: boolean
  #alias: Alias | null

  constructor(storage: DurableObjectStorage) {
    const { sql } = storage
    this.storage = storage
    this.identities = new IdentityStore(sql)
    this.chain = new ChainStore(sql)
    this.rotations = new RotationStore(sql)
    this.inception = new InceptionStore(sql)
    this.#nonces = new NonceStore(sql)
    this.#exists = this.identities.exists()
    this.#alias = !this.#exists && this.identities.hasAlias() ? this.identities.alias() : null
    // Tables that came with a later version; an object that nobody wrote to stays without any.
    if (this.#exists) this.#createTables()
  }

  init(did: string, scope: string, key: RootKey, genesis: ChainRecord): Result<IdentityRecord, { reason: 'conflict' }> {
    const result = this.storage.transactionSync((): Result<IdentityRecord, { reason: 'conflict' }> => {
      const existing = this.read()
      // The DID is 24 bytes of the scope: the full scope is compared wherever a DID is.
      if (existing) {
        const same = existing.scope === scope && this.chain.at(0)?.hash === genesis.hash
        return same ? ok(existing) : err({ reason: 'conflict' })
      }
      // A key that was reserved for a rotation or a device belongs to the identity that reserved it.
      if (this.#alias) return err({ reason: 'conflict' })
      this.#createTables()
      this.identities.create(did, scope, key)
      this.chain.append(genesis, null, key.activatedAt)
      return ok({ did, scope, createdAt: key.activatedAt, current: key, deactivatedAt: null })
    })
    if (result.ok) this.#exists = true
    return result
  }

  #createTables(): void {
    this.identities.createTables()
    this.chain.createTables()
    this.rotations.createTables()
    this.inception.createTables()
    NonceStore.createTables(this.storage.sql)
  }

  read(): IdentityRecord | null {
    return this.#exists ? this.identities.read() : null
  }

  /** The root key of an epoch, or the one in force at a time, and what followed it. */
  rootKey(wanted: { readonly epoch: number | null; readonly at: number | null }): RootKeyReading | null {
    const identity = this.read()
    const key = identity && this.identities.keyAt(wanted)
    if (!key) return null
    const next = this.identities.keyAt({ epoch: key.epoch + 1, at: null })
    return { identity, key, supersededAt: next?.activatedAt ?? null }
  }

  alias(): Alias | null {
    return this.#alias
  }

  /** Whether a key could be reserved for an identity; `reserved` when it already is for this one. */
  standingOf(wanted: Alias): 'free' | 'reserved' | 'taken' {
    if (this.#exists) return 'taken'
    if (!this.#alias) return 'free'
    const { kind, userId, did, scope } = this.#alias
    const same = kind === wanted.kind && userId === wanted.userId && did === wanted.did && scope === wanted.scope
    return same ? 'reserved' : 'taken'
  }

  /** Reserves this object's name for a key of another identity: for good, and once. Again is the same reservation. */
  reserve(wanted: Alias): 'reserved' | 'taken' {
    return this.storage.transactionSync(() => {
      const standing = this.standingOf(wanted)
      if (standing !== 'free') return standing
      this.identities.putAlias(wanted, Date.now())
      this.#alias = wanted
      return 'reserved'
    })
  }

  genesis(): GenesisReading | null {
    const identity = this.read()
    const genesis = identity && this.chain.at(0)
    const [key] = identity ? this.identities.keys(0, 0) : []
    return identity && genesis && key ? { identity, genesis, key } : null
  }

  checkKey(userId: string): Result<IdentityRecord, KeyRefusal | Elsewhere> {
    if (this.#alias?.kind === 'root' && this.#alias.userId === userId) {
      return err({ reason: 'elsewhere', did: this.#alias.did })
    }
    return checkKey(this.read(), userId, (id) => this.identities.hasKey(id))
  }

  /** A device's record with what its owner's root makes of it; null for a device that was never attested here. */
  deviceStanding(deviceId: string): DeviceStanding | null {
    const identity = this.read()
    const device = identity && this.inception.device(deviceId)
    if (!device) return null
    const { scope, current } = identity
    return { ...device, scope, userId: current.userId, currentEpoch: current.epoch }
  }

  /** Whether a device may act now: attested under the current root key, neither suspended, revoked nor expired. */
  isActive(deviceId: string, now: number): boolean {
    const standing = this.deviceStanding(deviceId)
    const hasExpired = standing?.expiresAt != null && standing.expiresAt <= now
    return standing?.status === 'active' && standing.rootEpoch === standing.currentEpoch && !hasExpired
  }

  /** Whether a caller, whose assertion was spent some time ago, may act still, and do what it began. */
  stillActs(userId: string, device: { readonly deviceId: string; readonly needs: Capability } | null, now: number) {
    if (!this.checkKey(userId).ok) return false
    if (device === null) return true
    const { deviceId, needs } = device
    return this.isActive(deviceId, now) && this.deviceStanding(deviceId)?.capabilities.includes(needs) === true
  }

  /** Whether the key that signed may act at all; what it may do comes after. */
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
   * Spends the assertion and does the work in the same transaction. A refusal by the work leaves the nonce spent:
   * an assertion serves one request, whatever becomes of it.
   */
  authorized<T, E>(
    assertion: VerifiedAssertion,
    work: (identity: IdentityRecord, caller: Caller) => Result<T, E>,
  ): Result<T, E | Refused> {
    return this.storage.transactionSync((): Result<T, E | Refused> => {
      const standing = this.#standing(assertion)
      if (!standing.ok) return standing
      const outcome = this.#nonces.spend(assertion.signer, assertion.nonce, assertion.keepUntil, Date.now())
      if (outcome !== 'spent') return err({ reason: outcome })
      if (!mayUse(assertion.requiredCapability, assertion.device)) return err({ reason: 'capability' })
      return work(standing.value, callerOf(standing.value, assertion))
    })
  }

  /** The same for a write whose assertion may be spent already; whoever spent it must still be allowed to. */
  write<T, E>(authority: WriteAuthority, work: (identity: IdentityRecord) => Result<T, E>): Result<T, E | Refused> {
    if ('assertion' in authority) return this.authorized(authority.assertion, work)
    return this.storage.transactionSync((): Result<T, E | Refused> => {
      const standing = this.#standing(authority.spentBy)
      return standing.ok ? work(standing.value) : standing
    })
  }

  append(authority: WriteAuthority, candidate: Candidate): Result<{ acceptedAt: number }, Refused | AppendRefusal> {
    return this.write(authority, (identity) => this.#append(identity, candidate))
  }

  /** A block that came without an assertion: it was signed by the key that it names, which must be the root now. */
  appendSigned(candidate: Candidate): Result<{ acceptedAt: number }, KeyRefusal | Elsewhere | AppendRefusal> {
    return this.storage.transactionSync((): Result<{ acceptedAt: number }, KeyRefusal | Elsewhere | AppendRefusal> => {
      const standing = this.checkKey(candidate.claim.ownerUserId)
      return standing.ok ? this.#append(standing.value, candidate) : standing
    })
  }

  #append(identity: IdentityRecord, candidate: Candidate): Result<{ acceptedAt: number }, AppendRefusal> {
    const checked = this.checkAppend(identity, candidate.claim, candidate.record.hash)
    if (!checked.ok) return checked
    const acceptedAt = Date.now()
    this.chain.append({ ...candidate.record, keyEpoch: identity.current.epoch }, candidate.payload, acceptedAt)
    return ok({ acceptedAt })
  }

  checkAppend(identity: IdentityRecord, claim: AppendClaim, hash: string): Result<void, AppendRefusal> {
    const position = {
      scope: identity.scope,
      epoch: identity.current.epoch,
      ownerUserId: identity.current.userId,
      head: this.chain.mustHead(),
      held: this.identities.hold().held,
    }
    return checkAppend(position, claim, () => this.chain.receipt(Number(claim.index), hash))
  }

  hold(assertion: VerifiedAssertion): Result<HoldState, Refused> {
    return this.authorized(assertion, () => ok(this.identities.hold()))
  }

  /** Placing twice keeps the first; lifting what is not there changes nothing. */
  setHold(assertion: VerifiedAssertion, held: boolean): Result<HoldState, Refused | { reason: 'veto_limit' }> {
    return this.authorized(assertion, (_, { device }): Result<HoldState, { reason: 'veto_limit' }> => {
      const { identities } = this
      if (!held) identities.liftHold()
      else if (!identities.hold().held) {
        const now = Date.now()
        if (device && identities.holdsSince(device.deviceId, now - DEVICE_HOLD_PERIOD_MS) >= MAX_DEVICE_HOLDS) {
          return err({ reason: 'veto_limit' })
        }
        identities.placeHold(now, device?.deviceId ?? 'root')
      }
      return ok(identities.hold())
    })
  }

  /** Terminal. `signerUserId` is the key whose signature was verified; it must still be the root here. */
  deactivate(signed: SignedDeactivation, signerUserId: string): Result<number, KeyRefusal | Elsewhere> {
    return this.storage.transactionSync((): Result<number, KeyRefusal | Elsewhere> => {
      const ended = this.read()?.deactivatedAt ?? null
      if (ended !== null) return ok(ended)
      const key = this.checkKey(signerUserId)
      if (!key.ok) return key
      const now = Date.now()
      this.identities.deactivate(signed, now)
      return ok(now)
    })
  }

  /** The statement that is in force: one that an earlier root key has signed ended with that key. */
  keyAgreement(): ReturnType<IdentityStore['keyAgreement']> {
    const current = this.read()?.current
    return current ? this.identities.keyAgreement(current.epoch) : null
  }

  /**
   * Registers the DID for resolution, or updates what is registered: statement and services together, or neither.
   * `signerUserId` is the key whose signature was found on the statement; it must still be the root here.
   */
  register(
    services: readonly DidService[] | undefined,
    statement: { readonly signed: SignedKeyAgreement; readonly signerUserId: string } | null,
  ): Result<StandingRegistration, RegistrationRefusal> {
    if (!this.#exists) return err({ reason: 'not_found' })
    return this.storage.transactionSync((): Result<StandingRegistration, RegistrationRefusal> => {
      const identity = this.read()
      if (!identity || identity.deactivatedAt !== null) return err({ reason: 'not_found' })
      const now = Date.now()
      const refusal = statement && this.#putKeyAgreement(identity, statement.signed, statement.signerUserId, now)
      return refusal ? err(refusal) : ok(this.identities.putRegistration(services, now))
    })
  }

  /** Only a newer statement replaces one; the same one again changes nothing. */
  #putKeyAgreement(
    { current }: IdentityRecord,
    signed: SignedKeyAgreement,
    signerUserId: string,
    now: number,
  ): RegistrationRefusal | null {
    if (current.userId !== signerUserId) return { reason: 'invalid_signature' }
    const known = this.identities.keyAgreement(current.epoch)
    if (known?.signed.signatureB64u === signed.signatureB64u) return null
    if (known && known.signed.statement.issuedAt >= signed.statement.issuedAt) return { reason: 'stale' }
    this.identities.putKeyAgreement(signed, current.epoch, now)
    return null
  }

  consumeNonce(subject: string, nonce: string, keepUntil: number): 'spent' | 'replay' | 'expired' | 'not_found' {
    if (!this.#exists) return 'not_found'
    return this.storage.transactionSync(() => this.#nonces.spend(subject, nonce, keepUntil, Date.now()))
  }

  startRebuild(): boolean {
    if (!this.#exists) return false
    this.storage.transactionSync(() => this.chain.startRebuild())
    return true
  }

  /** One bounded step of what waits: a rebuild step, or a sweep of expired nonces. */
  housekeep(now: number): void {
    if (!this.#exists) return
    this.storage.transactionSync(() => {
      this.#nonces.prune(now)
      this.chain.rebuildStep()
    })
  }

  /** When the next step is due, read from storage alone; null when nothing waits. */
  nextHousekeeping(now: number): number | null {
    if (!this.#exists) return null
    if (this.chain.indexing()) return now
    const earliest = this.#nonces.earliestExpiry()
    return earliest === null ? null : earliest + SWEEP_DELAY_MS
  }
}

function callerOf({ did, scope, current }: IdentityRecord, { device, publicKeyB64u }: VerifiedAssertion): Caller {
  return {
    userId: current.userId,
    did,
    scope,
    epoch: current.epoch,
    publicKeyB64u: encodeBase64url(current.publicKey),
    device: device && { deviceId: device.deviceId, publicKeyB64u, capabilities: device.capabilities },
  }
}
