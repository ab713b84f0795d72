/**
 * The chain inside an identity's object: each method is one transaction, which also checks the acting key or device.
 *
 * @module
 */
import type { VerifiedAssertion } from '@svc/assertion'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { Indexing } from '@svc/protocol/chain/api'
import type { ChainHead } from '@svc/protocol/chain/chain'
import type { PendingChange } from '@svc/protocol/chain/pending'
import type { StandingChange } from '@svc/protocol/chain/watch'
import type { Elsewhere, IdentityRecord, KeyRefusal, RootKey } from '../identity/rules.ts'
import type { IdentityTransaction, Refused, WriteAuthority } from '../identity/transaction.ts'
import { blockRoom } from '../storage/rules.ts'
import { isStillKept } from './payload-store.ts'
import type { ChainRecord } from './record.ts'
import { type AppendClaim, type AppendRefusal, checkAppend } from './rules.ts'
import type { BlockRange, NewPayload, StoredPayload } from './store.ts'

export interface Candidate {
  readonly record: ChainRecord
  readonly claim: AppendClaim
  readonly payload: NewPayload | null
}

export interface HeadReading {
  readonly head: ChainHead
  readonly did: string
  readonly indexing: Indexing | undefined
  readonly pending?: PendingChange
  readonly changes?: StandingChange[]
}

export interface SyncReading {
  readonly lastSync: number | null
  readonly pending?: PendingChange
  readonly changes?: StandingChange[]
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
  /** The index of the block with the given hash; null if this chain has no such block. */
  readonly indexOfRoot: number | null
}

export interface PayloadLocation {
  readonly record: ChainRecord
  readonly payload: StoredPayload
  readonly indexing: Indexing | undefined
}

export class ChainTransaction {
  readonly #identity: IdentityTransaction

  constructor(identity: IdentityTransaction) {
    this.#identity = identity
  }

  head(assertion: VerifiedAssertion): Result<HeadReading, Refused> {
    const { chain } = this.#identity
    return this.#identity.authorized(assertion, ({ did }) =>
      ok({ head: chain.mustHead(), did, indexing: chain.indexing(), ...this.#identity.pending() }),
    )
  }

  blocks(assertion: VerifiedAssertion, range: BlockRange): Result<BlockPage, Refused> {
    const { chain, identities } = this.#identity
    return this.#identity.authorized(assertion, (identity) => {
      const records = chain.range(range)
      const epochs = records.map(({ keyEpoch }) => keyEpoch)
      const first = Math.min(...epochs)
      const keys = epochs.length === 0 ? [] : identities.keys(first, Math.max(...epochs) - first)
      return ok({ identity, head: chain.mustHead(), records, keys, indexing: chain.indexing() })
    })
  }

  payload(assertion: VerifiedAssertion, blockId: string): Result<PayloadLocation, Refused | { reason: 'not_found' }> {
    const { chain } = this.#identity
    return this.#identity.authorized(assertion, () => {
      const record = chain.find(blockId)
      const payload = record && chain.payload(record.index)
      return payload ? ok({ record, payload, indexing: chain.indexing() }) : err({ reason: 'not_found' as const })
    })
  }

  /** Which of these payloads in R2 a block refers to. */
  payloadsAmong(r2Keys: readonly string[]): string[] {
    return this.#identity.read() ? this.#identity.chain.payloadsAmong(r2Keys) : []
  }

  /** What anchoring needs to know about a chain; null if the identity does not exist or was deactivated. */
  facts(root: string | null): ChainFacts | null {
    const identity = this.#identity.read()
    if (identity?.deactivatedAt !== null) return null
    const { chain, identities } = this.#identity
    return {
      head: chain.mustHead(),
      isIndexing: chain.indexing() !== undefined,
      isHeld: identities.hold().held,
      indexOfRoot: root === null ? null : (chain.find(root)?.index ?? null),
    }
  }

  syncStatus(assertion: VerifiedAssertion): Result<SyncReading, Refused> {
    const { chain } = this.#identity
    return this.#identity.authorized(assertion, () =>
      ok({ lastSync: chain.lastAcceptedAt(), ...this.#identity.pending() }),
    )
  }

  /** Spends the assertion and checks whether the block could be appended now, and its owner; reserves nothing. */
  checkAppend(
    authority: WriteAuthority,
    { claim, record }: Omit<Candidate, 'payload'>,
    payloadBytes: number,
  ): Result<{ did: string }, Refused | AppendRefusal> {
    return this.#identity.write(authority, (identity): Result<{ did: string }, AppendRefusal> => {
      const checked = this.#check(identity, claim, record.hash)
      if (!checked.ok) return checked
      const fault = this.#identity.storage.fault(identity.did, blockRoom(payloadBytes))
      return fault ? err(fault) : ok({ did: identity.did })
    })
  }

  /** One compare-and-set: checks key, nonce and head and writes the block, in one transaction. */
  append(authority: WriteAuthority, candidate: Candidate): Result<{ acceptedAt: number }, Refused | AppendRefusal> {
    return this.#identity.write(authority, (identity) => this.#append(identity, candidate))
  }

  /** Appends a block that came without an assertion, signed by the key it names, which must be the root key now. */
  appendSigned(candidate: Candidate): Result<{ acceptedAt: number }, KeyRefusal | Elsewhere | AppendRefusal> {
    return this.#identity.stored.transact(
      (): Result<{ acceptedAt: number }, KeyRefusal | Elsewhere | AppendRefusal> => {
        const standing = this.#identity.checkKey(candidate.claim.ownerUserId)
        return standing.ok ? this.#append(standing.value, candidate) : standing
      },
    )
  }

  #append(identity: IdentityRecord, candidate: Candidate): Result<{ acceptedAt: number }, AppendRefusal> {
    const checked = this.#check(identity, candidate.claim, candidate.record.hash)
    if (!checked.ok) return checked
    const counted = this.#identity.storage.count(identity.did, 'chain', blockRoom(lengthOf(candidate.payload)))
    if (!counted.ok) return counted
    const acceptedAt = Date.now()
    const { payload } = candidate
    if (payload && 'r2Key' in payload && !isStillKept(payload, acceptedAt)) {
      throw new Error('an append that took too long')
    }
    this.#identity.chain.append(
      { ...candidate.record, keyEpoch: identity.current.epoch },
      candidate.payload,
      acceptedAt,
    )
    return ok({ acceptedAt })
  }

  #check(identity: IdentityRecord, claim: AppendClaim, hash: string): Result<void, AppendRefusal> {
    const position = {
      scope: identity.scope,
      epoch: identity.current.epoch,
      ownerUserId: identity.current.userId,
      head: this.#identity.chain.mustHead(),
      held: this.#identity.identities.hold().held,
    }
    return checkAppend(position, claim, () => this.#identity.chain.receipt(Number(claim.index), hash))
  }
}

function lengthOf(payload: NewPayload | null): number {
  if (!payload) return 0
  return 'bytes' in payload ? payload.bytes.length : payload.length
}
