import type { ObjectStorage } from '@svc/objects'
import { err, ok } from '@svc/protocol/base/result'
import type { ConsentClaim } from '@svc/protocol/consent/claims'
import type { Preferences } from '@svc/protocol/consent/consent'
import type { Dispute } from '@svc/protocol/operator/reads'
import type { ClaimTable } from './claims.ts'
import type { Misplaced, Ownership } from './ownership.ts'
import type { RecordTable } from './records.ts'
import {
  type BriefRecord,
  type BriefRow,
  briefsOf,
  type KeptEntry,
  type KeptRecord,
  preferencesOf,
  type SnapshotRow,
} from './rows.ts'
import type { Placed } from './transaction.ts'

export interface HistoryQuery {
  readonly at: number
  readonly after: number
  readonly limit: number
}

/** All that a page of a history is made of, as of one moment. */
export interface KeptHistory {
  readonly record: Pick<KeptRecord, 'creatorDid' | 'createdAt' | 'preferences' | 'version'>
  readonly acts: readonly KeptEntry[]
  readonly state: { readonly version: number; readonly preferences: Preferences | null } | null
  /** Who held the identifier then, if another creator has got it since. */
  readonly former: string | null
  readonly claims: readonly ConsentClaim[]
}

export interface FoundHere {
  readonly found: BriefRecord[]
  /** Buckets that are not here. */
  readonly misplaced: Misplaced[]
}

/** Disputes of a store, with the buckets that they are complete for. */
export interface DisputesHere {
  readonly disputes: Dispute[]
  readonly buckets: number[]
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
type SnapshotColumns = { content_hash: string; creator_did: string | null; preferences: string | null }

/** Reads of a store. None makes a table. */
export class StoreReading {
  readonly #stored: ObjectStorage
  readonly #ownership: Ownership
  readonly #records: RecordTable
  readonly #claims: ClaimTable

  constructor(
    stored: ObjectStorage,
    parts: { readonly ownership: Ownership; readonly records: RecordTable; readonly claims: ClaimTable },
  ) {
    this.#stored = stored
    this.#ownership = parts.ownership
    this.#records = parts.records
    this.#claims = parts.claims
  }

  /** A record with its newest act, and whether the act with this hash was accepted before. */
  find(bucket: number, hash: string, actHash: string | null): Placed<KeptRecord | null> {
    return this.#read(bucket, null, () => this.#records.find(bucket, hash, actHash)?.record ?? null)
  }

  hasClaim(bucket: number, hash: string, creatorDid: string): Placed<boolean> {
    return this.#read(bucket, false, () => {
      const row = this.#records.row(bucket, hash)
      return row !== null && this.#claims.has(row.id, creatorDid)
    })
  }

  /** The published ones among these identifiers, in any order. */
  findMany(wanted: readonly (readonly [bucket: number, hashes: readonly string[]])[]): FoundHere {
    const rows: BriefRow[] = []
    const misplaced: Misplaced[] = []
    for (const [bucket, hashes] of wanted) {
      const elsewhere = this.#ownership.refusesRead(bucket)
      if (elsewhere) misplaced.push(elsewhere)
      else if (this.#stored.exists) rows.push(...this.#published(bucket, hashes))
    }
    return { found: briefsOf(rows), misplaced }
  }

  #published(bucket: number, hashes: readonly string[]): BriefRow[] {
    return this.#stored.sql
      .exec<BriefRow>(
        `SELECT content_hash, creator_did, preferences, version, updated_at FROM records
         WHERE bucket = ?1 AND content_hash IN (SELECT value FROM json_each(?2)) AND status = 'published'`,
        bucket,
        JSON.stringify(hashes),
      )
      .toArray()
  }

  /** Null if nothing was ever declared for the identifier. */
  history(bucket: number, hash: string, { at, after, limit }: HistoryQuery): Placed<KeptHistory | null> {
    return this.#read(bucket, null, () => {
      const known = this.#records.find(bucket, hash, null)
      if (!known) return null
      const { id, record } = known
      return {
        record,
        acts: this.#records.acts(id, after, at, limit),
        state: this.#records.stateAt(id, at),
        former: this.#records.formerCreator(id, at),
        claims: after === 0 ? this.#claims.list(id, at) : [],
      }
    })
  }

  /**
   * Records of a bucket after an identifier as they stood before `at`, in order, revoked ones with `preferences` null: a
   * page is bounded by what it reads, so that it can say how far it got.
   */
  snapshot(bucket: number, at: number, after: string | null, limit: number): Placed<SnapshotRow[]> {
    return this.#read(bucket, [], () => this.#snapshot(bucket, at, after ?? '', limit))
  }

  #snapshot(bucket: number, at: number, after: string, limit: number): SnapshotRow[] {
    return this.#stored.sql
      .exec<SnapshotColumns>(
        `SELECT r.content_hash, coalesce((SELECT s.previous_creator_did FROM acts s
           WHERE r.updated_at >= ?1 AND r.held_from > 0 AND s.record = r.id AND s.action = 'settle'
             AND s.recorded_at >= ?1 ORDER BY s.version LIMIT 1), r.creator_did) AS creator_did, CASE
           WHEN r.updated_at >= ?1 THEN (SELECT a.state FROM acts a
             WHERE a.record = r.id AND a.recorded_at < ?1 ORDER BY a.version DESC LIMIT 1)
           WHEN r.status = 'published' THEN r.preferences END AS preferences
         FROM records r WHERE r.bucket = ?4 AND r.content_hash > ?2 AND r.created_at < ?1
         ORDER BY r.content_hash LIMIT ?3`,
        at,
        after,
        limit,
        bucket,
      )
      .toArray()
      .map(({ content_hash: hash, creator_did: creatorDid, preferences }) => ({
        hash,
        creatorDid,
        preferences: preferencesOf(preferences),
      }))
  }

  /** Identifiers with claims that are not settled, in order. A claim exists only beside a record with an owner. */
  disputes(after: string | null, limit: number): DisputesHere {
    const buckets = this.#ownership.answered()
    if (!this.#stored.exists) return { disputes: [], buckets }
    const rows = this.#stored.sql
      .exec<DisputeRow>(
        `WITH disputed AS (
           SELECT r.id FROM claims c JOIN records r ON r.id = c.record JOIN owned o ON o.bucket = r.bucket
           WHERE c.act_hash IS NOT NULL AND c.settled_at IS NULL AND o.state IN ('open', 'sealed') AND r.content_hash > ?1
           GROUP BY r.id ORDER BY r.content_hash LIMIT ?2)
         SELECT r.content_hash, r.creator_did AS holder, r.created_at,
           CASE WHEN r.status = 'published' THEN r.preferences END AS held, c.creator_did, c.preferences, c.recorded_at
         FROM claims c JOIN records r ON r.id = c.record
         WHERE c.act_hash IS NOT NULL AND c.settled_at IS NULL AND c.record IN (SELECT id FROM disputed)
         ORDER BY r.content_hash, c.recorded_at, c.creator_did`,
        after ?? '',
        limit,
      )
      .toArray()
    const disputes = [...Map.groupBy(rows, ({ content_hash: hash }) => hash)].map(([hash, some]) =>
      disputeOf(hash, some),
    )
    return { disputes, buckets }
  }

  #read<T>(bucket: number, nothing: T, work: () => T): Placed<T> {
    const elsewhere = this.#ownership.refusesRead(bucket)
    if (elsewhere) return err(elsewhere)
    return ok(this.#stored.exists ? work() : nothing)
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
