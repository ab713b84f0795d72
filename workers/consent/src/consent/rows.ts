/**
 * What the database returns, and the records and history entries that it stands for.
 *
 * @module
 */
import type { ConsentAct, ConsentSigner, Preferences } from '@svc/protocol/consent/consent'
import type { ConsentEntry } from '@svc/protocol/consent/history-page'
import type { ConsentSettleStatement } from '@svc/protocol/consent/settlement'
import type { Standing } from './rules.ts'

export interface StoredRecord extends Standing {
  readonly hash: string
  readonly preferences: Preferences
  readonly createdAt: number
  readonly updatedAt: number
}

/** A record with the act that produced its current state. */
export interface FullRecord extends StoredRecord {
  readonly act: Omit<ConsentAct, 'version' | 'recorded_at'> | null
}

/** What listings and batches read of a record. */
export type BriefRecord = Pick<StoredRecord, 'hash' | 'creatorDid' | 'preferences' | 'version' | 'updatedAt'>

interface RecordRow {
  content_hash: string
  creator_did: string | null
  preferences: string
  status: 'published' | 'revoked'
  version: number
  held_from: number
  last_act: string | null
  created_at: number
  updated_at: number
  remembers_act: 0 | 1
}
/** A row of the history: an act of a creator, or a settlement. */
export type EntryRow = { version: number; public_key: string; signature: string; recorded_at: number } & (
  | (ActRow & { settlement: null })
  | { action: 'settle'; settlement: string; previous_creator_did: string; user_id: string }
)
interface ActRow {
  version: number
  action: ConsentAct['action']
  signed_preferences: string | null
  signature: string
  signer: string
  public_key: string
  recorded_at: number
}
export type FullRow = RecordRow & { [K in keyof ActRow]: ActRow[K] | null } & { version: number }
export interface SnapshotColumns {
  content_hash: string
  creator_did: string | null
  preferences: string | null
}
export interface BriefRow {
  content_hash: string
  creator_did: string | null
  preferences: string
  version: number
  updated_at: number
}

export interface SnapshotRow {
  readonly hash: string
  readonly creatorDid: string | null
  readonly preferences: Preferences | null
}

export const preferencesOf = (text: string | null) => (text === null ? null : (JSON.parse(text) as Preferences))

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

export function fullOf(row: FullRow): FullRecord {
  const { action, signature, signer, public_key, signed_preferences } = row
  const hasAct = action !== null && signature !== null && signer !== null && public_key !== null
  return {
    ...briefOf(row, JSON.parse(row.preferences) as Preferences),
    status: row.status,
    heldFrom: row.held_from,
    lastAct: row.last_act,
    remembersAct: row.remembers_act === 1,
    createdAt: row.created_at,
    act: hasAct ? signedOf({ action, signature, signer, public_key, signed_preferences }) : null,
  }
}

export function entryOf(row: EntryRow): ConsentEntry {
  const { version, signature, public_key, recorded_at } = row
  if (row.action !== 'settle') return { version, ...signedOf(row), recorded_at }
  return {
    version,
    action: row.action,
    previous_creator_did: row.previous_creator_did,
    statement: JSON.parse(row.settlement) as ConsentSettleStatement,
    signature_b64u: signature,
    signer: { kind: 'operator', user_id: row.user_id },
    public_key_b64u: public_key,
    recorded_at,
  }
}

function signedOf(row: Omit<ActRow, 'version' | 'recorded_at'>) {
  return {
    action: row.action,
    preferences: preferencesOf(row.signed_preferences),
    signature_b64u: row.signature,
    signer: JSON.parse(row.signer) as ConsentSigner,
    public_key_b64u: row.public_key,
  }
}
