import type { Caller, VerifiedAssertion } from '@svc/assertion'
import type { Capability } from '@svc/protocol/base/device'
import type { SignedKeyAgreement } from '@svc/protocol/base/key-agreement'
import { ok, type Result } from '@svc/protocol/base/result'
import type { Deactivated, SignedDeactivation } from '@svc/protocol/chain/deactivation'
import type { HoldState } from '@svc/protocol/chain/hold'
import type {
  CurrentRotation,
  RotationRecord,
  SignedCosign,
  SignedRotationRequest,
  SignedVeto,
} from '@svc/protocol/chain/rotation'
import type { InceptionAppended, InceptionEvents, InceptionHeadAnswer } from '@svc/protocol/devices/api'
import type { InceptionEvent, RotateOfficers } from '@svc/protocol/devices/inception'
import type { DidService, StandingRegistration } from '@svc/protocol/did/registration'
import type { Tier } from '@svc/protocol/pay/tiers'
import { AnchorOwnerObject } from '../anchors/owner-object.ts'
import type { ChainRecord } from '../chain/record.ts'
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
import { CORE_SKEW_MS } from '../env.ts'
import {
  type DeviceReading,
  type InceptionRefusal,
  InceptionTransaction,
  type StandingRoster,
} from '../inception/transaction.ts'
import { type DeactivationRefusal, DeactivationTransaction } from '../rotation/deactivation.ts'
import { type KeyPage, RotationReading } from '../rotation/reading.ts'
import type {
  ActivationRefusal,
  CarriedRequest,
  CosignRefusal,
  RequestedRotation,
  RequestRefusal,
  Rotation,
  RotationGate,
  Times,
  VetoRefusal,
} from '../rotation/rules.ts'
import type { Approval } from '../rotation/store.ts'
import { type RotationPlan, RotationTransaction, type Signing, type SigningRefusal } from '../rotation/transaction.ts'
import { deliverUpdates } from '../rotation/update-courier.ts'
import { UpdateTransaction } from '../rotation/update-transaction.ts'
import type { BudgetRefusal, KeptKind } from '../storage/rules.ts'
import type { KeptItem, KeptReading, LeaseAnswer, LeaseDemand } from '../storage/transaction.ts'
import type { Alias, Elsewhere, IdentityRecord, KeyRefusal, RootKey } from './rules.ts'
import { ALIAS, IDENTITY, IDENTITY_RECORDS } from './schema.ts'
import { spendFor } from './spend-for.ts'
import type {
  AuthorityReading,
  GenesisReading,
  Refused,
  RegistrationRefusal,
  RootKeyReading,
  WriteAuthority,
} from './transaction.ts'

/**
 * One identity: its root keys and rotations, its devices, its chain, its registration for resolution, and the spent
 * nonces of its keys. The object's name is the DID. Whatever must be decided together is decided in one transaction
 * here.
 *
 * Tables are created at genesis, not before: reading an unknown DID creates no table and no row. (The local runtime
 * still keeps an empty file per object ever reached.) The object named by the DID that a rotated-in key or a device key
 * would have on its own holds only an alias.
 */
export class IdentityObject extends AnchorOwnerObject {
  static override readonly schemas = [IDENTITY, ALIAS]
  static override readonly records = { objects: 'identities', plan: IDENTITY_RECORDS } as const
  readonly #chain: ChainTransaction
  readonly #rotation: RotationTransaction
  readonly #rotations: RotationReading
  readonly #deactivation: DeactivationTransaction
  readonly #inception: InceptionTransaction
  readonly #updates: UpdateTransaction

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#chain = new ChainTransaction(this.transaction)
    this.#rotation = new RotationTransaction(this.transaction)
    this.#rotations = new RotationReading(this.transaction)
    this.#deactivation = new DeactivationTransaction(this.transaction)
    this.#inception = new InceptionTransaction(this.transaction)
    this.#updates = new UpdateTransaction(this.transaction)
    this.onRebuilt = (lostAt) => {
      if (this.stored.is(IDENTITY)) this.transaction.onRebuilt(lostAt + CORE_SKEW_MS)
    }
  }

  /** Creates the identity, or returns the existing one. The caller has verified the block. */
  init(did: string, scope: string, key: RootKey, genesis: ChainRecord): Result<IdentityRecord, { reason: 'conflict' }> {
    return this.transaction.init(did, scope, key, genesis)
  }

  read(): IdentityRecord | null {
    return this.transaction.read()
  }

  root(): { readonly identity: IdentityRecord; readonly rotation: Rotation | null } | null {
    const identity = this.transaction.read()
    return identity && { identity, rotation: this.#rotations.latest() }
  }

  authority(): AuthorityReading | null {
    return this.transaction.authority()
  }

  genesis(): GenesisReading | null {
    return this.transaction.genesis()
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

  hold(assertion: VerifiedAssertion): Result<HoldState, Refused> {
    return this.transaction.hold(assertion)
  }

  /** In effect when this returns: an append authorized earlier is still rejected. */
  setHold(assertion: VerifiedAssertion, held: boolean): Result<HoldState, Refused | { reason: 'veto_limit' }> {
    return this.transaction.setHold(assertion, held)
  }

  /** Whether a hold is in effect, for work outside this object. */
  isHeld(): boolean {
    return this.transaction.read() !== null && this.transaction.identities.hold().held
  }

  /** Ends the identity, now or after a window; the caller has spent the assertion and verified the statement. */
  deactivate(
    spentBy: VerifiedAssertion,
    signed: SignedDeactivation,
    times: Times,
  ): Result<Deactivated, Refused | DeactivationRefusal> {
    return this.#reported(this.#deactivation.deactivate(spentBy, signed, times))
  }

  register(
    services: readonly DidService[] | undefined,
    statement: { readonly signed: SignedKeyAgreement; readonly signerUserId: string } | null,
  ): Result<StandingRegistration, RegistrationRefusal> {
    return this.transaction.register(services, statement)
  }

  consumeNonce(subject: string, nonce: string, keepUntil: number): 'spent' | 'replay' | 'expired' | 'not_found' {
    return this.transaction.consumeNonce(subject, nonce, keepUntil)
  }

  requestRotation(
    signed: SignedRotationRequest,
    signerUserId: string,
    gate: RotationGate,
  ): Result<RotationRecord, RequestRefusal | { reason: 'not_found' }> {
    return this.#rotation.request(signed, signerUserId, gate)
  }

  rehearseRotation(
    assertion: VerifiedAssertion,
    statement: RequestedRotation,
    gate: RotationGate,
  ): Result<RotationPlan, RequestRefusal | Refused> {
    return this.#rotation.rehearse(assertion, statement, gate)
  }

  currentRotation(assertion: VerifiedAssertion): Result<CurrentRotation, Refused> {
    return this.#rotations.current(assertion)
  }

  rotation(rotationId: string | null): RotationRecord | null {
    return this.#rotations.find(rotationId)
  }

  prepareVeto(signed: SignedVeto, times: Times): Result<Signing, SigningRefusal | VetoRefusal> {
    return this.#rotation.prepareVeto(signed, times)
  }

  /** The veto is in effect when this returns: no later activation can succeed. */
  veto(signed: SignedVeto, signerKeyB64u: string, times: Times): Result<RotationRecord, SigningRefusal | VetoRefusal> {
    return this.#rotation.veto(signed, signerKeyB64u, times)
  }

  prepareCosign(signed: SignedCosign, carries: boolean, times: Times): Result<Signing, SigningRefusal | CosignRefusal> {
    return this.#rotation.prepareCosign(signed, carries, times)
  }

  cosign(
    signed: SignedCosign,
    signerKeyB64u: string,
    carried: CarriedRequest | null,
    gate: RotationGate,
  ): Result<RotationRecord, SigningRefusal | CosignRefusal | RequestRefusal> {
    return this.#rotation.cosign(signed, signerKeyB64u, carried, gate)
  }

  approveRotation(
    rotationId: string,
    approval: Omit<Approval, 'approvedAt'>,
    carried: CarriedRequest | null,
    gate: RotationGate,
  ): boolean {
    return this.#rotation.approve(rotationId, approval, carried, gate)
  }

  prepareActivation(
    assertion: VerifiedAssertion,
    rotationId: string,
    version: 1 | 2,
  ): Result<RotationRecord, ActivationRefusal | Refused> {
    return this.#rotation.prepareActivation(assertion, rotationId, version)
  }

  prepareActivationByAnyone(rotationId: string, version: 1 | 2): Result<RotationRecord, ActivationRefusal> {
    return this.#rotation.prepareActivationByAnyone(rotationId, version)
  }

  /** When this returns, the new key is the root key and the old one is superseded. */
  activateRotation(rotationId: string): Result<RotationRecord, ActivationRefusal> {
    return this.#reported(this.#rotation.activate(rotationId))
  }

  keyHistory(from: number): KeyPage | null {
    return this.#rotations.keyHistory(from)
  }

  inceptionHead(
    assertion: VerifiedAssertion,
    scope: string,
  ): Result<InceptionHeadAnswer, Refused | { reason: 'owner_mismatch' }> {
    return this.#inception.head(assertion, scope)
  }

  inceptionEvents(assertion: VerifiedAssertion, from: number): Result<InceptionEvents, Refused> {
    return this.#inception.events(assertion, from)
  }

  checkInception(
    assertion: VerifiedAssertion,
    events: readonly InceptionEvent[],
  ): Result<void, Refused | InceptionRefusal> {
    return this.#inception.check(assertion, events)
  }

  appendInception(
    authority: WriteAuthority,
    events: readonly InceptionEvent[],
  ): Result<InceptionAppended, Refused | InceptionRefusal> {
    return this.#inception.append(authority, events)
  }

  rotateOfficers(
    event: RotateOfficers,
    signerUserId: string,
  ): Result<InceptionAppended, InceptionRefusal | { reason: 'not_found' | 'invalid_signature' }> {
    return this.#inception.rotateOfficers(event, signerUserId)
  }

  roster(
    wanted: { readonly version: number | null; readonly at: number | null },
    withEvent: boolean,
  ): StandingRoster | null {
    return this.#inception.roster(wanted, withEvent)
  }

  rootKey(wanted: { readonly epoch: number | null; readonly at: number | null }): RootKeyReading | null {
    return this.transaction.rootKey(wanted)
  }

  device(deviceId: string): DeviceReading | null {
    return this.#inception.device(deviceId)
  }

  /** Devices of the current and the previous epoch: all that a cache may hold. */
  deviceIds(): string[] {
    return this.transaction.deviceIds()
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
      deliverUpdates(this.#updates, this.env),
      this.deliver(),
      this.deliverAnchors(null),
      this.keepRecords(),
    ])
    this.transaction.housekeep(Date.now())
    this.sockets.closeOld(Date.now())
    // The runtime runs it again.
    for (const outcome of told) if (outcome.status === 'rejected') throw outcome.reason
  }

  /** An alarm that is due at once delivers as soon as the act is durable, and again if the object dies before. */
  #reported<T>(outcome: T): T {
    this.#updates.wake()
    return outcome
  }
}
