import type { Sql } from '@svc/objects'
import type { RecordColumns } from '../store/rows.ts'
import type { BucketTally, MovedAct, MovedClaim, MovedKey, MovedRecord } from './moved-records.ts'

/** A record of the source, before it is packed. */
export interface Packable {
  readonly id: number
  readonly hash: string
  readonly revision: number
}

export interface Packed {
  readonly records: MovedRecord[]
  readonly keys: MovedKey[]
  /** How many of the records are whole; the last one may lack acts. */
  readonly whole: number
}

/** Acts and claims. 6 kB for each with its key: a parcel stays below two megabytes. */
const MAX_SIGNED = 300

/** Reads the records of a bucket for another store. */
export class Packing {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Records after an identifier, in order. */
  after(bucket: number, hash: string, limit: number): Packable[] {
    return this.#sql
      .exec<{ id: number; hash: string; revision: number }>(
        `SELECT id, content_hash AS hash, revision FROM records WHERE bucket = ? AND content_hash > ?
         ORDER BY content_hash LIMIT ?`,
        bucket,
        hash,
        limit,
      )
      .toArray()
  }

  /** Records that have changed since they were copied. */
  changed(bucket: number, limit: number): Packable[] {
    return this.#sql
      .exec<{ id: number; hash: string; revision: number }>(
        `SELECT r.id, r.content_hash AS hash, r.revision FROM changes c JOIN records r ON r.id = c.record
         WHERE c.bucket = ? LIMIT ?`,
        bucket,
        limit,
      )
      .toArray()
  }

  /** The records with the acts that the target lacks, as many as fit. `had` are the versions up to which it has them. */
  pack(packable: readonly Packable[], had: Readonly<Record<string, number>>): Packed {
    const records: MovedRecord[] = []
    const keys = new Map<string, ArrayBuffer>()
    let room = MAX_SIGNED
    for (const { id, hash } of packable) {
      if (room <= 0) break
      const record = this.#record(id, this.#acts(id, had[hash] ?? -1, room, keys), keys)
      room -= record.acts.length + record.claims.length
      records.push(record)
    }
    const packedKeys = [...keys].map(([userId, publicKey]) => ({ userId, publicKey }))
    // With no room left, the last record may have more acts.
    return { records, keys: packedKeys, whole: room <= 0 ? records.length - 1 : records.length }
  }

  tally(bucket: number): BucketTally {
    return this.#sql
      .exec<{ records: number; revisions: number; acts: number; claims: number }>(
        `SELECT count(*) AS records, coalesce(sum(r.revision), 0) AS revisions,
           coalesce(sum((SELECT count(*) FROM acts a WHERE a.record = r.id)), 0) AS acts,
           coalesce(sum((SELECT count(*) FROM claims c WHERE c.record = r.id)), 0) AS claims
         FROM records r WHERE r.bucket = ?`,
        bucket,
      )
      .one()
  }

  #record(id: number, acts: readonly MovedAct[], keys: Map<string, ArrayBuffer>): MovedRecord {
    const row = this.#sql
      .exec<RecordColumns>(
        `SELECT id, content_hash, creator_did, preferences, status, version, held_from, created_at, updated_at, revision
         FROM records WHERE id = ?`,
        id,
      )
      .one()
    const formerActs = this.#sql
      .exec<{ did: string; acts: number }>('SELECT creator_did AS did, acts FROM former_acts WHERE record = ?', id)
      .toArray()
    const untold = this.#sql
      .exec<{ did: string }>('SELECT creator_did AS did FROM untold WHERE record = ?', id)
      .toArray()
      .map(({ did }) => did)
    return {
      hash: row.content_hash,
      creatorDid: row.creator_did,
      preferences: row.preferences,
      status: row.status,
      version: row.version,
      heldFrom: row.held_from,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      revision: row.revision,
      acts,
      claims: this.#claims(id, keys),
      formerActs,
      untold,
    }
  }

  #acts(id: number, after: number, limit: number, keys: Map<string, ArrayBuffer>): MovedAct[] {
    return this.#sql
      .exec<{ public_key: ArrayBuffer } & { [K in keyof MovedAct]: MovedAct[K] }>(
        `SELECT a.version, a.act_hash AS actHash, a.action, a.preferences, a.state, k.user_id AS userId, a.signer,
           a.recorded_at AS recordedAt, a.settlement, a.previous_creator_did AS previousCreatorDid, a.place, s.signature,
           k.public_key
         FROM acts a JOIN keys k ON k.id = a.key LEFT JOIN signatures s ON s.act = a.id
         WHERE a.record = ? AND a.version > ? ORDER BY a.version LIMIT ?`,
        id,
        after,
        limit,
      )
      .toArray()
      .map(({ public_key: publicKey, ...act }) => {
        keys.set(act.userId, publicKey)
        return act
      })
  }

  #claims(id: number, keys: Map<string, ArrayBuffer>): MovedClaim[] {
    return this.#sql
      .exec<{ public_key: ArrayBuffer | null } & { [K in keyof MovedClaim]: MovedClaim[K] }>(
        `SELECT c.creator_did AS did, c.act_hash AS actHash, c.preferences, k.user_id AS userId, c.signature, c.signer,
           c.recorded_at AS recordedAt, c.settled_at AS settledAt, c.spent, k.public_key
         FROM claims c LEFT JOIN keys k ON k.id = c.key WHERE c.record = ? ORDER BY c.id`,
        id,
      )
      .toArray()
      .map(({ public_key: publicKey, ...claim }) => {
        if (claim.userId !== null && publicKey !== null) keys.set(claim.userId, publicKey)
        return claim
      })
  }
}
