/**
 * What the tables of a store return, and the records and history entries that it stands for.
 *
 * @module
 */
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { toHex } from '@svc/protocol/base/hash'
import type { ConsentAct, ConsentSigner, Preferences } from '@svc/protocol/consent/consent'
import type { ConsentEntry } from '@svc/protocol/consent/history-page'
import type { ConsentSettleStatement } from '@svc/protocol/consent/settlement'
import type { Standing } from '../consent/rules.ts'

export interface StoredRecord extends Standing {
  readonly hash: string
  readonly preferences: Preferences
  readonly createdAt: number
  readonly updatedAt: number
}

/** Of a signature that is in the archive: its segment and its place in there. */
export interface Archived {
  readonly place: number
}
/** With the signature, or where to find it. */
export type Signed<T extends { readonly signature_b64u: string }> = Omit<T, 'signature_b64u'> & {
  readonly signature_b64u: string | Archived
}

type RecordAct = Omit<ConsentAct, 'version' | 'recorded_at'>
/** A record with the act that produced its current state. */
export interface FullRecord extends StoredRecord {
  readonly act: RecordAct | null
}
/** The same as the store has it. */
export type KeptRecord = Omit<FullRecord, 'act'> & { readonly act: Signed<RecordAct> | null }
/** An entry of a history as the store has it. */
export type KeptEntry = ConsentEntry extends infer E
  ? E extends { readonly signature_b64u: string }
    ? Signed<E>
    : never
  : never

/** What listings and batches read of a record. */
export type BriefRecord = Pick<StoredRecord, 'hash' | 'creatorDid' | 'preferences' | 'version' | 'updatedAt'>

interface ActColumns {
  readonly action: ConsentAct['action']
  readonly signed_preferences: string | null
  readonly signature: ArrayBuffer | null
  readonly place: number | null
  readonly signer: string
  readonly public_key: ArrayBuffer
}

/** A record with its newest act. */
export type RecordRow = {
  id: number
  creator_did: string | null
  preferences: string
  status: 'published' | 'revoked'
  version: number
  held_from: number
  created_at: number
  updated_at: number
  revision: number
  last_act: ArrayBuffer | null
  action: ConsentAct['action'] | 'settle' | null
  signed_preferences: string | null
  signature: ArrayBuffer | null
  place: number | null
  signer: string | null
  public_key: ArrayBuffer | null
}

/** A row of the history: an act of a creator, or a settlement. */
export type EntryRow = {
  version: number
  action: ConsentAct['action'] | 'settle'
  signed_preferences: string | null
  signature: ArrayBuffer | null
  place: number | null
  signer: string
  public_key: ArrayBuffer
  user_id: string
  recorded_at: number
  settlement: string | null
  previous_creator_did: string | null
}

export type BriefRow = {
  content_hash: string
  creator_did: string | null
  preferences: string
  version: number
  updated_at: number
}

export interface SnapshotRow {
  readonly identifierHash: string
  readonly creatorHash: string | null
  readonly preferences: Preferences | null
}

export const preferencesOf = (text: string | null) => (text === null ? null : (JSON.parse(text) as Preferences))
export const base64urlOf = (bytes: ArrayBuffer) => encodeBase64url(new Uint8Array(bytes))

/** Most preferences are equal texts: ten thousand records need only a few parses. */
export function briefsOf(rows: readonly BriefRow[]): BriefRecord[] {
  const parsed = new Map<string, Preferences>()
  return rows.map((row) => {
    const preferences = parsed.get(row.preferences) ?? (JSON.parse(row.preferences) as Preferences)
    parsed.set(row.preferences, preferences)
    return briefOf(row, preferences)
  })
}

function briefOf({ content_hash, creator_did, version, updated_at }: BriefRow, preferences: Preferences): BriefRecord {
  return { hash: content_hash, creatorDid: creator_did, preferences, version, updatedAt: updated_at }
}

/** Of an identifier, which the caller knows. */
export function recordOf(hash: string, row: RecordRow, remembersAct: boolean): KeptRecord {
  return {
    ...briefOf({ ...row, content_hash: hash }, JSON.parse(row.preferences) as Preferences),
    status: row.status,
    heldFrom: row.held_from,
    lastAct: row.last_act && toHex(new Uint8Array(row.last_act)),
    remembersAct,
    createdAt: row.created_at,
    act: actOf(row),
  }
}

function actOf({ action, signer, public_key, signature, place, signed_preferences }: RecordRow) {
  if (action === null || action === 'settle' || signer === null || public_key === null) return null
  return signedOf({ action, signer, public_key, signature, place, signed_preferences })
}

/** An entry of the history of an identifier. */
export function entryOf(hash: string, row: EntryRow): KeptEntry {
  const { version, action, recorded_at, settlement, previous_creator_did } = row
  if (action !== 'settle') return { version, ...signedOf({ ...row, action }), recorded_at }
  return {
    version,
    action,
    previous_creator_did: previous_creator_did ?? '',
    statement: { ...(JSON.parse(settlement ?? '') as Omit<ConsentSettleStatement, 'contentHash'>), contentHash: hash },
    signature_b64u: signatureOf(row),
    signer: { kind: 'operator', user_id: row.user_id },
    public_key_b64u: base64urlOf(row.public_key),
    recorded_at,
  }
}

function signedOf(row: ActColumns): Signed<RecordAct> {
  return {
    action: row.action,
    preferences: preferencesOf(row.signed_preferences),
    signature_b64u: signatureOf(row),
    signer: JSON.parse(row.signer) as ConsentSigner,
    public_key_b64u: base64urlOf(row.public_key),
  }
}

function signatureOf({ signature, place }: Pick<ActColumns, 'signature' | 'place'>): string | Archived {
  if (signature !== null) return base64urlOf(signature)
  if (place === null) throw new Error('an act has no signature')
  return { place }
}
