/**
 * The rules of a vault: who may publish the next key, and which note is accepted. The stores enforce the same conditions
 * in the statement that writes; these functions say which one failed.
 *
 * @module
 */
import {
  MAX_MEMBER_NOTE_BYTES,
  MAX_MEMBER_NOTES,
  MAX_VAULT_BYTES,
  MAX_VAULT_GENERATIONS,
  type VaultKey,
  type VaultNote,
} from '@svc/protocol/keys/epoch-vault'

const SKEW_MS = 300_000

/** The newest key of a vault. */
export interface NewestKey {
  readonly generation: number
  readonly hash: string
  /** JSON array of the DIDs that it is for, sorted. */
  readonly covered: string
  readonly reportedBy: string | null
}

/** A vault as one of its members sees it. */
export interface VaultState {
  readonly epoch: number
  readonly closesAt: number
  /** JSON array of the current members' DIDs, sorted. */
  readonly members: string
  readonly newest: NewestKey | null
}

/** What is stored of a note, and how much there is already. */
export interface NoteUsage {
  readonly stored: {
    readonly author: string
    readonly version: number
    readonly hash: string
    readonly bytes: number
  } | null
  readonly notesOfAuthor: number
  readonly bytesOfAuthor: number
  readonly bytesOfVault: number
}

export type VaultLimit = 'generations' | 'notes' | 'memberBytes' | 'vaultBytes' | 'reports'
export type VaultFull = { readonly reason: 'vault_full'; readonly limit: VaultLimit }
export type KeyRefusal =
  | VaultFull
  | {
      readonly reason:
        | 'vault_closed'
        | 'owner_mismatch'
        | 'statement_expired'
        | 'vault_generation_stale'
        | 'vault_members_changed'
        | 'vault_rekey_unneeded'
    }
export type NoteRefusal =
  | VaultFull
  | {
      readonly reason:
        | 'vault_closed'
        | 'owner_mismatch'
        | 'statement_expired'
        | 'vault_rekey_needed'
        | 'vault_generation_stale'
        | 'vault_note_stale'
    }

/** Whether notes may be written under the newest key. */
export function isCovered({ members, newest }: VaultState): boolean {
  return newest !== null && newest.covered === members && newest.reportedBy === null
}

/** The members that a statement is for, in the form in which the database compares them. */
export function coveredBy({ members }: VaultKey): string {
  return JSON.stringify(members.map(({ did }) => did))
}

/** Whether this key may be the next one. Its signature and its wraps are checked elsewhere. */
export function keyRefusal(state: VaultState, key: VaultKey, caller: string, now: number): KeyRefusal | null {
  if (key.publisher !== caller) return { reason: 'owner_mismatch' }
  if (key.issuedAt > now + SKEW_MS) return { reason: 'statement_expired' }
  if (now >= state.closesAt) return { reason: 'vault_closed' }
  const { newest } = state
  if (key.generation !== (newest?.generation ?? 0) + 1 || key.previous !== (newest?.hash ?? null))
    return { reason: 'vault_generation_stale' }
  if (coveredBy(key) !== state.members) return { reason: 'vault_members_changed' }
  if (isCovered(state)) return { reason: 'vault_rekey_unneeded' }
  return key.generation > MAX_VAULT_GENERATIONS ? { reason: 'vault_full', limit: 'generations' } : null
}

/** Whether this version of a note is accepted. Its signature is checked elsewhere. */
export function noteRefusal(
  state: VaultState,
  usage: NoteUsage,
  { note, bytes, caller }: { readonly note: VaultNote; readonly bytes: number; readonly caller: string },
  now: number,
): NoteRefusal | null {
  const { stored } = usage
  if (note.author !== caller || (stored && stored.author !== caller)) return { reason: 'owner_mismatch' }
  if (note.issuedAt > now + SKEW_MS) return { reason: 'statement_expired' }
  if (now >= state.closesAt) return { reason: 'vault_closed' }
  if (!isCovered(state)) return { reason: 'vault_rekey_needed' }
  if (note.generation !== state.newest?.generation) return { reason: 'vault_generation_stale' }
  if (note.version !== (stored?.version ?? 0) + 1) return { reason: 'vault_note_stale' }
  const limit = limitReached(usage, bytes)
  return limit ? { reason: 'vault_full', limit } : null
}

function limitReached(
  { stored, notesOfAuthor, bytesOfAuthor, bytesOfVault }: NoteUsage,
  bytes: number,
): VaultLimit | null {
  const added = bytes - (stored?.bytes ?? 0)
  if (!stored && notesOfAuthor >= MAX_MEMBER_NOTES) return 'notes'
  if (added > 0 && bytesOfAuthor + added > MAX_MEMBER_NOTE_BYTES) return 'memberBytes'
  return added > 0 && bytesOfVault + added > MAX_VAULT_BYTES ? 'vaultBytes' : null
}
