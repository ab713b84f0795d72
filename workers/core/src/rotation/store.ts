import type { ObjectStorage, Sql, TableGroup } from '@svc/objects'
import type { SignedDeactivation } from '@svc/protocol/chain/deactivation'
import type {
  RotationRecord,
  RotationStatus,
  SignedCosign,
  SignedRotationRequest,
  SignedVeto,
} from '@svc/protocol/chain/rotation'
import { isRotationRequest } from '@svc/protocol/chain/rotation-verification'
import type { ChangeState } from '@svc/protocol/events/events'
import type { EventStore } from '../events/store.ts'
import { type Approval, COLUMNS, type RotationRow, rotationOf, summaryOf } from './rows.ts'
import type { Rotation } from './rules.ts'

export const ROTATIONS: TableGroup = {
  name: 'rotations',
  steps: [
    {
      name: 'rotations and their signatures',
      sql: `
        CREATE TABLE rotations (
          position INTEGER PRIMARY KEY, rotation_id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, status TEXT NOT NULL,
          basis TEXT NOT NULL, version INTEGER NOT NULL, epoch INTEGER NOT NULL, new_user_id TEXT, request TEXT NOT NULL,
          requested_at INTEGER NOT NULL, deadline INTEGER, contested_at INTEGER, required_cosigners INTEGER NOT NULL,
          eligible TEXT NOT NULL, witnesses TEXT NOT NULL, approval TEXT, activated_at INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX rotations_one_pending ON rotations (status) WHERE status = 'pending';
        CREATE INDEX rotations_by_epoch ON rotations (epoch, status);
        CREATE TABLE rotation_signatures (
          position INTEGER PRIMARY KEY, rotation_id TEXT NOT NULL, kind TEXT NOT NULL, signer TEXT NOT NULL,
          signed TEXT NOT NULL, accepted_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX rotation_signatures_by_rotation ON rotation_signatures (rotation_id, position);`,
    },
  ],
}

/** What is stored of a request when it is opened. */
export type Opening = Omit<
  Rotation,
  'status' | 'contestedAt' | 'cosigners' | 'freezes' | 'cancels' | 'approvedAt' | 'activatedAt'
>

/** Rotations of one identity with all signatures for and against them, in its object's SQLite. */
export class RotationStore {
  readonly #sql: Sql
  readonly #events: EventStore

  constructor(stored: ObjectStorage, events: EventStore) {
    this.#sql = stored.tables(ROTATIONS)
    this.#events = events
  }

  find(rotationId: string): Rotation | null {
    return this.#first(`SELECT ${COLUMNS} FROM rotations WHERE rotation_id = ?`, rotationId)
  }

  pending(): Rotation | null {
    return this.#first(`SELECT ${COLUMNS} FROM rotations WHERE status = 'pending'`)
  }

  /** The pending deactivation, once its deadline has passed. */
  dueDeactivation(now: number): Rotation | null {
    return this.#first(
      `SELECT ${COLUMNS} FROM rotations WHERE status = 'pending' AND kind = 'deactivation' AND deadline <= ?`,
      now,
    )
  }

  /** When the pending deactivation becomes due, if that is after a time. */
  nextEnd(after: number): number | null {
    const [row] = this.#sql
      .exec<{ at: number }>(
        `SELECT deadline AS at FROM rotations WHERE status = 'pending' AND kind = 'deactivation' AND deadline > ?`,
        after,
      )
      .toArray()
    return row?.at ?? null
  }

  latest(): Rotation | null {
    return this.#first(`SELECT ${COLUMNS} FROM rotations ORDER BY position DESC LIMIT 1`)
  }

  /** Every one, in order. */
  all(): Rotation[] {
    return this.#all(`SELECT ${COLUMNS} FROM rotations ORDER BY position`)
  }

  /** The rotation that activated the root key of an epoch. */
  activated(epoch: number): Rotation | null {
    return this.#first(
      `SELECT ${COLUMNS} FROM rotations WHERE status = 'active' AND kind = 'rotation' AND epoch = ?`,
      epoch,
    )
  }

  /** Requests for an epoch that have ended each other: at most two of each strength. */
  disputed(epoch: number): Rotation[] {
    return this.#all(`SELECT ${COLUMNS} FROM rotations WHERE epoch = ? AND status = 'disputed'`, epoch)
  }

  /** How many requests for an epoch were opened since a time that one factor can open, over and over. */
  openedSince(time: number, epoch: number): number {
    const [row] = this.#sql
      .exec<{ n: number }>(
        `SELECT count(*) AS n FROM rotations r WHERE requested_at > ? AND epoch = ? AND (basis <> 'full' OR version = 1)
           AND (basis = 'replacement' OR NOT EXISTS (
             SELECT 1 FROM rotation_signatures s WHERE s.rotation_id = r.rotation_id AND s.kind = 'cosign'))`,
        time,
        epoch,
      )
      .toArray()
    return row?.n ?? 0
  }

  /**
   * Deletes what ended without a co-signature before a time: nobody can be asked about it any more. A dispute decides until
   * its epoch is over.
   */
  prune(time: number, currentEpoch: number): void {
    const ended = `SELECT rotation_id FROM rotations r WHERE requested_at <= ?1
      AND (status IN ('frozen', 'cancelled', 'displaced') OR (status = 'disputed' AND epoch <= ?2))
      AND (basis = 'replacement' OR NOT EXISTS (
        SELECT 1 FROM rotation_signatures s WHERE s.rotation_id = r.rotation_id AND s.kind = 'cosign'))`
    this.#sql.exec(`DELETE FROM rotation_signatures WHERE rotation_id IN (${ended})`, time, currentEpoch)
    this.#sql.exec(`DELETE FROM rotations WHERE rotation_id IN (${ended})`, time, currentEpoch)
  }

  /** Also opens one again that ended: with a new window, and the witnesses of now. */
  open(rotation: Opening, request: SignedRotationRequest | SignedDeactivation): void {
    this.#sql.exec(
      `INSERT INTO rotations (rotation_id, status, version, epoch, new_user_id, request, requested_at, deadline,
         required_cosigners, eligible, witnesses, kind, basis)
       VALUES (?1, 'pending', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
       ON CONFLICT (rotation_id) DO UPDATE SET status = 'pending', requested_at = ?6, deadline = ?7, contested_at = NULL,
         required_cosigners = ?8, eligible = ?9, witnesses = ?10,
         position = (SELECT max(position) + 1 FROM rotations)`,
      rotation.rotationId,
      rotation.version,
      rotation.epoch,
      rotation.newUserId,
      JSON.stringify(request),
      rotation.requestedAt,
      rotation.deadline,
      rotation.requiredCosigners,
      JSON.stringify(rotation.eligible),
      JSON.stringify(rotation.witnesses),
      rotation.kind,
      rotation.basis,
    )
    this.#tell(rotation.rotationId, 'pending', rotation.requestedAt)
  }

  /** Also revives a rotation that ended; the newest is what an operator approved last. */
  approve(rotationId: string, approval: Approval): void {
    this.#sql.exec(
      `UPDATE rotations SET status = 'pending', approval = ?, position = (SELECT max(position) + 1 FROM rotations)
       WHERE rotation_id = ?`,
      JSON.stringify(approval),
      rotationId,
    )
    this.#tell(rotationId, 'pending', approval.approvedAt)
  }

  displace(rotationId: string, now: number): void {
    this.#setStatus(rotationId, 'displaced')
    this.#tell(rotationId, 'displaced', now)
  }

  /** Ends it together with a rival. */
  dispute(rotationId: string, now: number): void {
    this.#setStatus(rotationId, 'disputed')
    this.#tell(rotationId, 'disputed', now)
  }

  /** Ends the rotation. */
  stop(signed: SignedVeto, signer: string, now: number): void {
    this.#signVeto(signed, signer, now)
    const isCancel = signed.statement.type === 'svc/rotation-cancel/v1'
    this.#setStatus(signed.statement.rotationId, isCancel ? 'cancelled' : 'frozen')
    this.#tell(signed.statement.rotationId, isCancel ? 'cancelled' : 'frozen', now)
  }

  /** Moves the deadline. */
  contest(signed: SignedVeto, signer: string, deadline: number, now: number): void {
    this.#signVeto(signed, signer, now)
    this.#sql.exec(
      'UPDATE rotations SET deadline = ?, contested_at = ? WHERE rotation_id = ?',
      deadline,
      now,
      signed.statement.rotationId,
    )
    this.#tell(signed.statement.rotationId, 'contested', now)
  }

  cosign(signed: SignedCosign, now: number): void {
    const { rotationId, signedBy } = signed.statement
    this.#sign(rotationId, 'cosign', signedBy, signed, now)
  }

  activate(rotationId: string, now: number): void {
    this.#sql.exec("UPDATE rotations SET activated_at = ?, status = 'active' WHERE rotation_id = ?", now, rotationId)
    this.#tell(rotationId, 'active', now)
  }

  /** The request of a rotation; null for a deactivation. */
  request(rotationId: string): SignedRotationRequest | null {
    const [row] = this.#sql
      .exec<{ request: string }>('SELECT request FROM rotations WHERE rotation_id = ?', rotationId)
      .toArray()
    const request = row ? (JSON.parse(row.request) as RotationRecord['request']) : null
    return request && isRotationRequest(request) ? request : null
  }

  /** Of a rotation that was written before. */
  recordOf(rotationId: string): RotationRecord {
    const rotation = this.find(rotationId)
    if (!rotation) throw new Error('Rotation missing right after it was written')
    return this.record(rotation)
  }

  record(rotation: Rotation): RotationRecord {
    const [row] = this.#sql
      .exec<{ request: string; approval: string | null }>(
        'SELECT request, approval FROM rotations WHERE rotation_id = ?',
        rotation.rotationId,
      )
      .toArray()
    if (!row) throw new Error('Rotation without its request')
    const signed = this.#sql
      .exec<{ kind: string; signed: string }>(
        'SELECT kind, signed FROM rotation_signatures WHERE rotation_id = ? ORDER BY position',
        rotation.rotationId,
      )
      .toArray()
    return {
      ...summaryOf(rotation),
      request: JSON.parse(row.request) as RotationRecord['request'],
      cosigned: signed.filter(({ kind }) => kind === 'cosign').map((one) => JSON.parse(one.signed) as SignedCosign),
      vetoes: signed.filter(({ kind }) => kind !== 'cosign').map((one) => JSON.parse(one.signed) as SignedVeto),
      approval: row.approval === null ? null : (JSON.parse(row.approval) as Approval),
    }
  }

  #signVeto(signed: SignedVeto, signer: string, now: number): void {
    const kind = signed.statement.type === 'svc/rotation-cancel/v1' ? 'cancel' : 'freeze'
    this.#sign(signed.statement.rotationId, kind, signer, signed, now)
  }

  #sign(rotationId: string, kind: 'cosign' | 'freeze' | 'cancel', signer: string, signed: object, now: number): void {
    this.#sql.exec(
      'INSERT INTO rotation_signatures (rotation_id, kind, signer, signed, accepted_at) VALUES (?, ?, ?, ?, ?)',
      rotationId,
      kind,
      signer,
      JSON.stringify(signed),
      now,
    )
  }

  /** In the transaction of the act, so that no act goes untold. */
  #tell(rotationId: string, state: ChangeState, now: number): void {
    const { kind } = this.#sql
      .exec<{ kind: Rotation['kind'] }>('SELECT kind FROM rotations WHERE rotation_id = ?', rotationId)
      .one()
    this.#events.add(`${kind}.${state}`, rotationId, now)
  }

  #setStatus(rotationId: string, status: RotationStatus): void {
    this.#sql.exec('UPDATE rotations SET status = ? WHERE rotation_id = ?', status, rotationId)
  }

  #first(query: string, ...bindings: SqlStorageValue[]): Rotation | null {
    const [rotation] = this.#all(query, ...bindings)
    return rotation ?? null
  }

  #all(query: string, ...bindings: SqlStorageValue[]): Rotation[] {
    return this.#sql
      .exec<RotationRow>(query, ...bindings)
      .toArray()
      .map((row) => rotationOf(row, this.#signatures(row.rotation_id)))
  }

  #signatures(rotationId: string) {
    return this.#sql
      .exec<{ kind: string; signer: string }>(
        'SELECT kind, signer FROM rotation_signatures WHERE rotation_id = ? ORDER BY position',
        rotationId,
      )
      .toArray()
  }
}
