import type { Sql } from '@svc/objects'
import { bytesOf } from '@svc/protocol/base/base64url'
import { type ConsentClaim, MAX_CLAIM_ACTS, MAX_CLAIMS } from '@svc/protocol/consent/claims'
import type { ConsentSigner, Preferences } from '@svc/protocol/consent/consent'
import { base64urlOf } from './rows.ts'

export interface NewClaim {
  readonly hash: string
  readonly creatorDid: string
  readonly preferences: Preferences | null
  readonly publicKeyB64u: string
  readonly signatureB64u: string
  readonly actHash: string
  readonly signer: ConsentSigner
}

type Standing = { act_hash: string | null; recorded_at: number; spent: string }
type ClaimRow = {
  creator_did: string
  preferences: string
  public_key: ArrayBuffer
  signature: ArrayBuffer
  signer: string
  recorded_at: number
  settled_at: number | null
}

/** What is left of a claim that is withdrawn, or whose claimant got the identifier: the acts that count no more. */
const CLEARED = 'act_hash = NULL, preferences = NULL, key = NULL, signature = NULL, signer = NULL'

/** Competing claims, beside the record that they compete with. Everything runs inside a transaction of the store. */
export class ClaimTable {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Whether this claimant has a claim that is not withdrawn. */
  has(record: number, creatorDid: string): boolean {
    return (this.#find(record, creatorDid)?.act_hash ?? null) !== null
  }

  /** Keeps the claim if nobody has seen it before. Without room, it may only take the place of one by the same claimant. */
  keep(
    record: number,
    { creatorDid, actHash, ...claim }: NewClaim,
    key: number,
    hasRoom: boolean,
    now: number,
  ): boolean {
    const known = this.#find(record, creatorDid)
    if (!hasRoom && (known?.act_hash ?? null) === null) return false
    const spent = known ? (JSON.parse(known.spent) as string[]) : []
    if (spent.includes(actHash) || spent.length >= MAX_CLAIM_ACTS) return false
    this.#sql.exec(
      `INSERT INTO claims (record, creator_did, act_hash, preferences, key, signature, signer, recorded_at, spent)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
       ON CONFLICT (record, creator_did) DO UPDATE SET act_hash = ?3, preferences = ?4, key = ?5, signature = ?6, signer = ?7,
         recorded_at = max(recorded_at, ?8), settled_at = NULL, spent = ?9`,
      record,
      creatorDid,
      actHash,
      JSON.stringify(claim.preferences),
      key,
      bytesOf(claim.signatureB64u),
      JSON.stringify(claim.signer),
      now,
      JSON.stringify([...spent, actHash]),
    )
    return true
  }

  /** Whether the newest claim of this claimant is this one. */
  isNewest(record: number, { creatorDid, actHash }: Pick<NewClaim, 'creatorDid' | 'actHash'>): boolean {
    return this.#find(record, creatorDid)?.act_hash === actHash
  }

  /** Keeps the newest claimants; returns who was dropped. */
  evict(record: number): string[] {
    return this.#sql
      .exec<{ creator_did: string }>(
        `DELETE FROM claims WHERE id IN (SELECT id FROM claims WHERE record = ?
           ORDER BY recorded_at DESC, creator_did LIMIT -1 OFFSET ${MAX_CLAIMS}) RETURNING creator_did`,
        record,
      )
      .toArray()
      .map(({ creator_did: did }) => did)
  }

  /** False if there is no such claim, or if this signature was spent on it before. */
  withdraw(record: number, { creatorDid, actHash }: Pick<NewClaim, 'creatorDid' | 'actHash'>, now: number): boolean {
    const known = this.#find(record, creatorDid)
    const spent = known ? (JSON.parse(known.spent) as string[]) : []
    if (!known || known.act_hash === null || spent.includes(actHash)) return false
    this.#sql.exec(
      `UPDATE claims SET ${CLEARED}, recorded_at = max(recorded_at, ?3), spent = ?4 WHERE record = ?1 AND creator_did = ?2`,
      record,
      creatorDid,
      now,
      JSON.stringify([...spent, actHash]),
    )
    return true
  }

  /**
   * The identifier stays with this creator, or goes to them. The operator has seen the claims of others that were recorded
   * before the statement; who gets the identifier declares it from now on.
   */
  settle(record: number, holder: string, statedAt: number, now: number): void {
    this.#sql.exec(
      `UPDATE claims SET settled_at = max(recorded_at, ?4)
       WHERE record = ?1 AND creator_did <> ?2 AND act_hash IS NOT NULL AND settled_at IS NULL AND recorded_at <= ?3`,
      record,
      holder,
      statedAt,
      now,
    )
    this.#sql.exec(`UPDATE claims SET ${CLEARED} WHERE record = ? AND creator_did = ?`, record, holder)
  }

  /** Claims that were recorded by a time, oldest first. */
  list(record: number, at: number): ConsentClaim[] {
    return this.#sql
      .exec<ClaimRow>(
        `SELECT c.creator_did, c.preferences, k.public_key, c.signature, c.signer, c.recorded_at, c.settled_at
         FROM claims c JOIN keys k ON k.id = c.key
         WHERE c.record = ? AND c.act_hash IS NOT NULL AND c.recorded_at <= ? ORDER BY c.recorded_at, c.creator_did`,
        record,
        at,
      )
      .toArray()
      .map((row) => claimOf(row, at))
  }

  #find(record: number, creatorDid: string): Standing | null {
    const select = 'SELECT act_hash, recorded_at, spent FROM claims WHERE record = ? AND creator_did = ?'
    return this.#sql.exec<Standing>(select, record, creatorDid).toArray()[0] ?? null
  }
}

function claimOf({ creator_did, recorded_at, settled_at, ...row }: ClaimRow, at: number): ConsentClaim {
  return {
    creator_did,
    preferences: JSON.parse(row.preferences) as Preferences,
    signature_b64u: base64urlOf(row.signature),
    signer: JSON.parse(row.signer) as ConsentSigner,
    public_key_b64u: base64urlOf(row.public_key),
    recorded_at,
    settled_at: settled_at !== null && settled_at <= at ? settled_at : null,
  }
}
