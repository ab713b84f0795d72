import type { ObjectStorage } from '@svc/objects'
import type { ConsentClaim } from '@svc/protocol/consent/claims'
import type { Preferences } from '@svc/protocol/consent/consent'
import type { Dispute } from '@svc/protocol/operator/reads'
import type { ClaimTable } from './claims.ts'
import type { HistoryQuery, RecordTable } from './records.ts'
import {
  type BriefRecord,
  type BriefRow,
  briefsOf,
  type KeptEntry,
  type KeptRecord,
  preferencesOf,
  type SnapshotRow,
} from './rows.ts'

/** All that a page of a history is made of, as of one moment. */
export interface KeptHistory {
  readonly record: Pick<KeptRecord, 'creatorDid' | 'createdAt' | 'preferences' | 'version'>
  readonly acts: readonly KeptEntry[]
  readonly state: { readonly version: number; readonly preferences: Preferences | null } | null
  /** Who held the identifier then, if another creator has got it since. */
  readonly former: string | null
  readonly claims: readonly ConsentClaim[]
}

type DisputeRow = {
  content_hash: string
  holder: string
  held: string | null
  created_at: number
  creator_did: string
  preferences: string
  recorded_at: number
}
type SnapshotColumns = { identifier_hash: string; creator_hash: string | null; preferences: string | null }

/** Reads of a store. None makes a table. */
export class StoreReading {
  readonly #stored: ObjectStorage
  readonly #records: RecordTable
  readonly #claims: ClaimTable

  constructor(stored: ObjectStorage, parts: { readonly records: RecordTable; readonly claims: ClaimTable }) {
    this.#stored = stored
    this.#records = parts.records
    this.#claims = parts.claims
  }

  /** A record with its newest act, and whether the act with this hash was accepted before. */
  find(bucket: number, hash: string, actHash: string | null): KeptRecord | null {
    return this.#read(null, () => this.#records.find(bucket, hash, actHash)?.record ?? null)
  }

  hasClaim(bucket: number, hash: string, creatorDid: string): boolean {
    return this.#read(false, () => {
      const row = this.#records.row(bucket, hash)
      return row !== null && this.#claims.has(row.id, creatorDid)
    })
  }

  /** The published ones among these, by the hashes of their identifiers, in any order. */
  findMany(wanted: readonly (readonly [bucket: number, hashes: readonly string[]])[]): BriefRecord[] {
    return this.#read([], () => briefsOf(wanted.flatMap(([bucket, hashes]) => this.#published(bucket, hashes))))
  }

  #published(bucket: number, hashes: readonly string[]): BriefRow[] {
    return this.#stored.sql
      .exec<BriefRow>(
        `SELECT content_hash, creator_did, preferences, version, updated_at FROM records
         WHERE bucket = ?1 AND identifier_hash IN (SELECT value FROM json_each(?2)) AND status = 'published'`,
        bucket,
        JSON.stringify(hashes),
      )
      .toArray()
  }

  /** Null if nothing was ever declared for the identifier. */
  history(bucket: number, hash: string, query: HistoryQuery): KeptHistory | null {
    return this.#read(null, () => {
      const known = this.#records.find(bucket, hash, null)
      if (!known) return null
      const { id, record } = known
      return {
        record,
        acts: this.#records.acts(id, hash, query),
        state: this.#records.stateAt(id, query.at),
        former: this.#records.formerCreator(id, query.at),
        claims: query.after === 0 ? this.#claims.list(id, query.at) : [],
      }
    })
  }

  /**
   * Records of a bucket after a hash as they stood before `at`, in order, revoked ones with `preferences` null: a
   * page is bounded by what it reads, so that it can say how far it got.
   */
  snapshot(bucket: number, at: number, after: string | null, limit: number): SnapshotRow[] {
    return this.#read([], () => this.#snapshot(bucket, at, after ?? '', limit))
  }

  #snapshot(bucket: number, at: number, after: string, limit: number): SnapshotRow[] {
    return this.#stored.sql
      .exec<SnapshotColumns>(
        `SELECT r.identifier_hash, coalesce((SELECT s.previous_creator_hash FROM acts s
           WHERE r.updated_at >= ?1 AND r.held_from > 0 AND s.record = r.id AND s.action = 'settle'
             AND s.recorded_at >= ?1 ORDER BY s.version LIMIT 1), r.creator_hash) AS creator_hash, CASE
           WHEN r.updated_at >= ?1 THEN (SELECT a.state FROM acts a
             WHERE a.record = r.id AND a.recorded_at < ?1 ORDER BY a.version DESC LIMIT 1)
           WHEN r.status = 'published' THEN r.preferences END AS preferences
         FROM records r WHERE r.bucket = ?4 AND r.identifier_hash > ?2 AND r.created_at < ?1
         ORDER BY r.identifier_hash LIMIT ?3`,
        at,
        after,
        limit,
        bucket,
      )
      .toArray()
      .map(({ identifier_hash: identifierHash, creator_hash: creatorHash, preferences }) => ({
        identifierHash,
        creatorHash,
        preferences: preferencesOf(preferences),
      }))
  }

  /** Identifiers with claims that are not settled, in order. A claim exists only beside a record with an owner. */
  disputes(after: string | null, limit: number): Dispute[] {
    return this.#read([], () => this.#disputes(after ?? '', limit))
  }

  #disputes(after: string, limit: number): Dispute[] {
    const rows = this.#stored.sql
      .exec<DisputeRow>(
        `WITH disputed AS (
           SELECT r.id FROM claims c JOIN records r ON r.id = c.record
           WHERE c.act_hash IS NOT NULL AND c.settled_at IS NULL AND r.content_hash > ?1
           GROUP BY r.id ORDER BY r.content_hash LIMIT ?2)
         SELECT r.content_hash, r.creator_did AS holder, r.created_at,
           CASE WHEN r.status = 'published' THEN r.preferences END AS held, c.creator_did, c.preferences, c.recorded_at
         FROM claims c JOIN records r ON r.id = c.record
         WHERE c.act_hash IS NOT NULL AND c.settled_at IS NULL AND c.record IN (SELECT id FROM disputed)
         ORDER BY r.content_hash, c.recorded_at, c.creator_did`,
        after,
        limit,
      )
      .toArray()
    return [...Map.groupBy(rows, ({ content_hash: hash }) => hash)].map(([hash, some]) => disputeOf(hash, some))
  }

  #read<T>(nothing: T, work: () => T): T {
    return this.#stored.exists ? work() : nothing
  }
}

function disputeOf(contentHash: string, rows: readonly DisputeRow[]): Dispute {
  const [first] = rows
  return {
    contentHash,
    holderDid: first?.holder ?? '',
    preferences: preferencesOf(first?.held ?? null),
    declaredAt: first?.created_at ?? 0,
    claims: rows.map(({ creator_did: creatorDid, preferences, recorded_at: recordedAt }) => ({
      creatorDid,
      preferences: JSON.parse(preferences) as Preferences,
      recordedAt,
    })),
  }
}
