import * as z from 'zod'
import { CONSENT_BUCKETS } from '#protocol/consent/buckets'
import { type WithdrawnClaim, withdrawnClaimSchema } from '#protocol/consent/claims'
import {
  type BatchResult,
  type ConsentMiss,
  type ConsentRecord,
  type ConsentSummary,
  consentBatchAnswerSchema,
  consentMissSchema,
  consentRecordSchema,
  MAX_BATCH,
  malformedHashes,
  type Preferences,
  type RevokedConsent,
  revokedConsentSchema,
} from '#protocol/consent/consent'
import { type CreatorPage, creatorPageSchema, type OptOut, optOutSchema } from '#protocol/consent/queries'
import type { SnapshotPage } from '#protocol/consent/snapshot'
import { answerSchema } from '#protocol/http/answer-schema'
import { envelopeOf } from '#protocol/http/envelope'
import type { KeyHistory } from '../chain/key-history.ts'
import type { TrustedKeys } from '../discovery/trusted-keys.ts'
import type { Device } from '../identity/device.ts'
import type { Identity } from '../identity/identity.ts'
import { acceptAge, markLike, mirrorOf } from '../mirrors/from-mirror.ts'
import { readAnyJson } from '../transport/guarded-body.ts'
import { refusalOf } from '../transport/service-error.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import { Declaring } from './declaring.ts'
import { checkRecord } from './record-check.ts'
import { ConsentSnapshot } from './snapshot.ts'
import { bucketPages } from './snapshot-pages.ts'
import { type ConsentTimeline, readTimeline } from './timeline.ts'

export type { ConsentTimeline, TimelineClaim } from './timeline.ts'

export interface ConsentParts {
  readonly transport: Transport
  readonly base: string
  readonly keys: KeyHistory
  readonly owner: Identity | Device | undefined
  readonly snapshotKeys: TrustedKeys
}

const ALL_BUCKETS = /* @__PURE__ */ Array.from({ length: CONSENT_BUCKETS }, (_, bucket) => bucket)
const recordOrMiss = /* @__PURE__ */ z.union([consentRecordSchema, consentMissSchema])

/**
 * AI-use preferences for content identifiers, exact strings of 16 to 256 characters. Reading needs no identity;
 * everything that can be verified is.
 */
export class Consent {
  // As results: see `safely`.
  readonly safeRead = safeTwin(this, 'read')
  readonly safeReadMany = safeTwin(this, 'readMany')
  readonly safeHistory = safeTwin(this, 'history')
  readonly safeSnapshot = safeTwin(this, 'snapshot')
  readonly safeOptOut = safeTwin(this, 'optOut')

  readonly #parts: ConsentParts
  readonly #base: string
  readonly #declaring: Declaring

  constructor(parts: ConsentParts) {
    this.#parts = parts
    this.#base = `${parts.base}/api/v1/consent`
    this.#declaring = new Declaring(parts)
  }

  /**
   * Declares preferences for a new identifier. Throws `ServiceError` `consent_exists` or `consent_held` otherwise; in the
   * second case `details.claimed` says whether the declaration is kept as a claim. `budget_exhausted` names the budget.
   */
  publish(hash: string, preferences: Preferences): Promise<ConsentRecord> {
    const { did, key } = this.#declaring.creator
    const body = { content_hash: hash, creator_did: did, public_key_b64u: key, preferences }
    return this.#declaring.declare('POST', this.#base, { hash, preferences }, body)
  }

  /** Changes the given members and keeps the others. Throws `ServiceError` `not_found` if there is no record. */
  update(hash: string, preferences: Preferences): Promise<ConsentRecord> {
    const body = { public_key_b64u: this.#declaring.creator.key, preferences }
    return this.#declaring.declare('PUT', this.#urlOf(hash), { hash, preferences }, body)
  }

  /** Revokes the record: reads no longer find it, its history stays. */
  async revoke(hash: string): Promise<RevokedConsent> {
    const { did, key } = this.#declaring.creator
    const message = { content_hash: hash, action: 'delete', creator_did: did } as const
    const body = { public_key_b64u: key }
    const { data } = await this.#declaring.send(
      'DELETE',
      this.#urlOf(hash),
      message,
      body,
      envelopeOf(revokedConsentSchema),
    )
    if (data.content_hash !== hash || data.creator_did !== did)
      throw unverified('consent', 'different_answer', 'Consent answered for a different record', { evidence: data })
    return data
  }

  /** Withdraws a claim to an identifier that another creator holds; see `history`. */
  async withdrawClaim(hash: string): Promise<WithdrawnClaim> {
    const { did, key } = this.#declaring.creator
    const message = { content_hash: hash, action: 'delete', creator_did: did } as const
    const body = { public_key_b64u: key, creator_did: did }
    const { data } = await this.#declaring.send(
      'DELETE',
      this.#urlOf(hash),
      message,
      body,
      envelopeOf(withdrawnClaimSchema),
    )
    if (data.content_hash !== hash || data.creator_did !== did)
      throw unverified('consent', 'different_answer', 'Consent answered for a different claim', { evidence: data })
    return data
  }

  /**
   * What is declared for an identifier: `found` tells whether anything is, `source` whether it was declared. Throws if
   * the newest act of a record does not verify. `history` verifies earlier acts. A mirror has
   * no records, since they name people and content; `snapshot` is answered by mirrors too.
   */
  async read(hash: string): Promise<ConsentRecord | ConsentMiss> {
    const response = await this.#parts.transport.exchange({ method: 'GET', url: this.#urlOf(hash) })
    const body: unknown = await readAnyJson(response)
    const answer = answerSchema(recordOrMiss).safeParse(body)
    if (!answer.success) throw await refusalOf(response, body)
    if (answer.data.hash !== hash)
      throw unverified('consent', 'different_answer', 'Consent answered for a different identifier')
    if (answer.data.found) await checkRecord(answer.data, this.#parts.keys)
    return answer.data
  }

  /**
   * What is declared for many identifiers, positionally, in requests of 10,000. Not verified; see `read`. Throws
   * `TypeError` if one is malformed.
   */
  async readMany(hashes: readonly string[]): Promise<BatchResult[]> {
    const malformed = malformedHashes(hashes)
    if (malformed !== null) throw new TypeError(malformed)
    const results: BatchResult[] = []
    for (let from = 0; from < hashes.length; from += MAX_BATCH) {
      const asked = hashes.slice(from, from + MAX_BATCH)
      const call = { method: 'POST', url: `${this.#base}/batch`, body: { hashes: asked } } as const
      const answer = await this.#parts.transport.json(call, consentBatchAnswerSchema)
      const isOurs = answer.results.length === asked.length && answer.results.every(({ hash }, i) => hash === asked[i])
      if (!isOurs)
        throw unverified('consent', 'different_answer', 'Consent answered for different identifiers', {
          evidence: answer,
        })
      results.push(...answer.results)
    }
    return results
  }

  /** Every published record of a creator, sorted by identifier. */
  async *byCreator(did: string): AsyncGenerator<ConsentSummary> {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: CreatorPage = await this.#creatorPage(did, cursor === '' ? {} : { cursor })
      if (page.next !== null && page.next !== page.items.at(-1)?.hash)
        throw unverified('consent', 'left_out', 'Consent left out records')
      yield* page.items
      cursor = page.next
    }
  }

  /** How much of its budgets a creator uses; `keptByTier` of the discovered limits has the budgets. */
  async kept(did: string): Promise<CreatorPage['kept']> {
    return (await this.#creatorPage(did, { limit: '1' })).kept
  }

  async #creatorPage(did: string, query: Record<string, string>): Promise<CreatorPage> {
    const search = new URLSearchParams(query).toString()
    const url = `${this.#base}/by-creator/${encodeURIComponent(did)}${search && `?${search}`}`
    const page = await this.#parts.transport.json({ method: 'GET', url }, creatorPageSchema)
    const isAnother = page.creator_did !== did || page.items.some((item) => item.creator_did !== did)
    if (isAnother) throw unverified('consent', 'different_answer', 'Consent answered for a different creator')
    return page
  }

  /** Whether the content is opted out of AI training. */
  async optOut(hash: string): Promise<OptOut> {
    const url = `${this.#parts.base}/api/v1/partner/opt-out?hash=${encodeURIComponent(hash)}`
    const answer = await this.#parts.transport.json({ method: 'GET', url }, optOutSchema)
    if (answer.hash !== hash)
      throw unverified('consent', 'different_answer', 'Consent answered for a different identifier')
    return answer
  }

  /**
   * Every act on a record, with all signatures verified; null if there never was one, or only one without an owner.
   * Throws if it does not verify. `unproved` are the versions by devices, for which only the service claims that the key
   * acted for the creator, and settlements, for which only the service claims that the key is the operator's.
   */
  async history(hash: string): Promise<ConsentTimeline | null> {
    return readTimeline(this.#parts, this.#urlOf(hash), hash)
  }

  /**
   * What was declared at a full hour of the last day (epoch milliseconds; default the newest), for local lookups. Name the
   * buckets that you need (`consentBucketOf(hash)`): all of them are at least 1,024 requests. Every page is verified with
   * the keys of the signed list, or with `consentKeyB64u`.
   */
  async snapshot({
    at,
    buckets = ALL_BUCKETS,
  }: {
    readonly at?: number
    readonly buckets?: readonly number[]
  } = {}): Promise<ConsentSnapshot> {
    const { transport, snapshotKeys } = this.#parts
    await snapshotKeys(transport.now())
    const pages: SnapshotPage[] = []
    for (const bucket of new Set(buckets))
      pages.push(...(await bucketPages(transport, this.#base, { bucket, at: pages[0]?.statement.at ?? at })))
    const snapshot = await ConsentSnapshot.open(pages, snapshotKeys, transport.realms)
    const mirrored = pages.filter(mirrorOf)
    for (const page of mirrored) acceptAge(page, page.statement.issuedAt, transport.now())
    return mirrored[0] ? markLike(snapshot, mirrored[0]) : snapshot
  }

  #urlOf(hash: string): string {
    return `${this.#base}/${encodeURIComponent(hash)}`
  }
}
