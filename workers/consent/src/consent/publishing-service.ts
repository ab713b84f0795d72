import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { signatureSchema } from '@svc/protocol/base/identity'
import { err, ok, type Result } from '@svc/protocol/base/result'
import {
  type ConsentRecord,
  type ConsentSigner,
  consentActHash,
  type Preferences,
  type RevokedConsent,
} from '@svc/protocol/consent/consent'
import { messageOf } from '@svc/protocol/consent/history'
import type { AuthorityClient, AuthorityRefusal } from '../authority/client.ts'
import { recordOf } from './answers.ts'
import type { RecordCache } from './record-cache.ts'
import type { FullRecord } from './rows.ts'
import { decideWrite, type WriteRefusal } from './rules.ts'
import type { ConsentStore, NewAct } from './store.ts'

/** What a caller sends, including a signature that is not validated yet. */
export interface WriteRequest {
  readonly hash: string
  readonly action: NewAct['action']
  /** Only for a creation; other writes use the record's creator. */
  readonly creatorDid?: string
  /** Null for a deletion. */
  readonly preferences: Preferences | null
  readonly publicKeyB64u: string
  readonly signatureB64u: string
}

export type PublishingRefusal = { readonly reason: WriteRefusal | AuthorityRefusal }

/** If a record changes during a write, the write is decided again; writes are conditional, so this ends soon. */
const MAX_ATTEMPTS = 4

/** Writes, in this order: the current record, the authority, the conditional write. */
export class PublishingService {
  readonly #store: ConsentStore
  readonly #authority: AuthorityClient
  readonly #cache: RecordCache
  readonly #now: () => number

  constructor(store: ConsentStore, authority: AuthorityClient, cache: RecordCache, now: () => number) {
    this.#store = store
    this.#authority = authority
    this.#cache = cache
    this.#now = now
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

  async #write(request: WriteRequest): Promise<Result<FullRecord, PublishingRefusal>> {
    const { hash, action } = request
    const actHash = consentActHash(request)
    let judged: { readonly creatorDid: string; readonly signer: ConsentSigner } | undefined
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const record = await this.#store.find(hash, actHash)
      const creatorDid = request.creatorDid ?? record?.creatorDid ?? ''
      const decision = decideWrite(record, { action, actHash, creatorDid })
      if (decision.is === 'refused') return err({ reason: decision.reason })
      if (decision.is === 'unchanged' && record) return ok(record)
      // A settlement may have changed the creator since, and the signature was judged for the one before.
      if (judged?.creatorDid !== creatorDid) {
        const signer = await this.#judge(request, creatorDid)
        if (!signer.ok) return err({ reason: signer.error })
        judged = { creatorDid, signer: signer.value }
      }
      const stored = await this.#store.write({ ...request, ...judged, actHash }, this.#now())
      await this.#cache.drop(hash)
      if (stored?.lastAct === actHash) return ok(stored)
    }
    throw new DependencyFault('consent', { cause: new Error('the record keeps changing') })
  }

  async #judge(request: WriteRequest, creatorDid: string): Promise<Result<ConsentSigner, AuthorityRefusal>> {
    const { hash, publicKeyB64u, signatureB64u } = request
    // A malformed signature needs no authority to reject it.
    if (!signatureSchema.safeParse(signatureB64u).success) return err('invalid_signature')
    return this.#authority.judge({ message: messageOf(hash, creatorDid, request), publicKeyB64u, signatureB64u })
  }
}
