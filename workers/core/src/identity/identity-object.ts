import { DurableObject } from 'cloudflare:workers'
import type { Caller, VerifiedAssertion } from '@svc/assertion'
import type { ChainHead } from '@svc/protocol/chain'
import type { Indexing } from '@svc/protocol/chain-api'
import type { SignedDeactivation } from '@svc/protocol/deactivation'
import type { Capability } from '@svc/protocol/device'
import type { InceptionEvent, RotateOfficers } from '@svc/protocol/inception'
import type { SignedKeyAgreement } from '@svc/protocol/key-agreement'
import type { StandingRegistration } from '@svc/protocol/registration'
import { err, ok, type Result } from '@svc/protocol/result'
import type { SignedCosign, SignedRotationRequest, SignedVeto } from '@svc/protocol/rotation'
import type { HoldState } from '@svc/protocol/security'
import type { AppendClaim, AppendRefusal } from '../chain/chain.ts'
import type { ChainRecord } from '../chain/chain-record.ts'
import type { BlockRange, StoredPayload } from '../chain/chain-store.ts'
import { InceptionSession } from '../inception/inception-session.ts'
import type { Rotation, RotationGate } from '../rotation/rotation.ts'
import { RotationSession } from '../rotation/rotation-session.ts'
import type { Approval } from '../rotation/rotation-store.ts'
import type { Alias, Elsewhere, IdentityRecord, KeyRefusal, RootKey } from './identity.ts'
import {
  type Candidate,
  type GenesisReading,
  IdentitySession,
  type Refused,
  type WriteAuthority,
} from './identity-session.ts'

export interface HeadReading {
  readonly head: ChainHead
  readonly did: string
  readonly indexing: Indexing | undefined
}

export interface BlockPage {
  readonly identity: IdentityRecord
  readonly head: ChainHead
  readonly records: readonly ChainRecord[]
  /** The root keys that signed them. */
  readonly keys: readonly RootKey[]
  readonly indexing: Indexing | undefined
}

export interface ChainFacts {
  readonly head: ChainHead
  readonly isIndexing: boolean
  readonly isHeld: boolean
  /** Where the block of a hash stands, when it is one of this chain. */
  readonly indexOfRoot: number | null
}

export interface PayloadLocation {
  readonly record: ChainRecord
  readonly payload: StoredPayload
  readonly indexing: Indexing | undefined
}

export interface AuthorityReading {
  readonly identity: IdentityRecord
  readonly keyAgreement: { readonly signed: SignedKeyAgreement; readonly acceptedAt: number } | null
  readonly registration: StandingRegistration | null
  /** Superseded keys, the newest first. */
  readonly previousKeys: readonly RootKey[]
}

/** How many superseded keys a DID document's metadata names: 2.7 kB each. */
const MAX_PREVIOUS_KEYS = 16

/**
 * One identity: its keys and their rotation, its devices, its chain, what is registered of its DID, and the nonces that
 * its keys have spent. Named by that DID. What must be decided together is decided in one transaction of this object.
 *
 * It makes its tables at genesis and not before: reading a DID that nobody owns leaves no table and no row. (The local
 * runtime still keeps an empty file for each object that was ever reached.) The object whose name a rotated-in or a
 * device key would have as a DID holds an alias and nothing else.
 */
export class IdentityObject extends DurableObject<Env> {
  readonly #session: IdentitySession
  readonly #rotation: RotationSession
  readonly #inception: InceptionSession
  /** Whether an alarm is known to be set; a restarted object sets it again from what storage holds. */
  #alarmSet = false

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#session = new IdentitySession(ctx.storage)
    this.#rotation = new RotationSession(this.#session)
    this.#inception = new InceptionSession(this.#session)
  }

  /** Creates the identity, or answers for the one that exists. The block was verified before this call. */
  init(did: string, scope: string, key: RootKey, genesis: ChainRecord): Result<IdentityRecord, { reason: 'conflict' }> {
    return this.#session.init(did, scope, key, genesis)
  }

  read(): IdentityRecord | null {
    return this.#session.read()
  }

  root(): { readonly identity: IdentityRecord; readonly rotation: Rotation | null } | null {
    const identity = this.#session.read()
    return identity && { identity, rotation: this.#rotation.latest() }
  }

  authority(): AuthorityReading | null {
    const identity = this.#session.read()
    if (!identity) return null
    const { epoch } = identity.current
    const first = Math.max(0, epoch - MAX_PREVIOUS_KEYS)
    const previousKeys = this.#session.identities
      .keys(first, MAX_PREVIOUS_KEYS)
      .filter((key) => key.epoch < epoch)
      .toReversed()
    const registration = this.#session.identities.registration()
    return { identity, keyAgreement: this.#session.keyAgreement(), registration, previousKeys }
  }

  genesis(): GenesisReading | null {
    return this.#session.genesis()
  }

  standingOf(wanted: Alias): 'free' | 'reserved' | 'taken' {
    return this.#session.standingOf(wanted)
  }

  /** Takes this object's name for a key of another identity. Only for a key that has signed that it joins it. */
  reserve(wanted: Alias): 'reserved' | 'taken' {
    return this.#session.reserve(wanted)
  }

  alias(): Alias | null {
    return this.#session.alias()
  }

  checkKey(userId: string): Result<IdentityRecord, KeyRefusal | Elsewhere> {
    return this.#session.checkKey(userId)
  }

  stillActs(userId: string, device: { readonly deviceId: string; readonly needs: Capability } | null): boolean {
    return this.#session.stillActs(userId, device, Date.now())
  }

  spend(assertion: VerifiedAssertion): Result<Caller, Refused> {
    return this.#keepAlarm(this.#session.authorized(assertion, (_, caller) => ok(caller)))
  }

  head(assertion: VerifiedAssertion): Result<HeadReading, Refused> {
    const { chain } = this.#session
    return this.#keepAlarm(
      this.#session.authorized(assertion, ({ did }) => ok({ head: chain.mustHead(), did, indexing: chain.indexing() })),
    )
  }

  blocks(assertion: VerifiedAssertion, range: BlockRange): Result<BlockPage, Refused> {
    const { chain, identities } = this.#session
    return this.#keepAlarm(
      this.#session.authorized(assertion, (identity) => {
        const records = chain.range(range)
        const epochs = records.map(({ keyEpoch }) => keyEpoch)
        const first = Math.min(...epochs)
        const keys = epochs.length === 0 ? [] : identities.keys(first, Math.max(...epochs) - first)
        return ok({ identity, head: chain.mustHead(), records, keys, indexing: chain.indexing() })
      }),
    )
  }

  payload(assertion: VerifiedAssertion, blockId: string): Result<PayloadLocation, Refused | { reason: 'not_found' }> {
    const { chain } = this.#session
    return this.#keepAlarm(
      this.#session.authorized(assertion, () => {
        const record = chain.find(blockId)
        const payload = record && chain.payload(record.index)
        return payload ? ok({ record, payload, indexing: chain.indexing() }) : err({ reason: 'not_found' as const })
      }),
    )
  }

  /** What anchoring needs to know of a chain; null for an identity that does not exist or has ended. */
  chainFacts(root: string | null): ChainFacts | null {
    const identity = this.#session.read()
    if (identity?.deactivatedAt !== null) return null
    const { chain, identities } = this.#session
    return {
      head: chain.mustHead(),
      isIndexing: chain.indexing() !== undefined,
      isHeld: identities.hold().held,
      indexOfRoot: root === null ? null : (chain.find(root)?.index ?? null),
    }
  }

  syncStatus(assertion: VerifiedAssertion): Result<{ lastSync: number | null }, Refused> {
    const { chain } = this.#session
    return this.#keepAlarm(this.#session.authorized(assertion, () => ok({ lastSync: chain.lastAcceptedAt() })))
  }

  /** Spends the assertion and says whether the block could follow now, and whose it is; nothing is reserved. */
  checkAppend(
    assertion: VerifiedAssertion,
    claim: AppendClaim,
    hash: string,
  ): Result<{ did: string }, Refused | AppendRefusal> {
    return this.#keepAlarm(
      this.#session.authorized(assertion, (identity): Result<{ did: string }, AppendRefusal> => {
        const checked = this.#session.checkAppend(identity, claim, hash)
        return checked.ok ? ok({ did: identity.did }) : checked
      }),
    )
  }

  /** One compare-and-set: key, nonce and head are checked, and the block written, in one transaction. */
  append(authority: WriteAuthority, candidate: Candidate): Result<{ acceptedAt: number }, Refused | AppendRefusal> {
    return this.#keepAlarm(this.#session.append(authority, candidate))
  }

  /** The same for a block that a sibling carries; its signature was verified before this call. */
  appendSigned(candidate: Candidate): Result<{ acceptedAt: number }, KeyRefusal | Elsewhere | AppendRefusal> {
    return this.#session.appendSigned(candidate)
  }

  hold(assertion: VerifiedAssertion): Result<HoldState, Refused> {
    return this.#keepAlarm(this.#session.hold(assertion))
  }

  /** In force when this returns: an append that was authorized before it is still refused. */
  setHold(assertion: VerifiedAssertion, held: boolean): Result<HoldState, Refused | { reason: 'veto_limit' }> {
    return this.#keepAlarm(this.#session.setHold(assertion, held))
  }

  /** Ends the identity; the statement's signature was verified before this call. */
  deactivate(signed: SignedDeactivation, signerUserId: string): Result<number, KeyRefusal | Elsewhere> {
    return this.#session.deactivate(signed, signerUserId)
  }

  register(...operands: Parameters<IdentitySession['register']>) {
    return this.#session.register(...operands)
  }

  consumeNonce(subject: string, nonce: string, keepUntil: number): 'spent' | 'replay' | 'expired' | 'not_found' {
    return this.#keepAlarm(this.#session.consumeNonce(subject, nonce, keepUntil))
  }

  requestRotation(signed: SignedRotationRequest, signerUserId: string, gate: RotationGate) {
    return this.#rotation.request(signed, signerUserId, gate)
  }

  rehearseRotation(...operands: Parameters<RotationSession['rehearse']>) {
    return this.#keepAlarm(this.#rotation.rehearse(...operands))
  }

  currentRotation(assertion: VerifiedAssertion) {
    return this.#keepAlarm(this.#rotation.current(assertion))
  }

  rotation(rotationId: string | null) {
    return this.#rotation.find(rotationId)
  }

  prepareSignature(signed: SignedVeto | SignedCosign) {
    return this.#rotation.prepareSignature(signed)
  }

  /** The veto stands when this returns: no activation comes after it. */
  veto(signed: SignedVeto, signerKeyB64u: string) {
    return this.#rotation.veto(signed, signerKeyB64u)
  }

  cosign(signed: SignedCosign, signerKeyB64u: string) {
    return this.#rotation.cosign(signed, signerKeyB64u)
  }

  approveRotation(rotationId: string, approval: Omit<Approval, 'approvedAt'>): boolean {
    return this.#rotation.approve(rotationId, approval)
  }

  prepareActivation(assertion: VerifiedAssertion, rotationId: string, version: 1 | 2) {
    return this.#keepAlarm(this.#rotation.prepareActivation(assertion, rotationId, version))
  }

  /** The new key is the root key when this returns, and the old one is superseded. */
  activateRotation(rotationId: string) {
    return this.#rotation.activate(rotationId)
  }

  keyHistory(from: number) {
    return this.#rotation.keyHistory(from)
  }

  inceptionHead(assertion: VerifiedAssertion, scope: string) {
    return this.#keepAlarm(this.#inception.head(assertion, scope))
  }

  inceptionEvents(assertion: VerifiedAssertion, from: number) {
    return this.#keepAlarm(this.#inception.events(assertion, from))
  }

  checkInception(assertion: VerifiedAssertion, events: readonly InceptionEvent[]) {
    return this.#keepAlarm(this.#inception.check(assertion, events))
  }

  appendInception(authority: WriteAuthority, events: readonly InceptionEvent[]) {
    return this.#keepAlarm(this.#inception.append(authority, events))
  }

  rotateOfficers(event: RotateOfficers, signerUserId: string) {
    return this.#inception.rotateOfficers(event, signerUserId)
  }

  roster(wanted: { readonly version: number | null; readonly at: number | null }, withEvent: boolean) {
    return this.#inception.roster(wanted, withEvent)
  }

  rootKey(wanted: { readonly epoch: number | null; readonly at: number | null }) {
    return this.#session.rootKey(wanted)
  }

  device(deviceId: string) {
    return this.#inception.device(deviceId)
  }

  /** Devices of the epoch that ended last and of the current one: those that a cache may know. */
  deviceIds(): string[] {
    const epoch = this.#session.read()?.current.epoch ?? 0
    return [epoch - 1, epoch].flatMap((e) => this.#session.inception.devices(e)).map(({ deviceId }) => deviceId)
  }

  /** Starts the projection over; false when there is no such identity. */
  reindex(): boolean {
    this.#alarmSet = false
    return this.#keepAlarm(this.#session.startRebuild())
  }

  /** Idempotent: each run takes up where storage says that the last one ended. */
  override async alarm(): Promise<void> {
    this.#session.housekeep(Date.now())
    this.#alarmSet = false
    this.#keepAlarm(undefined)
  }

  /** Not awaited: the output gate holds the answer until the alarm is as durable as the rest. */
  #keepAlarm<T>(result: T): T {
    if (this.#alarmSet) return result
    const at = this.#session.nextHousekeeping(Date.now())
    if (at !== null) void this.ctx.storage.setAlarm(at)
    this.#alarmSet = at !== null
    return result
  }
}
