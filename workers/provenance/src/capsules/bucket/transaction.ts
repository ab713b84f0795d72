/**
 * The transactions of a bucket of capsules. A registration is admitted, its body is written, and it is completed once: no
 * reader sees it before, and nothing about it changes after. Callers have verified signatures and hold a unit of quota.
 *
 * @module
 */
import type { ObjectStorage } from '@svc/objects'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { TakedownReason } from '@svc/protocol/operator/takedown'
import type { ChainBinding } from '@svc/protocol/provenance/capsules'
import { LOOSE_MS } from '@svc/service'
import { Outgoing } from './outgoing.ts'
import {
  CAPSULE_COLUMNS,
  type CapsuleRow,
  type Claim,
  type ClaimedCapsule,
  capsuleOf,
  type NewCapsule,
  type StoredCapsule,
} from './rows.ts'
import { CAPSULE_BUCKET } from './schema.ts'

export type TakenDown = { readonly reason: 'taken_down'; readonly why: TakedownReason }

export class BucketTransaction {
  readonly #stored: ObjectStorage
  readonly outgoing: Outgoing

  constructor(stored: ObjectStorage) {
    this.#stored = stored
    this.outgoing = new Outgoing(stored.sql)
  }

  /** The registration of an asset by one identity, or the earliest. */
  find(assetId: string, did: string | undefined): StoredCapsule | null {
    if (!this.#stored.exists) return null
    const where = did === undefined ? 'asset_id = ?1 ORDER BY position LIMIT 1' : 'asset_id = ?1 AND did = ?2'
    const values = did === undefined ? [assetId] : [assetId, did]
    const [row] = this.#stored.sql
      .exec<CapsuleRow>(`SELECT ${CAPSULE_COLUMNS} FROM capsules WHERE ${where}`, ...values)
      .toArray()
    return row ? capsuleOf(row) : null
  }

  /** The same, with the first `limit` claims to the asset and how many there are. */
  claimed(assetId: string, did: string | undefined, limit: number): ClaimedCapsule | null {
    const stored = this.find(assetId, did)
    if (!stored) return null
    const claims = this.#stored.sql
      .exec<Claim & Record<string, SqlStorageValue>>(
        `SELECT did, capsule_hash AS capsuleHash, position, registered_at AS registeredAt FROM capsules
         WHERE asset_id = ? ORDER BY position LIMIT ?`,
        assetId,
        limit,
      )
      .toArray()
    return { stored, claims, count: this.#count(assetId) }
  }

  /** Before the body is written under its key: what is not completed within an hour is deleted. False if it is registered. */
  admit({ assetId, did, bodyKey }: NewCapsule, now: number): Result<boolean, TakenDown> {
    return this.#stored.transact((): Result<boolean, TakenDown> => {
      this.#stored.create(CAPSULE_BUCKET)
      const why = this.#takenDown(assetId)
      if (why !== null) return err({ reason: 'taken_down', why })
      if (this.find(assetId, did)) return ok(false)
      this.outgoing.expect(bodyKey, assetId, now + LOOSE_MS)
      return ok(true)
    })
  }

  /**
   * Registers what was admitted at the next position of the asset. Null if another call was first, with this capsule or
   * another, or if it is too late; its body is then due.
   */
  complete(capsule: NewCapsule, chain: ChainBinding | null, now: number): Result<StoredCapsule | null, TakenDown> {
    return this.#stored.transact((): Result<StoredCapsule | null, TakenDown> => {
      this.#stored.create(CAPSULE_BUCKET)
      const { assetId, did, kind, capsuleHash, bodyKey } = capsule
      const why = this.#takenDown(assetId)
      if (why !== null) return err({ reason: 'taken_down', why })
      if (this.find(assetId, did) || !this.outgoing.named(bodyKey, now)) return ok(null)
      this.#stored.sql.exec(
        `INSERT INTO capsules (${CAPSULE_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5,
           max(coalesce((SELECT max(position) FROM capsules WHERE asset_id = ?1), 0),
             coalesce((SELECT last FROM positions WHERE asset_id = ?1), 0)) + 1, ?6, ?7, ?8, ?9)`,
        assetId,
        did,
        kind,
        capsuleHash,
        bodyKey,
        now,
        chain?.index ?? null,
        chain?.hash ?? null,
        chain?.acceptedAt ?? null,
      )
      this.outgoing.tell({ assetId, did, revision: this.#nextRevision(now), isHeld: true, bodyKey }, now)
      return ok(this.find(assetId, did))
    })
  }

  /** What will not be completed: its body is condemned, unless it was completed after all. Returns whether it is. */
  discard(bodyKey: string, now: number): boolean {
    return this.#stored.exists && this.outgoing.condemnExpected(bodyKey, now)
  }

  /** Deletes a registration; its body and its vectors are to be deleted. The position is not used again. Null if there is none. */
  remove(assetId: string, did: string, now: number): StoredCapsule | null {
    return this.#stored.transact(() => {
      const found = this.find(assetId, did)
      if (!found) return null
      this.#stored.sql.exec(
        `INSERT INTO positions (asset_id, last) SELECT asset_id, max(position) FROM capsules WHERE asset_id = ?
         GROUP BY asset_id ON CONFLICT DO UPDATE SET last = max(last, excluded.last)`,
        assetId,
      )
      this.#stored.sql.exec('DELETE FROM capsules WHERE asset_id = ? AND did = ?', assetId, did)
      const { bodyKey, position } = found
      this.outgoing.condemn(bodyKey, assetId, now)
      this.outgoing.removeVectors(assetId, did, position, now)
      this.outgoing.tell({ assetId, did, revision: this.#nextRevision(now), isHeld: false, bodyKey }, now)
      return found
    })
  }

  /**
   * Deletes every registration of the asset, for good, in statements over all of them. False if there is none, it was not
   * taken down before, and `isKnown` does not say that it is known otherwise.
   */
  takeDown(assetId: string, reason: TakedownReason, isKnown: boolean, now: number): boolean {
    return this.#stored.transact(() => {
      if (!this.#stored.exists && !isKnown) return false
      this.#stored.create(CAPSULE_BUCKET)
      if (this.#takenDown(assetId) !== null) return true
      if (!isKnown && this.find(assetId, undefined) === null) return false
      const { sql } = this.#stored
      sql.exec('INSERT INTO takedowns (asset_id, reason) VALUES (?, ?)', assetId, reason)
      this.outgoing.condemnAll(assetId, this.#nextRevision(now), now)
      sql.exec('DELETE FROM capsules WHERE asset_id = ?', assetId)
      sql.exec('DELETE FROM positions WHERE asset_id = ?', assetId)
      return true
    })
  }

  #takenDown(assetId: string): TakedownReason | null {
    const select = 'SELECT reason FROM takedowns WHERE asset_id = ?'
    return this.#stored.sql.exec<{ reason: TakedownReason }>(select, assetId).toArray()[0]?.reason ?? null
  }

  #count(assetId: string): number {
    return this.#stored.sql.exec<{ n: number }>('SELECT count(*) AS n FROM capsules WHERE asset_id = ?', assetId).one()
      .n
  }

  /** Revisions grow with time too, so that they go on growing in a bucket that was restored to an earlier one. */
  #nextRevision(now: number): number {
    const revision = Math.max((this.#stored.facts.get<number>('revision') ?? 0) + 1, now)
    this.#stored.facts.put('revision', revision)
    return revision
  }
}
