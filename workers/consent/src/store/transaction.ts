/**
 * The transactions of a store. Each one decides and writes, with nothing in between.
 * Callers have verified signatures, and that the key may act for the creator, before each call.
 *
 * @module
 */
import type { ObjectStorage } from '@svc/objects'
import { userIdOfKey } from '@svc/protocol/base/identity'
import { statementHash } from '@svc/protocol/base/statement'
import type { Preferences } from '@svc/protocol/consent/consent'
import { creatorHash } from '@svc/protocol/consent/identifiers'
import type { SignedConsentSettle } from '@svc/protocol/consent/settlement'
import { decideWrite } from '../consent/rules.ts'
import { ClaimTable, type NewClaim } from './claims.ts'
import { type NewAct, RecordTable, type WrittenAct } from './records.ts'
import type { KeptRecord } from './rows.ts'
import { CONSENT_STORE } from './schema.ts'
import { UntoldTable } from './untold.ts'

export interface SettlementRequest extends SignedConsentSettle {
  /** The operator's key. */
  readonly publicKeyB64u: string
}

/** A record without an owner, as it is imported. */
export interface ImportedRecord {
  readonly bucket: number
  readonly contentHash: string
  readonly preferences: Preferences
  readonly declaredAt: number
}
export interface ImportedHere {
  readonly added: string[]
  /** There with other content. */
  readonly others: string[]
}

/** Told at once by the call that wrote; the alarm finds what that call could not deliver. */
const TELL_AFTER_MS = 5_000

export class StoreTransaction {
  readonly #stored: ObjectStorage
  readonly records: RecordTable
  readonly claims: ClaimTable
  readonly untold: UntoldTable

  constructor(stored: ObjectStorage) {
    this.#stored = stored
    this.records = new RecordTable(stored.sql)
    this.claims = new ClaimTable(stored.sql)
    this.untold = new UntoldTable(stored.sql)
  }

  /**
   * Changes the record and stores the act, or does neither. Returns the record afterwards: the act was accepted, now or by
   * a concurrent identical call, if it is the record's newest.
   */
  write(bucket: number, act: NewAct, now: number): KeptRecord | null {
    return this.#change(() => {
      const known = this.records.find(bucket, act.hash, act.actHash)
      if (decideWrite(known?.record ?? null, act).is !== 'proceed') return known?.record ?? null
      this.#apply(bucket, known, act, now)
      return this.records.find(bucket, act.hash, act.actHash)?.record ?? null
    })
  }

  #apply(bucket: number, known: { id: number; record: KeptRecord } | null, act: NewAct, now: number): void {
    const before = known?.record
    const version = (before?.version ?? 0) + 1
    const state = {
      creatorDid: act.creatorDid,
      preferences: mergedOf(before, act),
      status: act.action === 'delete' ? ('revoked' as const) : ('published' as const),
      version,
      heldFrom: before?.heldFrom ?? 0,
      updatedAt: Math.max(before?.updatedAt ?? 0, now),
    }
    const id = known?.id ?? this.records.add(bucket, act.hash, state, now)
    if (known) this.records.change(id, act.hash, state)
    const { actHash, action, preferences, publicKeyB64u, signatureB64u, signer } = act
    this.records.addAct(id, bucket, {
      version,
      actHash,
      action,
      publicKeyB64u,
      signatureB64u,
      signer: JSON.stringify(signer),
      preferences: preferences && JSON.stringify(preferences),
      state: state.status === 'published' ? JSON.stringify(state.preferences) : null,
      recordedAt: state.updatedAt,
    })
    this.#tell(id, act.hash, [act.creatorDid], now)
  }

  /**
   * Ends the record of the creator who holds the identifier and gives it to another, unless it has no owner, that creator
   * holds it already, or this settlement was made before. Claims of others are settled in each case in which that creator
   * holds it afterwards. Returns the record afterwards.
   */
  settle(bucket: number, request: SettlementRequest, now: number): KeptRecord | null {
    const { contentHash: hash, creatorDid, issuedAt } = request.statement
    const actHash = statementHash(request.statement)
    return this.#change(() => {
      const known = this.records.find(bucket, hash, actHash)
      if (!known || known.record.creatorDid === null) return known?.record ?? null
      const { id } = known
      if (known.record.creatorDid !== creatorDid && !this.records.hasAct(id, actHash)) {
        this.#pass(bucket, known, request, actHash, now)
      }
      if (this.records.find(bucket, hash, null)?.record.creatorDid === creatorDid) {
        this.claims.settle(id, creatorDid, issuedAt, now)
        this.#tell(id, hash, [creatorDid], now)
      }
      return this.records.find(bucket, hash, actHash)?.record ?? null
    })
  }

  /** Who holds it now has signed as many acts as there are since they got it. */
  #pass(
    bucket: number,
    { id, record }: { id: number; record: KeptRecord },
    { statement, signatureB64u, publicKeyB64u }: SettlementRequest,
    actHash: string,
    now: number,
  ): void {
    const { contentHash, ...settlement } = statement
    const { creatorDid } = settlement
    const former = record.creatorDid ?? ''
    const version = record.version + 1
    const updatedAt = Math.max(record.updatedAt, now)
    this.records.keepFormerActs(id, former, record.version - record.heldFrom)
    const { preferences } = record
    this.records.change(id, contentHash, {
      creatorDid,
      preferences,
      status: 'revoked',
      version,
      heldFrom: version,
      updatedAt,
    })
    const act: WrittenAct = {
      version,
      actHash,
      publicKeyB64u,
      signatureB64u,
      preferences: null,
      state: null,
      recordedAt: updatedAt,
      action: 'settle',
      signer: JSON.stringify({ kind: 'operator', user_id: userIdOfKey(publicKeyB64u) }),
      settlement: JSON.stringify(settlement),
      previousCreatorDid: former,
      previousCreatorHash: creatorHash(contentHash, former),
    }
    this.records.addAct(id, bucket, act)
    this.#tell(id, contentHash, [former, creatorDid], now)
  }

  /** Keeps a claim to what another creator holds. Returns whether it is kept, now or since before. */
  keepClaim(bucket: number, claim: NewClaim, hasRoom: boolean, now: number): boolean {
    return this.#change(() => {
      const known = this.records.find(bucket, claim.hash, null)
      const holder = known?.record.creatorDid ?? null
      if (!known || holder === null || holder === claim.creatorDid) return false
      if (!this.records.hasAct(known.id, claim.actHash)) {
        const key = this.records.keyId(claim.publicKeyB64u)
        const isNew = this.claims.keep(known.id, claim, key, hasRoom, now)
        if (isNew) this.#tell(known.id, claim.hash, [claim.creatorDid, ...this.claims.evict(known.id)], now)
      }
      return this.claims.isNewest(known.id, claim)
    })
  }

  /** False if there is no such claim, or if this signature revoked or withdrew something here before. */
  withdraw(
    bucket: number,
    { hash, ...claim }: Pick<NewClaim, 'hash' | 'creatorDid' | 'actHash'>,
    now: number,
  ): boolean {
    return this.#change(() => {
      const known = this.records.find(bucket, hash, null)
      if (!known || this.records.hasAct(known.id, claim.actHash)) return false
      if (!this.claims.withdraw(known.id, claim, now)) return false
      this.#tell(known.id, hash, [claim.creatorDid], now)
      return true
    })
  }

  /** Adds records without an owner, and changes none that is there. Updated now, whatever their age: a snapshot of a past hour is final. */
  import(records: readonly ImportedRecord[], now: number): ImportedHere {
    return this.#change(() => {
      const done: ImportedHere = { added: [], others: [] }
      for (const record of records) this.#importOne(record, done, now)
      return done
    })
  }

  #importOne(
    { bucket, contentHash, preferences, declaredAt }: ImportedRecord,
    { added, others }: ImportedHere,
    now: number,
  ): void {
    const row = this.records.row(bucket, contentHash)
    if (!row) {
      const state = {
        creatorDid: null,
        preferences,
        status: 'published',
        version: 0,
        heldFrom: 0,
        updatedAt: now,
      } as const
      this.records.add(bucket, contentHash, state, declaredAt)
      added.push(contentHash)
    } else if (
      row.creator_did !== null ||
      row.preferences !== JSON.stringify(preferences) ||
      row.created_at !== declaredAt
    ) {
      others.push(contentHash)
    }
  }

  #change<T>(work: () => T): T {
    return this.#stored.transact(() => {
      if (!this.#stored.exists) this.#stored.create(CONSENT_STORE)
      return work()
    })
  }

  #tell(id: number, hash: string, dids: readonly string[], now: number): void {
    this.records.revise(id, hash)
    for (const did of dids) this.untold.add(id, did, now + TELL_AFTER_MS)
  }
}

/** What is declared after an act: members that it does not name stay as they were, unless it declares anew. */
function mergedOf(before: KeptRecord | undefined, { action, preferences }: NewAct): Preferences {
  if (action === 'create' || !before) return preferences ?? {}
  return { ...before.preferences, ...preferences }
}
