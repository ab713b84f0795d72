import { reaching } from '@svc/protocol/base/dependency-fault'
import { type ConsentClaim, MAX_CLAIM_ACTS, MAX_CLAIMS } from '@svc/protocol/consent/claims'
import type { ConsentSigner, Preferences } from '@svc/protocol/consent/consent'
import type { Amounts } from './budget-rules.ts'
import { type Databases, databaseOf } from './shards.ts'
import { hasRoom } from './usage-store.ts'

export interface NewClaim {
  readonly hash: string
  readonly creatorDid: string
  readonly preferences: Preferences | null
  readonly publicKeyB64u: string
  readonly signatureB64u: string
  readonly actHash: string
  readonly signer: ConsentSigner
}

interface ClaimRow {
  creator_did: string
  preferences: string
  public_key: string
  signature: string
  signer: string
  recorded_at: number
  settled_at: number | null
}

/** What is left of a claim that is withdrawn, or whose claimant got the identifier: the acts that count no more. */
export const CLEARED = 'act_hash = NULL, preferences = NULL, public_key = NULL, signature = NULL, signer = NULL'

const KEEP = `INSERT INTO consent_claims
    (content_hash, creator_did, act_hash, preferences, public_key, signature, signer, recorded_at, spent)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, json_array(?3)
  WHERE EXISTS (SELECT 1 FROM consent_records WHERE content_hash = ?1 AND creator_did <> ?2)
    AND NOT EXISTS (SELECT 1 FROM consent_acts WHERE content_hash = ?1 AND act_hash = ?3)
    AND (${hasRoom('records + claims < ?9')} OR EXISTS (SELECT 1 FROM consent_claims
      WHERE content_hash = ?1 AND creator_did = ?2 AND act_hash IS NOT NULL))
  ON CONFLICT (content_hash, creator_did) DO UPDATE SET act_hash = excluded.act_hash, preferences = excluded.preferences,
    public_key = excluded.public_key, signature = excluded.signature, signer = excluded.signer,
    recorded_at = max(consent_claims.recorded_at, excluded.recorded_at), settled_at = NULL,
    spent = json_insert(consent_claims.spent, '$[#]', ?3)
  WHERE json_array_length(consent_claims.spent) < ${MAX_CLAIM_ACTS}
    AND NOT EXISTS (SELECT 1 FROM json_each(consent_claims.spent) WHERE value = ?3)`

const EVICT = `DELETE FROM consent_claims WHERE content_hash = ?1 AND creator_did IN (
    SELECT creator_did FROM consent_claims WHERE content_hash = ?1
    ORDER BY recorded_at DESC, creator_did LIMIT -1 OFFSET ${MAX_CLAIMS})`

/** Competing claims, in the database of the record that they compete with. */
export class ClaimStore {
  readonly #databases: Databases

  constructor(databases: Databases) {
    this.#databases = databases
  }

  /** One transaction: keeps the claim if nobody has seen it before. Returns whether it is kept, now or since before. */
  async keep(
    { hash, creatorDid, actHash, signer, ...claim }: NewClaim,
    { consentRecords }: Pick<Amounts, 'consentRecords'>,
    now: number,
  ): Promise<boolean> {
    const db = databaseOf(this.#databases, hash)
    const { preferences, publicKeyB64u, signatureB64u } = claim
    const values = [
      JSON.stringify(preferences),
      publicKeyB64u,
      signatureB64u,
      JSON.stringify(signer),
      now,
      consentRecords,
    ]
    const [, , found] = await reaching('consent', () =>
      db.batch<{ one: number }>([
        db.prepare(KEEP).bind(hash, creatorDid, actHash, ...values),
        db.prepare(EVICT).bind(hash),
        db
          .prepare('SELECT 1 AS one FROM consent_claims WHERE content_hash = ? AND creator_did = ? AND act_hash = ?')
          .bind(hash, creatorDid, actHash),
      ]),
    )
    return found !== undefined && found.results.length > 0
  }

  /** Whether this claimant has a claim that is not withdrawn. */
  async has(hash: string, creatorDid: string): Promise<boolean> {
    const statement = databaseOf(this.#databases, hash)
      .prepare('SELECT 1 FROM consent_claims WHERE content_hash = ? AND creator_did = ? AND act_hash IS NOT NULL')
      .bind(hash, creatorDid)
    return (await reaching('consent', () => statement.first())) !== null
  }

  /** False if there is no such claim, or if this signature revoked or withdrew something here before. */
  async withdraw(
    { hash, creatorDid, actHash }: Pick<NewClaim, 'hash' | 'creatorDid' | 'actHash'>,
    now: number,
  ): Promise<boolean> {
    const statement = databaseOf(this.#databases, hash)
      .prepare(
        `UPDATE consent_claims SET ${CLEARED}, recorded_at = max(recorded_at, ?4),
           spent = json_insert(spent, '$[#]', ?3)
         WHERE content_hash = ?1 AND creator_did = ?2 AND act_hash IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM json_each(spent) WHERE value = ?3)
           AND NOT EXISTS (SELECT 1 FROM consent_acts WHERE content_hash = ?1 AND act_hash = ?3)`,
      )
      .bind(hash, creatorDid, actHash, now)
    const { meta } = await reaching('consent', () => statement.run())
    return meta.changes > 0
  }

  /** Claims that were recorded by a time, oldest first. */
  async list(hash: string, at: number): Promise<ConsentClaim[]> {
    const statement = databaseOf(this.#databases, hash)
      .prepare(
        `SELECT creator_did, preferences, public_key, signature, signer, recorded_at, settled_at FROM consent_claims
         WHERE content_hash = ? AND act_hash IS NOT NULL AND recorded_at <= ? ORDER BY recorded_at, creator_did`,
      )
      .bind(hash, at)
    const { results } = await reaching('consent', () => statement.all<ClaimRow>())
    return results.map((row) => claimOf(row, at))
  }
}

function claimOf(row: ClaimRow, at: number): ConsentClaim {
  const { creator_did, public_key: public_key_b64u, signature: signature_b64u, recorded_at, settled_at } = row
  return {
    creator_did,
    preferences: JSON.parse(row.preferences) as Preferences,
    signature_b64u,
    signer: JSON.parse(row.signer) as ConsentSigner,
    public_key_b64u,
    recorded_at,
    settled_at: settled_at !== null && settled_at <= at ? settled_at : null,
  }
}
