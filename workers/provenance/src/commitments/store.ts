import { reaching } from '@svc/protocol/base/dependency-fault'
import { HASH_ALG } from '@svc/protocol/base/labels'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { commitmentIdOf, MAX_COMMITMENTS } from '@svc/protocol/provenance/commitments'
import type { StoredCommitment } from './rules.ts'

interface Row {
  id: string
  did: string | null
  commitment_hash: string
  algorithm: string
  profile: 'native' | 'historical'
  created_at: number
}

const COMMITMENT = 'id, did, commitment_hash, algorithm, profile, created_at'

/** Commitments in D1. A commitment never changes. */
export class CommitmentStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** Creates the commitment or returns the existing one. Refuses if the owner is at the limit. */
  async make(
    did: string,
    commitmentHash: string,
    now: number,
  ): Promise<Result<{ commitment: StoredCommitment; duplicate: boolean }, { reason: 'commitment_limit' }>> {
    const id = commitmentIdOf(did, commitmentHash)
    const [made, found] = await reaching('commitments', () =>
      this.#db.batch<Row>([
        this.#db
          .prepare(
            `INSERT INTO commitments (id, did, commitment_hash, algorithm, profile, created_at)
             SELECT ?1, ?2, ?3, ?4, 'native', ?5
             WHERE (SELECT count(*) FROM commitments WHERE did = ?2) < ?6
             ON CONFLICT DO NOTHING RETURNING id`,
          )
          .bind(id, did, commitmentHash, HASH_ALG, now, MAX_COMMITMENTS),
        this.#db.prepare(`SELECT ${COMMITMENT} FROM commitments WHERE id = ?`).bind(id),
      ]),
    )
    const row = found?.results[0]
    if (!row) return err({ reason: 'commitment_limit' })
    return ok({ commitment: commitmentOf(row), duplicate: made?.results.length === 0 })
  }

  async find(id: string): Promise<StoredCommitment | null> {
    const row = await reaching('commitments', () =>
      this.#db.prepare(`SELECT ${COMMITMENT} FROM commitments WHERE id = ?`).bind(id).first<Row>(),
    )
    return row && commitmentOf(row)
  }
}

function commitmentOf({ commitment_hash: commitmentHash, created_at: createdAt, ...row }: Row): StoredCommitment {
  return { ...row, commitmentHash, createdAt }
}
