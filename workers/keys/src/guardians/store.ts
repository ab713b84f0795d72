import { reaching } from '@svc/protocol/base/dependency-fault'
import {
  type GuardianStatus,
  MAX_OPEN_REQUESTS,
  type SignedGuardianAttestation,
  type SignedGuardianRequest,
} from '@svc/protocol/keys/guardians'

/** Expired requests that one write deletes: a few rows each. */
const FORGOTTEN_AT_ONCE = 20

export type KeptAttestation = GuardianStatus['attestations'][number]

interface NewRequest {
  readonly requestId: string
  readonly signed: SignedGuardianRequest
  /** Epoch of the root key that signed it. */
  readonly rootEpoch: number
}

/** Guardian requests and attestations in D1. */
export class GuardianStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** Idempotent. Returns false if the root key of this epoch has as many open requests as it may. */
  async open({ requestId, signed, rootEpoch }: NewRequest, forgetBefore: number, now: number): Promise<boolean> {
    const old = 'SELECT request_id FROM guardian_requests WHERE expires_at < ?1 LIMIT ?2'
    const forget = [
      `DELETE FROM guardian_attestations WHERE request_id IN (${old})`,
      `DELETE FROM guardian_requests WHERE request_id IN (${old})`,
    ]
    const { did, expiresAt } = signed.statement
    const insert = this.#db
      .prepare(
        `INSERT INTO guardian_requests (request_id, did, root_epoch, signed, expires_at, created_at)
         SELECT ?1, ?2, ?7, ?3, ?4, ?5
         WHERE (SELECT count(*) FROM guardian_requests WHERE did = ?2 AND expires_at > ?5 AND root_epoch = ?7) < ?6
         ON CONFLICT DO NOTHING`,
      )
      .bind(requestId, did, JSON.stringify(signed), expiresAt, now, MAX_OPEN_REQUESTS, rootEpoch)
    const find = this.#db.prepare('SELECT 1 AS one FROM guardian_requests WHERE request_id = ?').bind(requestId)
    const results = await reaching('guardians', () =>
      this.#db.batch([
        ...forget.map((sql) => this.#db.prepare(sql).bind(forgetBefore, FORGOTTEN_AT_ONCE)),
        insert,
        find,
      ]),
    )
    return (results.at(-1)?.results.length ?? 0) > 0
  }

  async find(
    requestId: string,
  ): Promise<{ readonly request: SignedGuardianRequest; readonly attestations: KeptAttestation[] } | null> {
    const [requests, attestations] = await reaching('guardians', () =>
      this.#db.batch<Record<string, string | number>>([
        this.#db.prepare('SELECT signed FROM guardian_requests WHERE request_id = ?').bind(requestId),
        this.#db
          .prepare(
            `SELECT signed, public_key, attested_at FROM guardian_attestations WHERE request_id = ?
             ORDER BY attested_at, guardian_did`,
          )
          .bind(requestId),
      ]),
    )
    const row = requests?.results[0]
    if (!row) return null
    return {
      request: JSON.parse(String(row['signed'])) as SignedGuardianRequest,
      attestations: (attestations?.results ?? []).map((one) => ({
        attestation: JSON.parse(String(one['signed'])) as SignedGuardianAttestation,
        publicKeyB64u: String(one['public_key']),
        attestedAt: Number(one['attested_at']),
      })),
    }
  }

  /** Of concurrent calls for one guardian exactly one succeeds, and none after the request has ended. */
  async attest(signed: SignedGuardianAttestation, publicKeyB64u: string, now: number): Promise<boolean> {
    const { requestId, guardianDid } = signed.statement
    const insert = this.#db
      .prepare(
        `INSERT INTO guardian_attestations (request_id, guardian_did, signed, public_key, attested_at)
         SELECT ?1, ?2, ?3, ?4, ?5 WHERE EXISTS
           (SELECT 1 FROM guardian_requests WHERE request_id = ?1 AND expires_at > ?5)
         ON CONFLICT DO NOTHING RETURNING 1 AS one`,
      )
      .bind(requestId, guardianDid, JSON.stringify(signed), publicKeyB64u, now)
    const { results } = await reaching('guardians', () => insert.all())
    return results.length === 1
  }
}
