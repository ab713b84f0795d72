import type { Sql } from '@svc/objects'
import type { ReservationEntry, ReservationReceipt } from '@svc/protocol/keys/directory'
import type { PrekeyKind, Profile, SuiteId } from '@svc/protocol/keys/packages'
import type { Standing } from './rules.ts'

export interface ReservationRow extends ReservationEntry {
  /** The requester's name for the request, and SHA3-384 over JCS of its parameters. */
  readonly key: string
  readonly bodyHash: string
  readonly leafId: string
  /** The receipt given to the requester, once it is signed. */
  readonly receipt: ReservationReceipt | null
  /** As it was then: it counts towards the limit of those with the same standing. */
  readonly standing: Standing
}

type ReservationSql = {
  seq: number
  reservation_id: string
  requester: string
  requester_device: string | null
  idem_key: string
  body_hash: string
  device_id: string
  profile: Profile
  suite_id: SuiteId
  kind: PrekeyKind
  prekey_id: string
  leaf_id: string
  reserved_at: number
  expires_at: number
  receipt: string | null
  standing: Standing
}

const COLUMNS = `seq, reservation_id, requester, requester_device, idem_key, body_hash, device_id, profile, suite_id,
  kind, prekey_id, leaf_id, reserved_at, expires_at, receipt, standing`

/** Who reserved which prekey, in the object of the account that owns the prekey. */
export class ReservationStore {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  find(accountDid: string, requester: string, key: string): ReservationRow | null {
    const [row] = this.#sql
      .exec<ReservationSql>(`SELECT ${COLUMNS} FROM reservations WHERE requester = ? AND idem_key = ?`, requester, key)
      .toArray()
    return row ? rowOf(accountDid, row) : null
  }

  /** How many were made since a time, by one requester, and by all with one standing. */
  since(
    time: number,
    requester: string,
    standing: Standing,
  ): { readonly byRequester: number; readonly byStanding: number } {
    const { by_requester, by_standing } = this.#sql
      .exec<{ by_requester: number; by_standing: number }>(
        `SELECT coalesce(sum(requester = ?2), 0) AS by_requester, coalesce(sum(standing = ?3), 0) AS by_standing
         FROM reservations WHERE reserved_at > ?1`,
        time,
        requester,
        standing,
      )
      .one()
    return { byRequester: by_requester, byStanding: by_standing }
  }

  add(row: ReservationRow): void {
    this.#sql.exec(
      `INSERT INTO reservations (reservation_id, requester, requester_device, idem_key, body_hash, device_id, profile,
         suite_id, kind, prekey_id, leaf_id, reserved_at, expires_at, standing)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      row.reservationId,
      row.requesterDid,
      row.requesterDevice,
      row.key,
      row.bodyHash,
      row.deviceId,
      row.profile,
      row.suiteId,
      row.kind,
      row.prekeyId,
      row.leafId,
      row.reservedAt,
      row.expiresAt,
      row.standing,
    )
  }

  /** Signing is randomized, so the first receipt stored is the one that every retry returns. */
  keepReceipt(reservationId: string, receipt: ReservationReceipt): ReservationReceipt {
    this.#sql.exec(
      'UPDATE reservations SET receipt = ? WHERE reservation_id = ? AND receipt IS NULL',
      JSON.stringify(receipt),
      reservationId,
    )
    const { receipt: kept } = this.#sql
      .exec<{ receipt: string }>('SELECT receipt FROM reservations WHERE reservation_id = ?', reservationId)
      .one()
    return JSON.parse(kept) as ReservationReceipt
  }

  /** Of one device, newest first, before a position. */
  page(accountDid: string, deviceId: string, before: number, limit: number): { row: ReservationRow; seq: number }[] {
    return this.#sql
      .exec<ReservationSql>(
        `SELECT ${COLUMNS} FROM reservations WHERE device_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
        deviceId,
        before,
        limit,
      )
      .toArray()
      .map((row) => ({ row: rowOf(accountDid, row), seq: row.seq }))
  }

  /** Drops the receipts of expired reservations: each takes 6 kB and is no longer returned. */
  forget(now: number, before: number): void {
    this.#sql.exec('UPDATE reservations SET receipt = NULL WHERE expires_at <= ? AND receipt IS NOT NULL', now)
    this.#sql.exec('DELETE FROM reservations WHERE reserved_at < ?', before)
  }

  /** When the first receipt expires, and the time of the oldest reservation; null if there is none. */
  earliest(): { readonly receipt: number | null; readonly reservation: number | null } {
    return this.#sql
      .exec<{ receipt: number | null; reservation: number | null }>(
        `SELECT (SELECT min(expires_at) FROM reservations WHERE receipt IS NOT NULL) AS receipt,
                (SELECT min(reserved_at) FROM reservations) AS reservation`,
      )
      .one()
  }
}

function rowOf(accountDid: string, row: ReservationSql): ReservationRow {
  return {
    reservationId: row.reservation_id,
    accountDid,
    deviceId: row.device_id,
    requesterDid: row.requester,
    requesterDevice: row.requester_device,
    profile: row.profile,
    suiteId: row.suite_id,
    kind: row.kind,
    prekeyId: row.prekey_id,
    leafId: row.leaf_id,
    reservedAt: row.reserved_at,
    expiresAt: row.expires_at,
    key: row.idem_key,
    bodyHash: row.body_hash,
    standing: row.standing,
    receipt: row.receipt === null ? null : (JSON.parse(row.receipt) as ReservationReceipt),
  }
}
