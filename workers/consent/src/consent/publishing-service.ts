import {
  type ConsentRecord,
  type ConsentSigner,
  consentActHash,
  type Preferences,
  type RevokedConsent,
} from '@svc/protocol/consent'
import { messageOf } from '@svc/protocol/consent-history'
import { DependencyFault } from '@svc/protocol/dependency-fault'
import { signatureSchema } from '@svc/protocol/identity'
import { err, ok, type Result } from '@svc/protocol/result'
import type { AuthorityClient, AuthorityRefusal } from '../authority/authority-client.ts'
import { decideWrite, type WriteRefusal } from './consent.ts'
import { recordOf } from './consent-answers.ts'
import type { ConsentStore, FullRecord, NewAct } from './consent-store.ts'
import type { RecordCache } from './record-cache.ts'

/** What a caller sends, signature included, which may be of any form. */
export interface WriteRequest {
  readonly hash: string
  readonly action: NewAct['action']
  /** Of a creation; of the other writes it is the record's. */
  readonly creatorDid?: string
  /** Null for a deletion. */
  readonly preferences: Preferences | null
  readonly publicKeyB64u: string
  readonly signatureB64u: string
}

export type PublishingRefusal = { readonly reason: WriteRefusal | AuthorityRefusal }

/** A record that changes while it is written is decided about anew; what is written is conditional, so this ends soon. */
const MAX_ATTEMPTS = 4

/** Writes, in the order of readings 29: the record as it stands, then the authority, then the conditional write. */
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
    let signer: ConsentSigner | undefined
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const record = await this.#store.find(hash, actHash)
      const creatorDid = request.creatorDid ?? record?.creatorDid ?? ''
      const decision = decideWrite(record, { action, actHash, creatorDid })
      if (decision.is === 'refused') return err({ reason: decision.reason })
      if (decision.is === 'unchanged' && record) return ok(record)
      if (!signer) {
        const judged = await this.#judge(request, creatorDid)
        if (!judged.ok) return err({ reason: judged.error })
        signer = judged.value
      }
      const stored = await this.#store.write({ ...request, creatorDid, actHash, signer }, this.#now())
      await this.#cache.drop(hash)
      if (stored?.lastAct === actHash) return ok(stored)
    }
    throw new DependencyFault('consent', { cause: new Error('the record does not hold still') })
  }

  async #judge(request: WriteRequest, creatorDid: string): Promise<Result<ConsentSigner, AuthorityRefusal>> {
    const { hash, publicKeyB64u, signatureB64u } = request
    // What is no signature by its form needs no authority to say so.
    if (!signatureSchema.safeParse(signatureB64u).success) return err('invalid_signature')
    return this.#authority.judge({ message: messageOf(hash, creatorDid, request), publicKeyB64u, signatureB64u })
  }
}
