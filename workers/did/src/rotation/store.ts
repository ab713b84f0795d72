import { reaching } from '@svc/protocol/base/dependency-fault'

export interface RotationNote {
  readonly did: string
  readonly epoch: number
  readonly rotationId: string
  readonly activatedAt: number
}

/** Rotations reported as active, in D1. Resolution reads core, never this. */
export class RotationStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** When it was first recorded. Idempotent. */
  async record({ did, epoch, rotationId, activatedAt }: RotationNote, now: number): Promise<number> {
    const statement = this.#db
      .prepare(
        `INSERT INTO rotations (did, epoch, rotation_id, activated_at, recorded_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (did, epoch) DO UPDATE SET rotation_id = rotation_id RETURNING recorded_at`,
      )
      .bind(did, epoch, rotationId, activatedAt, now)
    const row = await reaching('rotations', () => statement.first<{ recorded_at: number }>())
    if (!row) throw new Error('a rotation was not recorded')
    return row.recorded_at
  }
}
