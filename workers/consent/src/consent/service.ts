import type { BatchResult } from '@svc/protocol/consent/consent'
import { type ConsentHistory, MAX_HISTORY_PAGE } from '@svc/protocol/consent/history-page'
import { CREATOR_PAGE, type CreatorPage, MAX_CREATOR_PAGE, type OptOut } from '@svc/protocol/consent/queries'
import type { Creators } from '../creator/client.ts'
import type { Stores } from '../store/client.ts'
import type { FullRecord } from '../store/rows.ts'
import { optOutOf, recordOf, summaryOf } from './answers.ts'
import { missAnswer, type ReadAnswer, recordAnswer } from './read-answer.ts'
import type { RecordCache } from './record-cache.ts'
import type { FullHistory, Records } from './records.ts'

const clamp = (asked: number, most: number) => Math.min(Math.max(asked, 1), most)

interface ReadingParts {
  readonly records: Records
  readonly stores: Pick<Stores, 'findMany'>
  readonly creators: Pick<Creators, 'list'>
  readonly cache: RecordCache
}

/** Reads. A revoked record reads as if it never existed, except for its history. */
export class ConsentService {
  readonly #parts: ReadingParts

  constructor(parts: ReadingParts) {
    this.#parts = parts
  }

  /** One record, from this edge's cache or its store. */
  async read(hash: string, now: number): Promise<ReadAnswer> {
    const cached = await this.#parts.cache.find(hash, now)
    if (cached) return cached
    const record = await this.#published(hash)
    const answer = record ? recordAnswer(recordOf(record), now) : missAnswer(hash, now)
    await this.#parts.cache.keep(hash, answer, now)
    return answer
  }

  /** What each of the identifiers is answered with, once all of them have been looked up. */
  async readMany(hashes: readonly string[]): Promise<(hash: string) => BatchResult> {
    const found = await this.#parts.stores.findMany(new Set(hashes))
    const byHash = new Map(found.map((record) => [record.hash, record]))
    return (hash) => {
      const record = byHash.get(hash)
      return record ? summaryOf(record) : { found: false, hash, source: 'default' }
    }
  }

  async byCreator(did: string, { cursor, limit = CREATOR_PAGE }: PageQuery): Promise<CreatorPage> {
    const size = clamp(limit, MAX_CREATOR_PAGE)
    const { records, kept } = await this.#parts.creators.list(did, cursor ?? null, size + 1)
    const items = records.slice(0, size).map(summaryOf)
    return { creator_did: did, items, next: records.length > size ? (items.at(-1)?.hash ?? null) : null, kept }
  }

  async optOut(hash: string): Promise<OptOut> {
    return optOutOf(hash, await this.#published(hash))
  }

  /** Null if nothing was ever declared for the identifier. */
  async history(
    hash: string,
    { at, after = 0, limit = MAX_HISTORY_PAGE }: HistoryQuery,
    now: number,
  ): Promise<ConsentHistory | null> {
    const until = Math.min(at ?? now, now)
    const size = clamp(limit, MAX_HISTORY_PAGE)
    const history = await this.#parts.records.history(hash, { at: until, after, limit: size + 1 })
    if (!history) return null
    const entries = history.acts.slice(0, size)
    return {
      hash,
      creator_did: history.former ?? history.record.creatorDid,
      at: until,
      state: stateOf(history, until),
      entries,
      claims: [...history.claims],
      next: history.acts.length > size ? (entries.at(-1)?.version ?? null) : null,
    }
  }

  async #published(hash: string): Promise<FullRecord | null> {
    const record = await this.#parts.records.find(hash)
    return record?.status === 'published' ? record : null
  }
}

function stateOf({ record, state: known }: FullHistory, at: number): ConsentHistory['state'] {
  // A record without an owner has no acts: all that is known is that it exists.
  const state = record.creatorDid === null && record.createdAt <= at ? record : known
  const preferences = state?.preferences ?? null
  return { preferences, version: state?.version ?? 0, source: preferences ? 'declared' : 'default' }
}

interface PageQuery {
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
}
interface HistoryQuery {
  readonly at?: number | undefined
  readonly after?: number | undefined
  readonly limit?: number | undefined
}
