import type { PrekeyKind, Profile, SignedPrekeyBatch, SuiteId } from '@svc/protocol/key-packages'

export interface Suite {
  readonly deviceId: string
  readonly profile: Profile
  readonly suiteId: SuiteId
}

/** A prekey as it is kept; `proof` is its audit path in the batch. */
export interface PrekeyRow {
  readonly prekeyId: string
  readonly publicKeyB64u: string
  readonly index: number
  readonly proof: readonly string[]
}

export interface Drawn extends PrekeyRow {
  readonly kind: PrekeyKind
  readonly batch: SignedPrekeyBatch
}

type PrekeySql = { prekey_id: string; public_key: string; idx: number; proof: string; kind: PrekeyKind; signed: string }

const DRAWN = `SELECT p.prekey_id, p.public_key, p.idx, p.proof, p.kind, b.signed FROM prekeys p
               JOIN batches b ON b.batch_id = p.batch_id`

/** The pools of one account in its object's SQLite. Every method runs inside the caller's transaction. */
export class PrekeyStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  createTables(): void {
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS batches (
         batch_id INTEGER PRIMARY KEY, device_id TEXT NOT NULL, root TEXT NOT NULL, signed TEXT NOT NULL,
         issued_at INTEGER NOT NULL, UNIQUE (device_id, root)
       ) STRICT`,
    )
    // 'free' until it is handed out; a last resort stays so. What is 'spent' is kept so that it never comes back.
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS prekeys (
         prekey_id TEXT PRIMARY KEY, batch_id INTEGER NOT NULL, idx INTEGER NOT NULL, device_id TEXT NOT NULL,
         profile TEXT NOT NULL, suite_id TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL,
         public_key TEXT NOT NULL, proof TEXT NOT NULL, added_at INTEGER NOT NULL
       ) STRICT`,
    )
    this.#sql.exec(
      `CREATE INDEX IF NOT EXISTS prekeys_free ON prekeys (device_id, profile, suite_id, kind, batch_id, idx)
       WHERE state = 'free'`,
    )
    this.#sql.exec('CREATE INDEX IF NOT EXISTS prekeys_by_batch ON prekeys (batch_id)')
  }

  hasBatch(deviceId: string, root: string): boolean {
    return this.#sql.exec('SELECT 1 FROM batches WHERE device_id = ? AND root = ?', deviceId, root).toArray().length > 0
  }

  has(prekeyId: string): boolean {
    return this.#sql.exec('SELECT 1 FROM prekeys WHERE prekey_id = ?', prekeyId).toArray().length > 0
  }

  left(suite: Suite, kind: PrekeyKind): number {
    return this.#sql
      .exec<{ n: number }>(
        `SELECT count(*) AS n FROM prekeys
         WHERE state = 'free' AND device_id = ? AND profile = ? AND suite_id = ? AND kind = ?`,
        suite.deviceId,
        suite.profile,
        suite.suiteId,
        kind,
      )
      .one().n
  }

  add(deviceId: string, batch: SignedPrekeyBatch, keys: readonly PrekeyRow[], now: number): void {
    const { profile, suiteId, kind, root, issuedAt } = batch.statement
    const { batch_id } = this.#sql
      .exec<{ batch_id: number }>(
        'INSERT INTO batches (device_id, root, signed, issued_at) VALUES (?, ?, ?, ?) RETURNING batch_id',
        deviceId,
        root,
        JSON.stringify(batch),
        issuedAt,
      )
      .one()
    for (const { prekeyId, publicKeyB64u, index, proof } of keys) {
      this.#sql.exec(
        `INSERT INTO prekeys (prekey_id, batch_id, idx, device_id, profile, suite_id, kind, state, public_key, proof,
           added_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'free', ?, ?, ?)`,
        prekeyId,
        batch_id,
        index,
        deviceId,
        profile,
        suiteId,
        kind,
        publicKeyB64u,
        JSON.stringify(proof),
        now,
      )
    }
  }

  /** The oldest of a kind that is left, and from then on nobody else's; a last resort stays. */
  draw(suite: Suite, kind: PrekeyKind): Drawn | null {
    const [row] = this.#sql
      .exec<PrekeySql>(
        `${DRAWN} WHERE p.state = 'free' AND p.device_id = ? AND p.profile = ? AND p.suite_id = ? AND p.kind = ?
         ORDER BY p.batch_id, p.idx LIMIT 1`,
        suite.deviceId,
        suite.profile,
        suite.suiteId,
        kind,
      )
      .toArray()
    if (!row) return null
    if (kind === 'one-time') {
      this.#sql.exec(`UPDATE prekeys SET state = 'spent' WHERE prekey_id = ?`, row.prekey_id)
    }
    return drawnOf(row)
  }

  find(prekeyId: string): Drawn | null {
    const [row] = this.#sql.exec<PrekeySql>(`${DRAWN} WHERE p.prekey_id = ?`, prekeyId).toArray()
    return row ? drawnOf(row) : null
  }

  /** Nobody gets another key of a device: each is remembered as spent. */
  supersede(deviceId: string, kind?: PrekeyKind, suite?: Pick<Suite, 'profile' | 'suiteId'>): void {
    this.#sql.exec(
      `UPDATE prekeys SET state = 'spent' WHERE state = 'free' AND device_id = ?1 AND (?2 IS NULL OR kind = ?2)
         AND (?3 IS NULL OR profile = ?3) AND (?4 IS NULL OR suite_id = ?4)`,
      deviceId,
      kind ?? null,
      suite?.profile ?? null,
      suite?.suiteId ?? null,
    )
  }

  /** Forgets batches of which nothing is left to hand out, and their keys. */
  forget(before: number): void {
    const old = `SELECT b.batch_id FROM batches b WHERE b.issued_at < ? AND NOT EXISTS
                   (SELECT 1 FROM prekeys p WHERE p.batch_id = b.batch_id AND p.state = 'free')
                 AND NOT EXISTS (SELECT 1 FROM prekeys p JOIN reservations r ON r.prekey_id = p.prekey_id
                   WHERE p.batch_id = b.batch_id)`
    const ids = this.#sql.exec<{ batch_id: number }>(old, before).toArray()
    for (const { batch_id } of ids) {
      this.#sql.exec('DELETE FROM prekeys WHERE batch_id = ?', batch_id)
      this.#sql.exec('DELETE FROM batches WHERE batch_id = ?', batch_id)
    }
  }
}

function drawnOf({ prekey_id, public_key, idx, proof, kind, signed }: PrekeySql): Drawn {
  return {
    prekeyId: prekey_id,
    publicKeyB64u: public_key,
    index: idx,
    proof: JSON.parse(proof) as string[],
    kind,
    batch: JSON.parse(signed) as SignedPrekeyBatch,
  }
}
