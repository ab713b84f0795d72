import type { Sql } from '@svc/objects'
import type { MovedAct, MovedClaim, MovedKey, MovedRecord, Parcel } from './moved-records.ts'

/** Writes the records of a bucket that come from another store. Inside a transaction; each record replaces what is here. */
export class Unpacking {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** The versions up to which acts are here, of those records that are. */
  had(bucket: number, hashes: readonly string[]): Record<string, number> {
    const rows = this.#sql
      .exec<{ hash: string; version: number }>(
        `SELECT content_hash AS hash, (SELECT coalesce(max(a.version), -1) FROM acts a WHERE a.record = r.id) AS version
         FROM records r WHERE bucket = ? AND content_hash IN (SELECT value FROM json_each(?))`,
        bucket,
        JSON.stringify(hashes),
      )
      .toArray()
    return Object.fromEntries(rows.map(({ hash, version }) => [hash, version]))
  }

  /** Idempotent. `dueAt` is when creators who wait for a revision are told. */
  unpack({ bucket, records, keys }: Parcel, dueAt: number): void {
    const ids = new Map(keys.map((key) => [key.userId, this.#key(key)]))
    for (const record of records) this.#record(bucket, record, ids, dueAt)
  }

  #key({ userId, publicKey }: MovedKey): number {
    const insert = 'INSERT INTO keys (user_id, public_key) VALUES (?, ?) ON CONFLICT DO NOTHING'
    this.#sql.exec(insert, userId, publicKey)
    return this.#sql.exec<{ id: number }>('SELECT id FROM keys WHERE user_id = ?', userId).one().id
  }

  #record(bucket: number, record: MovedRecord, keys: ReadonlyMap<string, number>, dueAt: number): void {
    const [row] = this.#sql
      .exec<{ id: number }>(
        `INSERT INTO records (bucket, content_hash, creator_did, preferences, status, version, held_from, created_at,
           updated_at, revision) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (bucket, content_hash) DO UPDATE SET creator_did = ?3, preferences = ?4, status = ?5, version = ?6,
           held_from = ?7, created_at = ?8, updated_at = ?9, revision = ?10 WHERE records.revision <= ?10 RETURNING id`,
        bucket,
        record.hash,
        record.creatorDid,
        record.preferences,
        record.status,
        record.version,
        record.heldFrom,
        record.createdAt,
        record.updatedAt,
        record.revision,
      )
      .toArray()
    // A parcel that comes late must not turn the record back.
    if (!row) return
    const { id } = row
    for (const act of record.acts) this.#act(bucket, id, act, keys)
    for (const table of ['claims', 'former_acts', 'untold']) this.#sql.exec(`DELETE FROM ${table} WHERE record = ?`, id)
    for (const claim of record.claims) this.#claim(id, claim, keys)
    for (const { did, acts } of record.formerActs)
      this.#sql.exec('INSERT INTO former_acts (record, creator_did, acts) VALUES (?, ?, ?)', id, did, acts)
    for (const did of record.untold)
      this.#sql.exec('INSERT INTO untold (record, creator_did, attempts, due_at) VALUES (?, ?, 0, ?)', id, did, dueAt)
  }

  #act(bucket: number, record: number, act: MovedAct, keys: ReadonlyMap<string, number>): void {
    const [inserted] = this.#sql
      .exec<{ id: number }>(
        `INSERT INTO acts (record, version, act_hash, action, preferences, state, key, signer, recorded_at, settlement,
           previous_creator_did, place) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id`,
        record,
        act.version,
        act.actHash,
        act.action,
        act.preferences,
        act.state,
        keys.get(act.userId) ?? null,
        act.signer,
        act.recordedAt,
        act.settlement,
        act.previousCreatorDid,
        act.place,
      )
      .toArray()
    if (!inserted || act.signature === null) return
    const insert = 'INSERT INTO signatures (act, bucket, signature) VALUES (?, ?, ?)'
    this.#sql.exec(insert, inserted.id, bucket, act.signature)
  }

  #claim(record: number, claim: MovedClaim, keys: ReadonlyMap<string, number>): void {
    this.#sql.exec(
      `INSERT INTO claims (record, creator_did, act_hash, preferences, key, signature, signer, recorded_at, settled_at, spent)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      record,
      claim.did,
      claim.actHash,
      claim.preferences,
      claim.userId === null ? null : (keys.get(claim.userId) ?? null),
      claim.signature,
      claim.signer,
      claim.recordedAt,
      claim.settledAt,
      claim.spent,
    )
  }

  /** Deletes some records of a bucket with all that hangs on them; returns how many. Keys stay: others may have signed with them. */
  drop(bucket: number, limit: number): number {
    const ids = this.#sql
      .exec<{ id: number }>('SELECT id FROM records WHERE bucket = ? LIMIT ?', bucket, limit)
      .toArray()
      .map(({ id }) => id)
    for (const id of ids) {
      this.#sql.exec('DELETE FROM signatures WHERE act IN (SELECT id FROM acts WHERE record = ?)', id)
      for (const table of ['acts', 'claims', 'former_acts', 'untold'])
        this.#sql.exec(`DELETE FROM ${table} WHERE record = ?`, id)
      this.#sql.exec('DELETE FROM changes WHERE bucket = ? AND record = ?', bucket, id)
      this.#sql.exec('DELETE FROM records WHERE id = ?', id)
    }
    return ids.length
  }
}
