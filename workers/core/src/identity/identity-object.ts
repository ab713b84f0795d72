import { DurableObject } from 'cloudflare:workers'
import type { Caller, SpendRefusal, VerifiedAssertion } from '@svc/assertion'
import type { ChainHead } from '@svc/protocol/chain'
import type { Indexing } from '@svc/protocol/chain-api'
import type { SignedDeactivation } from '@svc/protocol/deactivation'
import type { SignedKeyAgreement } from '@svc/protocol/key-agreement'
import { err, ok, type Result } from '@svc/protocol/result'
import type { HoldState } from '@svc/protocol/security'
import type { AppendClaim, AppendRefusal } from '../chain/chain.ts'
import type { ChainRecord } from '../chain/chain-record.ts'
import type { BlockRange, StoredPayload } from '../chain/chain-store.ts'
import type { IdentityRecord, KeyRefusal, RootKey } from './identity.ts'
import { type AppendAuthority, type Candidate, type GenesisReading, IdentitySession } from './identity-session.ts'

export interface HeadReading {
  readonly head: ChainHead
  readonly did: string
  readonly indexing: Indexing | undefined
}

export interface BlockPage {
  readonly identity: IdentityRecord
  readonly head: ChainHead
  readonly records: readonly ChainRecord[]
  readonly indexing: Indexing | undefined
}

export interface PayloadLocation {
  readonly record: ChainRecord
  readonly payload: StoredPayload
  readonly indexing: Indexing | undefined
}

/**
 * One identity: its keys, its chain and the nonces that its keys have spent. Named by the identity's DID. What must
 * be decided together is decided in one transaction of this object.
 *
 * It makes its tables at genesis and not before: reading a DID that nobody owns leaves no table and no row. (The local
 * runtime still keeps an empty file for each object that was ever reached.)
 */
export class IdentityObject extends DurableObject<Env> {
  readonly #session: IdentitySession
  /** Whether an alarm is known to be set; a restarted object sets it again from what storage holds. */
  #alarmSet = false

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#session = new IdentitySession(ctx.storage)
  }

  /** Creates the identity, or answers for the one that exists. The block was verified before this call. */
  init(did: string, scope: string, key: RootKey, genesis: ChainRecord): Result<IdentityRecord, { reason: 'conflict' }> {
    return this.#session.init(did, scope, key, genesis)
  }

  read(): IdentityRecord | null {
    return this.#session.read()
  }

  genesis(): GenesisReading | null {
    return this.#session.genesis()
  }

  checkKey(userId: string): Result<IdentityRecord, KeyRefusal> {
    return this.#session.checkKey(userId)
  }

  spend(assertion: VerifiedAssertion): Result<Caller, SpendRefusal> {
    return this.#keepAlarm(this.#session.authorized(assertion, (_chain, _identity, caller) => ok(caller)))
  }

  head(assertion: VerifiedAssertion): Result<HeadReading, SpendRefusal> {
    return this.#keepAlarm(
      this.#session.authorized(assertion, (chain, { did }) =>
        ok({ head: chain.mustHead(), did, indexing: chain.indexing() }),
      ),
    )
  }

  blocks(assertion: VerifiedAssertion, range: BlockRange): Result<BlockPage, SpendRefusal> {
    return this.#keepAlarm(
      this.#session.authorized(assertion, (chain, identity) =>
        ok({ identity, head: chain.mustHead(), records: chain.range(range), indexing: chain.indexing() }),
      ),
    )
  }

  payload(
    assertion: VerifiedAssertion,
    blockId: string,
  ): Result<PayloadLocation, SpendRefusal | { reason: 'not_found' }> {
    return this.#keepAlarm(
      this.#session.authorized(assertion, (chain) => {
        const record = chain.find(blockId)
        const payload = record && chain.payload(record.index)
        return payload ? ok({ record, payload, indexing: chain.indexing() }) : err({ reason: 'not_found' as const })
      }),
    )
  }

  syncStatus(assertion: VerifiedAssertion): Result<{ lastSync: number | null }, SpendRefusal> {
    return this.#keepAlarm(this.#session.authorized(assertion, (chain) => ok({ lastSync: chain.lastAcceptedAt() })))
  }

  /** Spends the assertion and says whether the block could follow now; nothing is reserved. */
  checkAppend(
    assertion: VerifiedAssertion,
    claim: AppendClaim,
    hash: string,
  ): Result<void, SpendRefusal | AppendRefusal> {
    return this.#keepAlarm(
      this.#session.authorized(assertion, (_, identity) => this.#session.checkAppend(identity, claim, hash)),
    )
  }

  /** One compare-and-set: key, nonce and head are checked, and the block written, in one transaction. */
  append(
    authority: AppendAuthority,
    candidate: Candidate,
  ): Result<{ acceptedAt: number }, SpendRefusal | AppendRefusal> {
    return this.#keepAlarm(this.#session.append(authority, candidate))
  }

  hold(assertion: VerifiedAssertion): Result<HoldState, SpendRefusal> {
    return this.#keepAlarm(this.#session.hold(assertion))
  }

  /** In force when this returns: an append that was authorized before it is still refused. */
  setHold(assertion: VerifiedAssertion, held: boolean): Result<HoldState, SpendRefusal> {
    return this.#keepAlarm(this.#session.setHold(assertion, held))
  }

  /** Ends the identity; the statement's signature was verified before this call. */
  deactivate(signed: SignedDeactivation, signerUserId: string): Result<number, KeyRefusal> {
    return this.#session.deactivate(signed, signerUserId)
  }

  keyAgreement(): { signed: SignedKeyAgreement; acceptedAt: number } | null {
    return this.#session.keyAgreement()
  }

  /** Only a newer statement replaces one; the same one again changes nothing. */
  putKeyAgreement(signed: SignedKeyAgreement): Result<void, { reason: 'not_found' | 'stale' }> {
    return this.#session.putKeyAgreement(signed)
  }

  consumeNonce(subject: string, nonce: string, keepUntil: number): 'spent' | 'replay' | 'expired' | 'not_found' {
    return this.#keepAlarm(this.#session.consumeNonce(subject, nonce, keepUntil))
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
