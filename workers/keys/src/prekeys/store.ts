import type { Sql } from '@svc/objects'
import type { PrekeyKind, Profile, SignedPrekeyBatch, SuiteId } from '@svc/protocol/keys/packages'

export interface Suite {
  readonly deviceId: string
  readonly profile: Profile
  readonly suiteId: SuiteId
}

/** A stored prekey; `proof` is its audit path in the batch. */
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

/** Nothing is left of the batch, and no reservation that is still shown is of it. */
const USED_UP = `NOT EXISTS (SELECT 1 FROM prekeys p WHERE p.batch_id = b.batch_id AND p.state = 'free')
  AND NOT EXISTS (SELECT 1 FROM prekeys p JOIN reservations r ON r.prekey_id = p.prekey_id
                  WHERE p.batch_id = b.batch_id)`

/** The pools of one account in its object's SQLite. Every method runs inside the caller's transaction. */
export class PrekeyStore {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
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

  /** How many one-time prekeys of a pool are kept for contacts. */
  kept(suite: Suite): number {
    const [row] = this.#sql
      .exec<{ kept: number }>(
        'SELECT kept FROM pools WHERE device_id = ? AND profile = ? AND suite_id = ?',
        suite.deviceId,
        suite.profile,
        suite.suiteId,
      )
      .toArray()
    return row?.kept ?? 0
  }

  keep(suite: Suite, kept: number): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO pools (device_id, profile, suite_id, kept) VALUES (?, ?, ?, ?)',
      suite.deviceId,
      suite.profile,
      suite.suiteId,
      kept,
    )
  }

  /** Takes the oldest prekey of a kind, which nobody else can get any more. A last-resort prekey stays. */
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

  /** Marks every key of a device as spent, so that nobody gets one again. */
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

  /** Marks every one-time key as spent: which of them were handed out is not known. Devices upload others. */
  spendOneTime(): void {
    this.#sql.exec(`UPDATE prekeys SET state = 'spent' WHERE state = 'free' AND kind = 'one-time'`)
  }

  /** Marks every key of the account as spent, and keeps nothing for anyone. */
  end(): void {
    this.#sql.exec(`UPDATE prekeys SET state = 'spent' WHERE state = 'free'`)
    this.#sql.exec('DELETE FROM pools')
  }

  /** When the oldest of the batches that `forget` deletes was issued; null if there is none. */
  earliestUsedUp(): number | null {
    return this.#sql
      .exec<{ issued: number | null }>(`SELECT min(b.issued_at) AS issued FROM batches b WHERE ${USED_UP}`)
      .one().issued
  }

  /** Deletes batches with nothing left to hand out, and their keys. */
  forget(before: number): void {
    const old = `SELECT b.batch_id FROM batches b WHERE b.issued_at < ? AND ${USED_UP}`
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
