import { encodeBase64url } from '@svc/protocol/base64url'
import {
  type BatchResult,
  type ConsentAct,
  type ConsentMessage,
  type ConsentMiss,
  type ConsentRecord,
  type ConsentSummary,
  consentBatchAnswerSchema,
  consentHistorySchema,
  consentMissSchema,
  consentRecordSchema,
  consentSignedBytes,
  creatorPageSchema,
  MAX_BATCH,
  type OptOut,
  optOutSchema,
  type Preferences,
  type RevokedConsent,
  revokedConsentSchema,
  verifyConsent,
} from '@svc/protocol/consent'
import { aiConsentSchema } from '@svc/protocol/consent-discovery'
import { declaredAt, messageOf, type VerifiedHistory, verifyConsentHistory } from '@svc/protocol/consent-history'
import { type SnapshotPage, snapshotPageSchema } from '@svc/protocol/consent-snapshot'
import { envelopeOf } from '@svc/protocol/envelope'
import { didOf, userIdOfKey } from '@svc/protocol/identity'
import * as z from 'zod'
import { ConsentSnapshot } from './consent-snapshot.ts'
import type { Device } from './device.ts'
import { Identity } from './identity.ts'
import type { KeyHistory } from './key-history.ts'
import { ServiceError } from './service-error.ts'
import type { Call, Transport } from './transport.ts'

/** A record's acts, verified: the words of the creator, dated by the service. */
export interface ConsentTimeline extends VerifiedHistory {
  readonly hash: string
  readonly creatorDid: string
  readonly acts: readonly ConsentAct[]
  /** What was declared at a time, epoch milliseconds; null when nothing was. */
  readonly declaredAt: (at: number) => Preferences | null
}

export interface ConsentParts {
  readonly transport: Transport
  readonly base: string
  readonly keys: KeyHistory
  readonly owner: Identity | Device | undefined
  readonly snapshotKeyB64u: string | undefined
}

const recordOrMiss = z.union([consentRecordSchema, consentMissSchema])

/**
 * AI-use preferences for content identifiers (document 2 sections 2.1 and 4.2). Identifiers are exact strings of 16 to
 * 256 characters. Reading needs no identity; what is read is verified as far as it proves itself.
 */
export class Consent {
  readonly #parts: ConsentParts
  readonly #base: string

  constructor(parts: ConsentParts) {
    this.#parts = parts
    this.#base = `${parts.base}/api/v1/consent`
  }

  /** Declares preferences for an identifier that has none. Throws `ServiceError` `consent_exists` or `consent_held` where it has. */
  publish(hash: string, preferences: Preferences): Promise<ConsentRecord> {
    const { did, key } = this.#owner
    const body = { content_hash: hash, creator_did: did, public_key_b64u: key, preferences }
    return this.#declare('POST', this.#base, hash, preferences, body)
  }

  /** Changes the members that are given; the others stay. Throws `ServiceError` `not_found` where there is no record. */
  update(hash: string, preferences: Preferences): Promise<ConsentRecord> {
    const body = { public_key_b64u: this.#owner.key, preferences }
    return this.#declare('PUT', this.#urlOf(hash), hash, preferences, body)
  }

  /** Revokes the record: reads find nothing any more, the history stays. */
  async revoke(hash: string): Promise<RevokedConsent> {
    const { did, key } = this.#owner
    const message = { content_hash: hash, action: 'delete', creator_did: did } as const
    const body = { public_key_b64u: key }
    const { data } = await this.#send('DELETE', this.#urlOf(hash), message, body, envelopeOf(revokedConsentSchema))
    if (data.content_hash !== hash || data.creator_did !== did) throw new Error('consent answered for another record')
    return data
  }

  /**
   * What is declared for an identifier; `found` says whether anything is, `source` whether somebody said so. Throws when
   * the newest act of a record does not hold. Earlier acts are verified by `history`.
   */
  async read(hash: string): Promise<ConsentRecord | ConsentMiss> {
    const response = await this.#parts.transport.exchange({ method: 'GET', url: this.#urlOf(hash) })
    const body: unknown = await response.json().catch(() => null)
    const answer = recordOrMiss.safeParse(body)
    if (!answer.success) throw new ServiceError(response.status, body, response.headers)
    if (answer.data.hash !== hash) throw new Error('consent answered for another identifier')
    if (answer.data.found) await this.#check(answer.data)
    return answer.data
  }

  /** What is declared for many, each in its place, in requests of 10,000. Nothing of it is proved; see `read`. */
  async readMany(hashes: readonly string[]): Promise<BatchResult[]> {
    const results: BatchResult[] = []
    for (let from = 0; from < hashes.length; from += MAX_BATCH) {
      const asked = hashes.slice(from, from + MAX_BATCH)
      const call = { method: 'POST', url: `${this.#base}/batch`, body: { hashes: asked } } as const
      const answer = await this.#parts.transport.json(call, consentBatchAnswerSchema)
      const isOurs =
        answer.results.length === asked.length &&
        answer.results.every(({ hash }, i) => hash === null || hash === asked[i])
      if (!isOurs) throw new Error('consent answered for other identifiers')
      results.push(...answer.results)
    }
    return results
  }

  /** Every published record of a creator, in the order of identifiers. */
  async *byCreator(did: string): AsyncGenerator<ConsentSummary> {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`
      const url = `${this.#base}/by-creator/${encodeURIComponent(did)}${query}`
      const page = await this.#parts.transport.json({ method: 'GET', url }, creatorPageSchema)
      if (page.items.some((item) => item.creator_did !== did)) throw new Error('consent answered for another creator')
      if (page.next !== null && page.next !== page.items.at(-1)?.hash) throw new Error('consent left out records')
      yield* page.items
      cursor = page.next
    }
  }

  /** Whether content is to be kept out of AI training. */
  async optOut(hash: string): Promise<OptOut> {
    const url = `${this.#parts.base}/api/v1/partner/opt-out?hash=${encodeURIComponent(hash)}`
    const answer = await this.#parts.transport.json({ method: 'GET', url }, optOutSchema)
    if (answer.hash !== hash) throw new Error('consent answered for another identifier')
    return answer
  }

  /**
   * Every act on a record, verified with every signature; null where there never was one, or only an ownerless one.
   * Throws when it does not hold. `unproved` are the versions of which the service alone says that the key spoke for the
   * creator: those of devices.
   */
  async history(hash: string): Promise<ConsentTimeline | null> {
    const acts: ConsentAct[] = []
    let creatorDid: string | null = null
    for (let query = '', isLast = false; !isLast; ) {
      const page = await this.#historyPage(hash, query)
      if (page?.creator_did == null) return null
      creatorDid = page.creator_did
      acts.push(...page.entries)
      const { next, at } = page
      if (next !== null && next !== page.entries.at(-1)?.version) throw new Error('consent left out acts')
      isLast = next === null
      query = `?at=${at}&after=${next}`
    }
    if (creatorDid === null) return null
    const isRotated = acts.some(({ signer }) => signer.kind === 'root' && signer.epoch > 0)
    const rootKeys = isRotated ? await this.#parts.keys.of(creatorDid) : []
    const verified = await verifyConsentHistory({ hash, creatorDid, rootKeys }, acts)
    if (!verified.ok)
      throw new Error(`the history does not hold: ${verified.error.reason} at ${verified.error.version}`)
    const history = verified.value
    return { ...history, hash, creatorDid, acts, declaredAt: (at) => declaredAt(history, at)?.preferences ?? null }
  }

  /**
   * Everything that was declared at a full hour of the last day (epoch milliseconds; the newest unless given), to be
   * looked up locally. Every page is verified with the key of the client's options, or else the one that the service
   * publishes.
   */
  async snapshot({ at }: { readonly at?: number } = {}): Promise<ConsentSnapshot> {
    const key = this.#parts.snapshotKeyB64u ?? (await this.snapshotKey())
    const pages: SnapshotPage[] = []
    for (let from: string | null = null, time = at, isLast = false; !isLast; ) {
      const query = new URLSearchParams({
        ...(time === undefined ? {} : { at: String(time) }),
        ...(from === null ? {} : { from }),
      })
      const url = `${this.#base}/snapshot${query.size === 0 ? '' : `?${query.toString()}`}`
      const page: SnapshotPage = await this.#parts.transport.json({ method: 'GET', url }, snapshotPageSchema)
      const { statement } = page
      const isNext = statement.from === from && (time === undefined || statement.at === time)
      if (!isNext || (statement.to !== null && statement.to === from)) throw new Error('consent answered another page')
      pages.push(page)
      from = statement.to
      time = statement.at
      isLast = from === null
    }
    return ConsentSnapshot.open(pages, key)
  }

  /** The key that signs snapshots, as the service publishes it: to be kept, and given in the client's options. */
  async snapshotKey(): Promise<string> {
    const call = { method: 'GET', url: `${this.#parts.base}/.well-known/ai-consent` } as const
    const { snapshot_key_b64u: key } = await this.#parts.transport.json(call, aiConsentSchema)
    if (key === null) throw new Error('the service publishes no key for its snapshots')
    return key
  }

  get #owner(): {
    readonly did: string
    readonly key: string
    readonly sign: (message: Uint8Array) => Promise<Uint8Array>
  } {
    const { owner } = this.#parts
    if (!owner) throw new TypeError('this client has no identity')
    const key = owner instanceof Identity ? owner.publicKeyB64u : owner.devicePublicKeyB64u
    return { did: owner.did, key, sign: (message) => owner.sign(message) }
  }

  #urlOf(hash: string): string {
    return `${this.#base}/${encodeURIComponent(hash)}`
  }

  async #declare(
    method: 'POST' | 'PUT',
    url: string,
    hash: string,
    preferences: Preferences,
    body: object,
  ): Promise<ConsentRecord> {
    const { did } = this.#owner
    const message = { content_hash: hash, preferences, creator_did: did }
    const { data } = await this.#send(method, url, message, body, envelopeOf(consentRecordSchema))
    if (data.content_hash !== hash || data.creator_did !== did) throw new Error('consent answered for another record')
    await this.#check(data)
    return data
  }

  /** Signed once: where the connection breaks the very same request is sent once more, which cannot count twice. */
  async #send<S extends z.ZodType>(
    method: Call['method'],
    url: string,
    message: ConsentMessage,
    body: object,
    schema: S,
  ): Promise<z.output<S>> {
    const signature = encodeBase64url(await this.#owner.sign(consentSignedBytes(message)))
    const call = { method, url, body, headers: { 'x-svc-signature': signature } }
    const { transport } = this.#parts
    const response = await transport.send(call).catch((error: unknown) => {
      if (error instanceof ServiceError) throw error
      return transport.send(call)
    })
    return schema.parse(await response.json())
  }

  async #historyPage(hash: string, query: string) {
    const url = `${this.#urlOf(hash)}/history${query}`
    const response = await this.#parts.transport.exchange({ method: 'GET', url })
    const body: unknown = await response.json().catch(() => null)
    if (response.status === 404 && consentMissSchema.safeParse(body).data?.hash === hash) return null
    if (!response.ok) throw new ServiceError(response.status, body, response.headers)
    const page = consentHistorySchema.parse(body)
    if (page.hash !== hash) throw new Error('consent answered for another identifier')
    return page
  }

  /** The newest act: signed by its key, contained in the record, and by a root key of the creator where it says so. */
  async #check({
    hash,
    creator_did: creatorDid,
    public_key_b64u: key,
    preferences,
    signed,
  }: ConsentRecord): Promise<void> {
    if (creatorDid === null || key === null || signed === null) return
    const isContained = Object.entries(signed.preferences ?? {}).every(
      ([name, value]) => preferences[name as keyof Preferences] === value,
    )
    const isSigned = await verifyConsent(messageOf(hash, creatorDid, signed), key, signed.signature_b64u)
    if (!isContained || !isSigned || !(await this.#isTheirs(creatorDid, key, signed.signer))) {
      throw new Error('the record does not hold')
    }
  }

  /** That a device spoke for the creator is the service’s word. */
  async #isTheirs(creatorDid: string, key: string, signer: ConsentAct['signer']): Promise<boolean> {
    if (signer.kind === 'device') return true
    if (signer.epoch === 0) return didOf(userIdOfKey(key)) === creatorDid
    const keys = await this.#parts.keys.of(creatorDid)
    return keys.some(({ epoch, publicKeyB64u }) => epoch === signer.epoch && publicKeyB64u === key)
  }
}
