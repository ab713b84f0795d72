import type {
  RotationRecord,
  RotationStatus,
  RotationSummary,
  SignedCosign,
  SignedRotationRequest,
  SignedVeto,
} from '@svc/protocol/rotation'
import type { Rotation } from './rotation.ts'

export type Approval = NonNullable<RotationRecord['approval']>

interface Row {
  [column: string]: SqlStorageValue
  rotation_id: string
  status: RotationStatus
  version: 1 | 2
  epoch: number
  new_user_id: string
  request: string
  requested_at: number
  deadline: number | null
  required_cosigners: number
  eligible: string
  witnesses: string
  approval: string | null
  activated_at: number | null
}

const COLUMNS = `rotation_id, status, version, epoch, new_user_id, request, requested_at, deadline, required_cosigners,
  eligible, witnesses, approval, activated_at`

/** Rotations of one identity with everything signed for and against them, in its object's SQLite. */
export class RotationStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  createTables(): void {
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS rotations (
         position INTEGER PRIMARY KEY, rotation_id TEXT NOT NULL UNIQUE, status TEXT NOT NULL, version INTEGER NOT NULL,
         epoch INTEGER NOT NULL, new_user_id TEXT NOT NULL, request TEXT NOT NULL, requested_at INTEGER NOT NULL,
         deadline INTEGER, required_cosigners INTEGER NOT NULL, eligible TEXT NOT NULL, witnesses TEXT NOT NULL, approval TEXT,
         activated_at INTEGER
       ) STRICT`,
    )
    this.#sql.exec(
      "CREATE UNIQUE INDEX IF NOT EXISTS rotations_one_pending ON rotations (status) WHERE status = 'pending'",
    )
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS rotation_signatures (
         rotation_id TEXT NOT NULL, kind TEXT NOT NULL, signer TEXT NOT NULL, signed TEXT NOT NULL,
         accepted_at INTEGER NOT NULL, PRIMARY KEY (rotation_id, kind, signer)
       ) STRICT, WITHOUT ROWID`,
    )
    this.#sql.exec('CREATE INDEX IF NOT EXISTS rotations_by_epoch ON rotations (epoch, status)')
    this.#sql.exec(
      'CREATE INDEX IF NOT EXISTS rotation_signatures_by_signer ON rotation_signatures (signer, accepted_at)',
    )
  }

  find(rotationId: string): Rotation | null {
    return this.#first(`SELECT ${COLUMNS} FROM rotations WHERE rotation_id = ?`, rotationId)
  }

  pending(): Rotation | null {
    return this.#first(`SELECT ${COLUMNS} FROM rotations WHERE status = 'pending'`)
  }

  latest(): Rotation | null {
    return this.#first(`SELECT ${COLUMNS} FROM rotations ORDER BY position DESC LIMIT 1`)
  }

  /** The rotation that brought the root key of an epoch. */
  activated(epoch: number): Rotation | null {
    return this.#first(`SELECT ${COLUMNS} FROM rotations WHERE status = 'active' AND epoch = ?`, epoch)
  }

  open(rotation: Rotation, request: SignedRotationRequest): void {
    this.#sql.exec(
      `INSERT INTO rotations (rotation_id, status, version, epoch, new_user_id, request, requested_at, deadline,
         required_cosigners, eligible, witnesses) VALUES (?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
    )
  }

  approve(rotationId: string, approval: Approval): void {
    this.#sql.exec('UPDATE rotations SET approval = ? WHERE rotation_id = ?', JSON.stringify(approval), rotationId)
  }

  veto(signed: SignedVeto, signer: string, now: number): void {
    const isCancel = signed.statement.type === 'svc/rotation-cancel/v1'
    const { rotationId } = signed.statement
    this.#sign(rotationId, isCancel ? 'cancel' : 'freeze', signer, signed, now)
    this.#setStatus(rotationId, isCancel ? 'cancelled' : 'frozen')
  }

  cosign(signed: SignedCosign, now: number): void {
    const { rotationId, signedBy } = signed.statement
    this.#sign(rotationId, 'cosign', signedBy, signed, now)
  }

  activate(rotationId: string, now: number): void {
    this.#sql.exec("UPDATE rotations SET activated_at = ?, status = 'active' WHERE rotation_id = ?", now, rotationId)
  }

  /** Freezes by one key since a time, on whatever rotation. */
  freezesSince(signer: string, since: number): number {
    return this.#sql
      .exec<{ n: number }>(
        "SELECT count(*) AS n FROM rotation_signatures WHERE signer = ? AND accepted_at > ? AND kind = 'freeze'",
        signer,
        since,
      )
      .one().n
  }

  request(rotationId: string): SignedRotationRequest | null {
    const [row] = this.#sql
      .exec<{ request: string }>('SELECT request FROM rotations WHERE rotation_id = ?', rotationId)
      .toArray()
    return row ? (JSON.parse(row.request) as SignedRotationRequest) : null
  }

  record(rotation: Rotation): RotationRecord {
    const [row] = this.#sql
      .exec<{ request: string; approval: string | null }>(
        'SELECT request, approval FROM rotations WHERE rotation_id = ?',
        rotation.rotationId,
      )
      .toArray()
    if (!row) throw new Error('a rotation without its request')
    const signed = this.#sql
      .exec<{ kind: string; signed: string }>(
        'SELECT kind, signed FROM rotation_signatures WHERE rotation_id = ? ORDER BY accepted_at, signer',
        rotation.rotationId,
      )
      .toArray()
    return {
      ...summaryOf(rotation),
      request: JSON.parse(row.request) as SignedRotationRequest,
      cosigned: signed.filter(({ kind }) => kind === 'cosign').map((one) => JSON.parse(one.signed) as SignedCosign),
      vetoes: signed.filter(({ kind }) => kind !== 'cosign').map((one) => JSON.parse(one.signed) as SignedVeto),
      approval: row.approval === null ? null : (JSON.parse(row.approval) as Approval),
    }
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

  #setStatus(rotationId: string, status: RotationStatus): void {
    this.#sql.exec('UPDATE rotations SET status = ? WHERE rotation_id = ?', status, rotationId)
  }

  #first(query: string, ...bindings: SqlStorageValue[]): Rotation | null {
    const [row] = this.#sql.exec<Row>(query, ...bindings).toArray()
    if (!row) return null
    const signatures = this.#sql
      .exec<{ kind: string; signer: string }>(
        'SELECT kind, signer FROM rotation_signatures WHERE rotation_id = ? ORDER BY accepted_at, signer',
        row.rotation_id,
      )
      .toArray()
    const signersOf = (kind: string) => signatures.filter((one) => one.kind === kind).map(({ signer }) => signer)
    return {
      rotationId: row.rotation_id,
      status: row.status,
      version: row.version,
      epoch: row.epoch,
      newUserId: row.new_user_id,
      requestedAt: row.requested_at,
      deadline: row.deadline,
      requiredCosigners: row.required_cosigners,
      eligible: JSON.parse(row.eligible) as string[],
      witnesses: JSON.parse(row.witnesses) as string[],
      cosigners: signersOf('cosign'),
      freezes: signersOf('freeze').length,
      cancels: signersOf('cancel').length,
      approvedAt: row.approval === null ? null : (JSON.parse(row.approval) as Approval).approvedAt,
      activatedAt: row.activated_at,
    }
  }
}

export function summaryOf(rotation: Rotation): RotationSummary {
  const { eligible: _, witnesses: __, cosigners, ...rest } = rotation
  return { ...rest, cosignatures: cosigners.length }
}
