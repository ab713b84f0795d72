/**
 * Everything that happens inside an identity's object, over its SQLite: each method is one transaction. The object
 * itself only carries calls here and keeps the alarm.
 *
 * @module
 */
import type { Caller, SpendRefusal, VerifiedAssertion } from '@svc/assertion'
import { NonceStore } from '@svc/assertion/worker/nonce-store'
import { encodeBase64url } from '@svc/protocol/base64url'
import type { SignedDeactivation } from '@svc/protocol/deactivation'
import type { SignedKeyAgreement } from '@svc/protocol/key-agreement'
import { err, ok, type Result } from '@svc/protocol/result'
import type { HoldState } from '@svc/protocol/security'
import { type AppendClaim, type AppendRefusal, checkAppend } from '../chain/chain.ts'
import type { ChainRecord } from '../chain/chain-record.ts'
import { ChainStore, type StoredPayload } from '../chain/chain-store.ts'
import { checkKey, type IdentityRecord, type KeyRefusal, type RootKey } from './identity.ts'
import { IdentityStore } from './identity-store.ts'

/** Nonces are swept a minute after the first of them expires, so that one alarm clears a burst. */
const SWEEP_DELAY_MS = 60_000

export interface Candidate {
  readonly record: ChainRecord
  readonly claim: AppendClaim
  readonly payload: StoredPayload | null
}

/** Who may append: an assertion to spend now, or the key whose assertion an earlier call of this request spent. */
export type AppendAuthority = { readonly assertion: VerifiedAssertion } | { readonly spentBy: string }

export interface GenesisReading {
  readonly identity: IdentityRecord
  readonly genesis: ChainRecord
}

export class IdentitySession {
  readonly #storage: DurableObjectStorage
  readonly #identities: IdentityStore
  readonly #chain: ChainStore
  readonly #nonces: NonceStore
  /** Whether genesis has made the tables; read from storage when the object starts. */
  #exists: boolean

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#identities = new IdentityStore(storage.sql)
    this.#chain = new ChainStore(storage.sql)
    this.#nonces = new NonceStore(storage.sql)
    this.#exists = this.#identities.exists()
    // Tables that came with a later version; an object that nobody wrote to stays without any.
    if (this.#exists) this.#createTables()
  }

  init(did: string, scope: string, key: RootKey, genesis: ChainRecord): Result<IdentityRecord, { reason: 'conflict' }> {
    const result = this.#storage.transactionSync((): Result<IdentityRecord, { reason: 'conflict' }> => {
      const existing = this.read()
      // The DID is 24 bytes of the scope: the full scope is compared wherever a DID is.
      if (existing) {
        const same = existing.scope === scope && this.#chain.at(0)?.hash === genesis.hash
        return same ? ok(existing) : err({ reason: 'conflict' })
      }
      this.#createTables()
      this.#identities.create(did, scope, key)
      this.#chain.append(genesis, null, key.activatedAt)
      return ok({ did, scope, createdAt: key.activatedAt, current: key, deactivatedAt: null })
    })
    if (result.ok) this.#exists = true
    return result
  }

  #createTables(): void {
    this.#identities.createTables()
    this.#chain.createTables()
    NonceStore.createTables(this.#storage.sql)
  }

  read(): IdentityRecord | null {
    return this.#exists ? this.#identities.read() : null
  }

  genesis(): GenesisReading | null {
    const identity = this.read()
    const genesis = identity && this.#chain.at(0)
    return identity && genesis ? { identity, genesis } : null
  }

  checkKey(userId: string): Result<IdentityRecord, KeyRefusal> {
    return checkKey(this.read(), userId, (id) => this.#identities.hasKey(id))
  }

  /**
   * Spends the assertion and does the work in the same transaction. A refusal by the work leaves the nonce spent:
   * an assertion serves one request, whatever becomes of it.
   */
  authorized<T, E>(
    assertion: VerifiedAssertion,
    work: (chain: ChainStore, identity: IdentityRecord, caller: Caller) => Result<T, E>,
  ): Result<T, E | SpendRefusal> {
    return this.#storage.transactionSync((): Result<T, E | SpendRefusal> => {
      const key = this.checkKey(assertion.userId)
      if (!key.ok) return key
      const outcome = this.#nonces.spend(assertion.userId, assertion.nonce, assertion.keepUntil, Date.now())
      if (outcome !== 'spent') return err({ reason: outcome })
      const { did, scope, current } = key.value
      const caller = {
        userId: current.userId,
        did,
        scope,
        epoch: current.epoch,
        publicKeyB64u: encodeBase64url(current.publicKey),
      }
      return work(this.#chain, key.value, caller)
    })
  }

  append(
    authority: AppendAuthority,
    candidate: Candidate,
  ): Result<{ acceptedAt: number }, SpendRefusal | AppendRefusal> {
    const write = (identity: IdentityRecord): Result<{ acceptedAt: number }, AppendRefusal> => {
      const checked = this.checkAppend(identity, candidate.claim, candidate.record.hash)
      if (!checked.ok) return checked
      const acceptedAt = Date.now()
      this.#chain.append({ ...candidate.record, keyEpoch: identity.current.epoch }, candidate.payload, acceptedAt)
      return ok({ acceptedAt })
    }
    if ('assertion' in authority) return this.authorized(authority.assertion, (_, identity) => write(identity))
    return this.#storage.transactionSync((): Result<{ acceptedAt: number }, SpendRefusal | AppendRefusal> => {
      const key = this.checkKey(authority.spentBy)
      return key.ok ? write(key.value) : key
    })
  }

  checkAppend(identity: IdentityRecord, claim: AppendClaim, hash: string): Result<void, AppendRefusal> {
    const position = {
      scope: identity.scope,
      epoch: identity.current.epoch,
      head: this.#chain.mustHead(),
      held: this.#identities.hold().held,
    }
    return checkAppend(position, claim, () => this.#chain.receipt(Number(claim.index), hash))
  }

  hold(assertion: VerifiedAssertion): Result<HoldState, SpendRefusal> {
    return this.authorized(assertion, () => ok(this.#identities.hold()))
  }

  /** Placing twice keeps the first; lifting what is not there changes nothing. */
  setHold(assertion: VerifiedAssertion, held: boolean): Result<HoldState, SpendRefusal> {
    return this.authorized(assertion, () => {
      if (held) this.#identities.placeHold(Date.now())
      else this.#identities.liftHold()
      return ok(this.#identities.hold())
    })
  }

  /** Terminal. `signerUserId` is the key whose signature was verified; it must still be the root here. */
  deactivate(signed: SignedDeactivation, signerUserId: string): Result<number, KeyRefusal> {
    return this.#storage.transactionSync((): Result<number, KeyRefusal> => {
      const ended = this.read()?.deactivatedAt ?? null
      if (ended !== null) return ok(ended)
      const key = this.checkKey(signerUserId)
      if (!key.ok) return key
      const now = Date.now()
      this.#identities.deactivate(signed, now)
      return ok(now)
    })
  }

  keyAgreement(): ReturnType<IdentityStore['keyAgreement']> {
    return this.#exists ? this.#identities.keyAgreement() : null
  }

  putKeyAgreement(signed: SignedKeyAgreement): Result<void, { reason: 'not_found' | 'stale' }> {
    if (!this.#exists || this.read()?.deactivatedAt !== null) return err({ reason: 'not_found' })
    return this.#storage.transactionSync((): Result<void, { reason: 'stale' }> => {
      const current = this.#identities.keyAgreement()
      if (current?.signed.signatureB64u === signed.signatureB64u) return ok(undefined)
      if (current && current.signed.statement.issuedAt >= signed.statement.issuedAt) return err({ reason: 'stale' })
      this.#identities.putKeyAgreement(signed, Date.now())
      return ok(undefined)
    })
  }

  consumeNonce(subject: string, nonce: string, keepUntil: number): 'spent' | 'replay' | 'expired' | 'not_found' {
    if (!this.#exists) return 'not_found'
    return this.#storage.transactionSync(() => this.#nonces.spend(subject, nonce, keepUntil, Date.now()))
  }

  startRebuild(): boolean {
    if (!this.#exists) return false
    this.#storage.transactionSync(() => this.#chain.startRebuild())
    return true
  }

  /** One bounded step of what waits: a rebuild step, or a sweep of expired nonces. */
  housekeep(now: number): void {
    if (!this.#exists) return
    this.#storage.transactionSync(() => {
      this.#nonces.prune(now)
      this.#chain.rebuildStep()
    })
  }

  /** When the next step is due, read from storage alone; null when nothing waits. */
  nextHousekeeping(now: number): number | null {
    if (!this.#exists) return null
    if (this.#chain.indexing()) return now
    const earliest = this.#nonces.earliestExpiry()
    return earliest === null ? null : earliest + SWEEP_DELAY_MS
  }
}
