import type { Caller, VerifiedAssertion } from '@svc/assertion'
import type { Capability } from '@svc/protocol/base/device'
import type { SignedKeyAgreement } from '@svc/protocol/base/key-agreement'
import { ok, type Result } from '@svc/protocol/base/result'
import type { HoldState } from '@svc/protocol/chain/hold'
import type { WatchTokenRecord } from '@svc/protocol/chain/watch'
import type { DidService, StandingRegistration } from '@svc/protocol/did/registration'
import type { Tier } from '@svc/protocol/pay/tiers'
import { readConfig } from '@svc/service'
import type { AppendRefusal } from '../chain/rules.ts'
import type { BlockRange } from '../chain/store.ts'
import {
  type BlockPage,
  type Candidate,
  ChainTransaction,
  type HeadReading,
  type PayloadLocation,
  type SyncReading,
} from '../chain/transaction.ts'
import { CORE_SKEW_MS, configSchema } from '../env.ts'
import { HoldTransaction } from '../hold/transaction.ts'
import { InceptionObject } from '../inception/object.ts'
import type { RootReading } from '../rotation/reading.ts'
import type { BudgetRefusal, KeptKind } from '../storage/rules.ts'
import type { KeptItem, KeptReading, LeaseAnswer, LeaseDemand } from '../storage/transaction.ts'
import { type Watched, type WatchRefusal, WatchTransaction } from '../watch/transaction.ts'
import { type AuthorityReading, type GenesisReading, IdentityReading, type RootKeyReading } from './reading.ts'
import { proveRebuilt } from './rebuilt/prove.ts'
import { type RegistrationRefusal, RegistrationTransaction } from './registration.ts'
import type { Alias, Elsewhere, IdentityRecord, KeyRefusal } from './rules.ts'
import { ALIAS, IDENTITY, IDENTITY_RECORDS } from './schema.ts'
import { spendFor } from './spend-for.ts'
import type { NewIdentity, Refused, WriteAuthority } from './transaction.ts'

/**
 * One identity: its root keys and rotations, its devices, its chain, its registration for resolution, and the spent
 * nonces of its keys. The object's name is the DID. Whatever must be decided together is decided in one transaction
 * here.
 *
 * Tables are created at genesis, not before: reading an unknown DID creates no table and no row. (The local runtime
 * still keeps an empty file per object ever reached.) The object named by the DID that a rotated-in key or a device key
 * would have on its own holds only an alias.
 */
export class IdentityObject extends InceptionObject {
  static override readonly schemas = [IDENTITY, ALIAS]
  static override readonly records = { objects: 'identities', plan: IDENTITY_RECORDS } as const
  readonly #chain: ChainTransaction
  readonly #hold: HoldTransaction
  readonly #registration: RegistrationTransaction
  readonly #reading: IdentityReading
  readonly #watch: WatchTransaction

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#chain = new ChainTransaction(this.transaction)
    this.#hold = new HoldTransaction(this.transaction)
    this.#registration = new RegistrationTransaction(this.transaction)
    this.#reading = new IdentityReading(this.transaction)
    this.#watch = new WatchTransaction(this.transaction)
    this.onRebuilt = (lostAt) => {
      if (this.stored.is(IDENTITY)) this.transaction.onRebuilt(lostAt + CORE_SKEW_MS)
    }
    this.proveRebuilt = (rehearse) => {
      const { REALMS: realms } = readConfig(configSchema, env)
      return proveRebuilt(this.transaction, { did: ctx.id.name ?? '', realms }, rehearse)
    }
  }

  /** Creates the identity, or returns the existing one. The caller has verified the block. */
  init(created: NewIdentity): Result<IdentityRecord, { reason: 'conflict' }> {
    return this.transaction.init(created)
  }

  read(): IdentityRecord | null {
    return this.transaction.read()
  }

  authority(): AuthorityReading | null {
    return this.#reading.authority()
  }

  genesis(): GenesisReading | null {
    return this.#reading.genesis()
  }

  standingOf(wanted: Alias): 'free' | 'reserved' | 'taken' {
    return this.transaction.standingOf(wanted)
  }

  /** Reserves this object's name for a key of another identity. Call only for a key that has signed its consent. */
  reserve(wanted: Alias): 'reserved' | 'taken' {
    return this.transaction.reserve(wanted)
  }

  alias(): Alias | null {
    return this.transaction.alias()
  }

  checkKey(userId: string): Result<IdentityRecord, KeyRefusal | Elsewhere> {
    return this.transaction.checkKey(userId)
  }

  stillActs(userId: string, device: { readonly deviceId: string; readonly needs: Capability } | null): boolean {
    return this.transaction.stillActs(userId, device, Date.now())
  }

  spend(assertion: VerifiedAssertion): Result<Caller, Refused> {
    return this.transaction.authorized(assertion, (_, caller) => ok(caller))
  }

  /** For another service. */
  spendFor(realm: string, assertion: VerifiedAssertion): Result<Caller, Refused> {
    return spendFor(this.transaction, realm, assertion)
  }

  head(assertion: VerifiedAssertion): Result<HeadReading, Refused> {
    return this.#chain.head(assertion)
  }

  blocks(assertion: VerifiedAssertion, range: BlockRange): Result<BlockPage, Refused> {
    return this.#chain.blocks(assertion, range)
  }

  payload(assertion: VerifiedAssertion, blockId: string): Result<PayloadLocation, Refused | { reason: 'not_found' }> {
    return this.#chain.payload(assertion, blockId)
  }

  payloadsAmong(r2Keys: readonly string[]): string[] {
    return this.#chain.payloadsAmong(r2Keys)
  }

  syncStatus(assertion: VerifiedAssertion): Result<SyncReading, Refused> {
    return this.#chain.syncStatus(assertion)
  }

  checkAppend(
    authority: WriteAuthority,
    candidate: Omit<Candidate, 'payload'>,
    payloadBytes: number,
  ): Result<{ did: string }, Refused | AppendRefusal> {
    return this.#chain.checkAppend(authority, candidate, payloadBytes)
  }

  append(authority: WriteAuthority, candidate: Candidate): Result<{ acceptedAt: number }, Refused | AppendRefusal> {
    return this.#chain.append(authority, candidate)
  }

  appendSigned(candidate: Candidate): Result<{ acceptedAt: number }, KeyRefusal | Elsewhere | AppendRefusal> {
    return this.#chain.appendSigned(candidate)
  }

  makeWatchToken(assertion: VerifiedAssertion, tokenHash: string): Result<WatchTokenRecord, Refused | WatchRefusal> {
    return this.#watch.make(assertion, tokenHash)
  }

  watchTokens(assertion: VerifiedAssertion): Result<WatchTokenRecord[], Refused> {
    return this.#watch.list(assertion)
  }

  /** Withdraws a watch token, which works for 30 more days. */
  withdrawWatchToken(
    assertion: VerifiedAssertion,
    tokenHash: string,
  ): Result<WatchTokenRecord, Refused | WatchRefusal> {
    return this.#watch.withdraw(assertion, tokenHash)
  }

  /** Returns the root with its devices; null if the token no longer works. Without a token, the caller is the owner. */
  look(tokenHash: string | null): (Watched & { readonly root: RootReading }) | null {
    const watched = this.#watch.look(tokenHash)
    const root = watched && this.root()
    return root && { ...watched, root }
  }

  hold(assertion: VerifiedAssertion): Result<HoldState, Refused> {
    return this.#hold.state(assertion)
  }

  /** In effect when this returns: an append authorized earlier is still rejected. */
  setHold(assertion: VerifiedAssertion, held: boolean): Result<HoldState, Refused | { reason: 'veto_limit' }> {
    return this.#hold.set(assertion, held)
  }

  isHeld(): boolean {
    return this.#hold.isInEffect()
  }

  /** The alarm delivers a new key agreement to the key directory, also after a crash. */
  register(
    services: readonly DidService[] | undefined,
    statement: { readonly signed: SignedKeyAgreement; readonly signerUserId: string } | null,
  ): Result<StandingRegistration, RegistrationRefusal> {
    const registered = this.#registration.register(services, statement)
    this.transaction.keepAlarm()
    return registered
  }

  consumeNonce(subject: string, nonce: string, keepUntil: number): 'spent' | 'replay' | 'expired' | 'not_found' {
    return this.transaction.consumeNonce(subject, nonce, keepUntil)
  }

  rootKey(wanted: { readonly epoch: number | null; readonly at: number | null }): RootKeyReading | null {
    return this.#reading.rootKey(wanted)
  }

  keep(did: string, item: KeptItem): Result<{ readonly isNew: boolean }, BudgetRefusal> {
    return this.transaction.storage.keep(did, item)
  }

  releaseKept(kind: KeptKind, item: string): void {
    this.transaction.storage.release(kind, item)
  }

  retainKept(kind: KeptKind, items: readonly string[], now: number): void {
    this.transaction.storage.retain(kind, items, now)
  }

  lease(did: string, demand: LeaseDemand): Result<LeaseAnswer, BudgetRefusal> {
    return this.transaction.storage.lease(did, demand)
  }

  entitle(tier: Tier, until: number): void {
    this.transaction.storage.entitle(tier, until)
  }

  kept(): KeptReading | null {
    return this.transaction.read() && this.transaction.storage.reading()
  }

  /** Restarts the projection; false if there is no such identity. */
  reindex(): boolean {
    return this.transaction.startRebuild()
  }

  /** Idempotent: each run continues from what storage says. */
  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    const told = await Promise.allSettled([
      this.deliverUpdates(),
      this.deliver(),
      this.deliverAnchors(null),
      this.keepRecords(),
    ])
    this.transaction.housekeep(Date.now())
    this.sockets.closeOld(Date.now())
    // The runtime runs it again.
    for (const outcome of told) if (outcome.status === 'rejected') throw outcome.reason
  }
}
