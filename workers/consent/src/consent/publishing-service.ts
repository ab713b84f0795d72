import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { signatureSchema } from '@svc/protocol/base/identity'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { WithdrawnClaim } from '@svc/protocol/consent/claims'
import {
  type ConsentRecord,
  type ConsentSigner,
  consentActHash,
  type Preferences,
  type RevokedConsent,
} from '@svc/protocol/consent/consent'
import { messageOf } from '@svc/protocol/consent/history'
import type { AuthorityClient, AuthorityRefusal } from '../authority/client.ts'
import type { Creators } from '../creator/client.ts'
import type { NewClaim } from '../store/claims.ts'
import type { Stores } from '../store/client.ts'
import type { NewAct } from '../store/records.ts'
import type { FullRecord } from '../store/rows.ts'
import { recordOf } from './answers.ts'
import type { BudgetRefusal } from './budget-rules.ts'
import type { RecordCache } from './record-cache.ts'
import type { Records } from './records.ts'
import { decideWrite, type WriteRefusal } from './rules.ts'

/** What a caller sends, including a signature that is not validated yet. */
export interface WriteRequest {
  readonly hash: string
  readonly action: NewAct['action']
  /** Only for a creation; other writes use the record's creator. */
  readonly creatorDid?: string | undefined
  /** Null for a deletion. */
  readonly preferences: Preferences | null
  readonly publicKeyB64u: string
  readonly signatureB64u: string
}

export type PublishingRefusal =
  | BudgetRefusal
  | { readonly reason: Exclude<WriteRefusal, 'consent_held'> | AuthorityRefusal }
  /** Who holds the identifier, and whether the declaration is kept as a claim to it. */
  | { readonly reason: 'consent_held'; readonly holder: string; readonly isClaimed: boolean }

/** If a record changes during a write, the write is decided again; the store decides too, so this ends soon. */
const MAX_ATTEMPTS = 4

interface PublishingParts {
  readonly records: Records
  readonly stores: Pick<Stores, 'hasClaim' | 'keepClaim' | 'withdraw'>
  readonly authority: AuthorityClient
  readonly creators: Pick<Creators, 'reserve' | 'release'>
  readonly cache: RecordCache
  readonly now: () => number
}

interface Judged {
  readonly creatorDid: string
  readonly signer: ConsentSigner
}

/** Writes, in this order: the current record, the authority, the room of the creator, the transaction of the store. */
export class PublishingService {
  readonly #parts: PublishingParts

  constructor(parts: PublishingParts) {
    this.#parts = parts
  }

  async declare(request: WriteRequest): Promise<Result<ConsentRecord, PublishingRefusal>> {
    const written = await this.#write(request)
    return written.ok ? ok(recordOf(written.value)) : written
  }

  async revoke(request: WriteRequest): Promise<Result<RevokedConsent, PublishingRefusal>> {
    const written = await this.#write(request)
    if (!written.ok) return written
    const { hash, creatorDid, version, updatedAt } = written.value
    const creator_did = creatorDid ?? ''
    return ok({ content_hash: hash, creator_did, revoked: true, version, revoked_at: updatedAt })
  }

  /** Withdraws a claim to an identifier that another creator holds. */
  async withdraw(
    request: WriteRequest & { readonly creatorDid: string },
  ): Promise<Result<WithdrawnClaim, PublishingRefusal>> {
    const { hash, creatorDid } = request
    const { stores, now } = this.#parts
    if (!(await stores.hasClaim(hash, creatorDid))) return err({ reason: 'not_found' })
    const signer = await this.#judge(request, creatorDid)
    if (!signer.ok) return err({ reason: signer.error })
    const at = now()
    const isWithdrawn = await stores.withdraw({ hash, creatorDid, actHash: consentActHash(request) }, at)
    if (!isWithdrawn) return err({ reason: (await stores.hasClaim(hash, creatorDid)) ? 'consent_replay' : 'not_found' })
    return ok({ content_hash: hash, creator_did: creatorDid, withdrawn: true, withdrawn_at: at })
  }

  async #write(request: WriteRequest): Promise<Result<FullRecord, PublishingRefusal>> {
    const { hash, action } = request
    const { records, cache, now } = this.#parts
    const actHash = consentActHash(request)
    let judged: Judged | undefined
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const record = await records.find(hash, actHash)
      const creatorDid = request.creatorDid ?? record?.creatorDid ?? ''
      const decision = decideWrite(record, { action, actHash, creatorDid })
      if (decision.is === 'refused') return err(await this.#refusalOf(decision.reason, request, record, judged))
      if (decision.is === 'unchanged' && record) return ok(record)
      // A settlement may have changed the creator since, and the signature was judged for the one before.
      if (judged?.creatorDid !== creatorDid) {
        const signer = await this.#judge(request, creatorDid)
        if (!signer.ok) return err({ reason: signer.error })
        judged = { creatorDid, signer: signer.value }
      }
      const room = await this.#roomFor(action, judged.creatorDid, { hash, id: actHash })
      if (!room.ok) return err(room.error)
      const stored = await records.write({ ...request, ...judged, actHash }, now())
      await cache.drop(hash)
      if (stored?.lastAct === actHash) return ok(stored)
      if (action !== 'delete') await this.#parts.creators.release(judged.creatorDid, actHash)
    }
    throw new DependencyFault('consent', { cause: new Error('the record keeps changing') })
  }

  /** A declaration for what another creator holds is refused, and kept as a claim if it is signed by its creator. */
  async #refusalOf(
    reason: WriteRefusal,
    request: WriteRequest,
    record: FullRecord | null,
    judged: Judged | undefined,
  ): Promise<PublishingRefusal> {
    if (reason !== 'consent_held') return { reason }
    const { creatorDid = '' } = request
    const signer = judged ? ok(judged.signer) : await this.#judge(request, creatorDid)
    const claim = { ...request, creatorDid, actHash: consentActHash(request) }
    const isClaimed = signer.ok && (await this.#keepClaim({ ...claim, signer: signer.value }))
    return { reason, holder: record?.creatorDid ?? '', isClaimed }
  }

  /** The refusal stands, whatever becomes of the claim. */
  async #keepClaim(claim: NewClaim): Promise<boolean> {
    const { stores, creators, now } = this.#parts
    const { creatorDid, hash, actHash: id } = claim
    try {
      const room = await creators.reserve(creatorDid, { id, hash, write: 'claim' }, now())
      const hasRoom = room.ok && room.value
      // Without room, a newer claim may still take the place of the same claimant's.
      const isKept = await stores.keepClaim(claim, hasRoom, now())
      if (hasRoom && !isKept) await creators.release(creatorDid, id)
      return isKept
    } catch (error) {
      if (error instanceof DependencyFault) return false
      throw error
    }
  }

  /** A declaration can always be revoked. */
  async #roomFor(
    action: NewAct['action'],
    did: string,
    about: { readonly hash: string; readonly id: string },
  ): Promise<Result<boolean, BudgetRefusal>> {
    const { creators, now } = this.#parts
    return action === 'delete' ? ok(true) : creators.reserve(did, { ...about, write: action }, now())
  }

  async #judge(request: WriteRequest, creatorDid: string): Promise<Result<ConsentSigner, AuthorityRefusal>> {
    const { hash, publicKeyB64u, signatureB64u } = request
    // A malformed signature needs no authority to reject it.
    if (!signatureSchema.safeParse(signatureB64u).success) return err('invalid_signature')
    return this.#parts.authority.judge({ message: messageOf(hash, creatorDid, request), publicKeyB64u, signatureB64u })
  }
}
