import type { SpendRefusal, VerifiedAssertion } from '@svc/assertion'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { hashHexAsync } from '@svc/protocol/base/hash'
import { didOf, userIdOfKey } from '@svc/protocol/base/identity'
import { err, ok, type Result } from '@svc/protocol/base/result'
import {
  type Appended,
  type BlocksAnswer,
  DEFAULT_PAGE_BLOCKS,
  type HeadAnswer,
  MAX_PAGE_BLOCKS,
  type PayloadAnswer,
  type SyncStatus,
} from '@svc/protocol/chain/api'
import {
  blockHashAsync,
  type ChainBlock,
  type ChainBlockV4,
  isSigned,
  verifyBlockSignature,
} from '@svc/protocol/chain/chain'
import type { BindAnswer } from '@svc/protocol/internal/chain'
import { CAPSULE_CONTENT_TYPE } from '@svc/protocol/provenance/capsules'
import type { IdentityService } from '../identity/service.ts'
import type { WriteAuthority } from '../identity/transaction.ts'
import type { StorageBudget } from '../storage/service.ts'
import { MAX_INLINE_PAYLOAD_BYTES, type PayloadStore } from './payload-store.ts'
import { blockOf, recordOf } from './record.ts'
import { type AppendRefusal, claimOf } from './rules.ts'
import type { BlockRange } from './store.ts'
import type { Candidate } from './transaction.ts'

/** Faults of a block that need no storage to detect. */
export type BlockRefusal = { readonly reason: 'invalid_signature' | 'profile_not_accepted' | 'payload_mismatch' }

export interface AppendRequest {
  readonly block: ChainBlock
  readonly payloadB64u: string | undefined
}

export interface BlocksQuery {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly limit?: number | undefined
  readonly contentType?: string | undefined
}

type Refusal = SpendRefusal | AppendRefusal | BlockRefusal

/** Appends to and reads one caller's chain. Each operation spends the caller's assertion in the same object call. */
export class ChainService {
  readonly #identities: IdentityService
  readonly #payloads: PayloadStore
  readonly #budget: StorageBudget
  readonly #acceptsV4: boolean

  constructor(parts: {
    readonly identities: IdentityService
    readonly payloads: PayloadStore
    readonly budget: StorageBudget
    readonly acceptsV4: boolean
  }) {
    this.#identities = parts.identities
    this.#payloads = parts.payloads
    this.#budget = parts.budget
    this.#acceptsV4 = parts.acceptsV4
  }

  /** Reports faults of the block only after the assertion is spent, like every other request. */
  async append(assertion: VerifiedAssertion, request: AppendRequest): Promise<Result<Appended, Refusal>> {
    const { block } = request
    const fault = await this.#faultOf(block, request.payloadB64u, assertion)
    if (fault || !isSigned(block)) {
      const spent = await this.#identities.spend(assertion)
      return spent.ok ? err(fault ?? { reason: 'invalid_signature' }) : spent
    }
    const hash = await blockHashAsync(block)
    // An asserting root key has signed the block itself. A block that a device relays must be signed by the key that it
    // names, even if that is the device's own.
    const claim = claimOf(block, assertion.device ? userIdOfKey(block.ownerPublicKey) : assertion.userId)
    const candidate = { record: recordOf(block, hash, 0), claim }
    const payload = request.payloadB64u === undefined ? null : bytesOf(request.payloadB64u)
    const appended =
      payload && payload.length > MAX_INLINE_PAYLOAD_BYTES
        ? await this.#appendLarge(assertion, candidate, payload)
        : await this.#appendSmall(assertion, { ...candidate, payload: payload && { bytes: payload } })
    return appended.ok ? ok({ index: block.index, hash, acceptedAt: appended.value.acceptedAt }) : appended
  }

  /**
   * Appends a capsule's block that provenance carries for its owner. Nothing else is appended this way: a sibling can only
   * write to a chain what the owner has signed for exactly that purpose.
   */
  async bind(did: string, block: ChainBlockV4): Promise<BindAnswer> {
    if (!this.#acceptsV4) return { state: 'profile_not_accepted' }
    if (block.contentType !== CAPSULE_CONTENT_TYPE || didOf(block.scope) !== did) return { state: 'owner_mismatch' }
    if (!isSigned(block) || !(await verifyBlockSignature(block))) return { state: 'invalid_signature' }
    const { index } = block
    const hash = await blockHashAsync(block)
    const claim = claimOf(block, userIdOfKey(block.ownerPublicKey))
    const candidate = { record: recordOf(block, hash, 0), claim, payload: null }
    const appended = await this.#budget.within(() =>
      this.#identities.ask(did, async (identity) => identity.appendSigned(candidate)),
    )
    if (appended.ok) return { state: 'appended', index, hash, acceptedAt: appended.value.acceptedAt }
    const refusal = appended.error
    if ('appended' in refusal && refusal.appended) return { state: 'appended', ...refusal.appended }
    switch (refusal.reason) {
      case 'stale_head':
        return { state: 'stale_head', head: refusal.head }
      case 'stale_epoch':
        return { state: 'stale_epoch', epoch: refusal.epoch }
      case 'security_hold':
        return { state: 'security_hold' }
      case 'budget_exhausted': {
        const { budget, used, limit, tier } = refusal
        return { state: 'budget_exhausted', budget, used, limit, tier }
      }
      case 'owner_mismatch':
      case 'unknown_key':
      case 'superseded':
      case 'deactivated':
      case 'elsewhere':
        return { state: 'owner_mismatch' }
    }
  }

  async head(assertion: VerifiedAssertion): Promise<Result<HeadAnswer, SpendRefusal>> {
    const read = await this.#identities.act(assertion, async (identity) => identity.head(assertion))
    if (!read.ok) return read
    const { head, indexing, ...told } = read.value
    return ok({ ...head, ...told, ...(indexing && { indexing }) })
  }

  async blocks(assertion: VerifiedAssertion, query: BlocksQuery): Promise<Result<BlocksAnswer, SpendRefusal>> {
    const limit = Math.min(Math.max(query.limit ?? DEFAULT_PAGE_BLOCKS, 1), MAX_PAGE_BLOCKS)
    const range: BlockRange = {
      from: Math.max(query.from ?? 0, 0),
      to: query.to ?? Number.MAX_SAFE_INTEGER,
      limit,
      contentType: query.contentType ?? null,
    }
    const read = await this.#identities.act(assertion, async (identity) => identity.blocks(assertion, range))
    if (!read.ok) return read
    const { identity, head, records, keys, indexing } = read.value
    const keyOf = new Map(keys.map(({ epoch, publicKey }) => [epoch, encodeBase64url(publicKey)]))
    const next = records[limit]
    return ok({
      blocks: records
        .slice(0, limit)
        .map((record) => blockOf(record, identity.scope, keyOf.get(record.keyEpoch) ?? '')),
      next: next ? String(next.index) : null,
      head,
      ...(indexing && { indexing }),
    })
  }

  async payload(
    assertion: VerifiedAssertion,
    blockId: string,
  ): Promise<Result<PayloadAnswer, SpendRefusal | { reason: 'not_found' }>> {
    const read = await this.#identities.act(assertion, async (identity) => identity.payload(assertion, blockId))
    if (!read.ok) return read
    const { record, payload, indexing } = read.value
    const bytes = 'bytes' in payload ? payload.bytes : await this.#payloads.get(payload.r2Key)
    return ok({
      index: String(record.index),
      hash: record.hash,
      dataHash: record.dataHash,
      ...(record.contentType === null ? {} : { contentType: record.contentType }),
      payloadB64u: encodeBase64url(bytes),
      ...(indexing && { indexing }),
    })
  }

  async syncStatus(assertion: VerifiedAssertion): Promise<Result<SyncStatus, SpendRefusal>> {
    const read = await this.#identities.act(assertion, async (identity) => identity.syncStatus(assertion))
    if (!read.ok) return read
    return ok({ hasBackup: read.value.lastSync !== null, ...read.value, userId: assertion.userId })
  }

  async #faultOf(block: ChainBlock, payloadB64u: string | undefined, caller: VerifiedAssertion) {
    if (payloadB64u !== undefined && (await hashHexAsync(bytesOf(payloadB64u))) !== block.dataHash) {
      return { reason: 'payload_mismatch' } as const
    }
    if (block.version === 4 && !this.#acceptsV4) return { reason: 'profile_not_accepted' } as const
    if (!caller.device && block.ownerPublicKey !== caller.publicKeyB64u) return { reason: 'owner_mismatch' } as const
    if (!isSigned(block) || !(await verifyBlockSignature(block))) return { reason: 'invalid_signature' } as const
    return null
  }

  #appendSmall(assertion: VerifiedAssertion, candidate: Candidate) {
    const append = (authority: WriteAuthority) => () =>
      this.#identities.act(assertion, async (identity) => identity.append(authority, candidate))
    return this.#budget.within(append({ assertion }), append({ spentBy: assertion }))
  }

  /**
   * Takes two calls: the first spends the assertion and refuses a stale head before R2 is written; the second checks
   * everything again and writes the pointer last. What a crash between them leaves is swept.
   */
  async #appendLarge(
    assertion: VerifiedAssertion,
    candidate: Omit<Candidate, 'payload'>,
    payload: Uint8Array,
  ): Promise<Result<{ acceptedAt: number }, Refusal>> {
    const check = (authority: WriteAuthority) => () =>
      this.#identities.act(assertion, async (identity) => identity.checkAppend(authority, candidate, payload.length))
    const checked = await this.#budget.within(check({ assertion }), check({ spentBy: assertion }))
    if (!checked.ok) return checked
    const upload = await this.#payloads.put(checked.value.did, candidate.record.dataHash, payload)
    const pointer = { ...candidate, payload: { ...upload, length: payload.length } }
    const appended = await this.#identities.act(assertion, async (identity) =>
      identity.append({ spentBy: assertion }, pointer),
    )
    await this.#payloads.settle(upload, appended.ok)
    return appended
  }
}
