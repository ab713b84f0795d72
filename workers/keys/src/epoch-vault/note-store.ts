import { reaching } from '@svc/protocol/base/dependency-fault'
import { statementHash } from '@svc/protocol/base/statement'
import {
  MAX_MEMBER_NOTE_BYTES,
  MAX_MEMBER_NOTES,
  MAX_PAGE_VAULT_NOTES,
  MAX_VAULT_BYTES,
  type PutVaultNote,
  type SignedVaultNote,
  type StoredVaultNote,
  type VaultNoteHead,
} from '@svc/protocol/keys/epoch-vault'
import { MEMBERS_NOW } from './member-store.ts'
import type { NoteUsage } from './rules.ts'

/** The newest version of each note. Content is ciphertext. */
export class VaultNoteStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /**
   * Stores a version, if all of the rules still hold at this moment: the author is a member, the key is the newest and
   * for exactly the members, the version is the next one, and there is room. Of concurrent calls one is stored; storing
   * the same statement again changes nothing. Returns the version that is stored then, if it is this one.
   */
  async put(
    { statement, signatureB64u, ciphertextB64u }: PutVaultNote,
    bytes: number,
    now: number,
  ): Promise<VaultNoteHead | null> {
    const { epoch, noteId, author, version, generation } = statement
    const hash = statementHash(statement)
    const write = this.#db
      .prepare(
        `INSERT INTO epoch_vault_notes (epoch, note_id, author, version, hash, bytes, signed, ciphertext, written_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
         WHERE EXISTS (SELECT 1 FROM epochs WHERE epoch = ?1 AND closes_at > ?9)
           AND EXISTS (SELECT 1 FROM epoch_vault_members WHERE epoch = ?1 AND did = ?3)
           AND EXISTS (SELECT 1 FROM epoch_vault_keys WHERE epoch = ?1 AND generation = ?10 AND reported_by IS NULL
             AND generation = (SELECT max(generation) FROM epoch_vault_keys WHERE epoch = ?1) AND members = ${MEMBERS_NOW})
           AND ?4 = coalesce((SELECT version FROM epoch_vault_notes WHERE epoch = ?1 AND note_id = ?2), 0) + 1
           AND (?4 > 1 OR (SELECT count(*) FROM epoch_vault_notes WHERE epoch = ?1 AND author = ?3) < ?11)
           AND (?6 <= ${BYTES_NOW} OR (
             (SELECT total(bytes) FROM epoch_vault_notes WHERE epoch = ?1 AND author = ?3) + ?6 - ${BYTES_NOW} <= ?12
             AND (SELECT total(bytes) FROM epoch_vault_notes WHERE epoch = ?1) + ?6 - ${BYTES_NOW} <= ?13))
         ON CONFLICT (epoch, note_id) DO UPDATE SET version = ?4, hash = ?5, bytes = ?6, signed = ?7, ciphertext = ?8,
           written_at = ?9 WHERE author = ?3`,
      )
      .bind(
        epoch,
        noteId,
        author,
        version,
        hash,
        bytes,
        JSON.stringify({ statement, signatureB64u }),
        ciphertextB64u,
        now,
        generation,
        MAX_MEMBER_NOTES,
        MAX_MEMBER_NOTE_BYTES,
        MAX_VAULT_BYTES,
      )
    const find = this.#db
      .prepare('SELECT signed, bytes, written_at FROM epoch_vault_notes WHERE epoch = ? AND note_id = ? AND hash = ?')
      .bind(epoch, noteId, hash)
    const results = await reaching('epoch vaults', () => this.#db.batch<HeadRow>([write, find]))
    const row = results.at(-1)?.results[0]
    return row ? headOf(row) : null
  }

  /** What the bounds of a write are counted from. */
  async usage(epoch: number, noteId: string, author: string): Promise<NoteUsage> {
    const [stored, own, all] = await reaching('epoch vaults', () =>
      this.#db.batch([
        this.#db
          .prepare('SELECT author, version, hash, bytes FROM epoch_vault_notes WHERE epoch = ? AND note_id = ?')
          .bind(epoch, noteId),
        this.#db
          .prepare(
            `SELECT count(*) AS notes, coalesce(sum(bytes), 0) AS bytes FROM epoch_vault_notes
             WHERE epoch = ? AND author = ?`,
          )
          .bind(epoch, author),
        this.#db.prepare('SELECT coalesce(sum(bytes), 0) AS bytes FROM epoch_vault_notes WHERE epoch = ?').bind(epoch),
      ]),
    )
    const mine = own?.results[0] as { readonly notes: number; readonly bytes: number } | undefined
    return {
      stored: (stored?.results[0] as NoteUsage['stored'] | undefined) ?? null,
      notesOfAuthor: mine?.notes ?? 0,
      bytesOfAuthor: mine?.bytes ?? 0,
      bytesOfVault: (all?.results[0] as { readonly bytes: number } | undefined)?.bytes ?? 0,
    }
  }

  /** In the order of their ids, without content. */
  async page(epoch: number, after: string): Promise<{ readonly notes: VaultNoteHead[]; readonly next: string | null }> {
    const find = this.#db
      .prepare(
        `SELECT note_id, signed, bytes, written_at FROM epoch_vault_notes WHERE epoch = ? AND note_id > ?
         ORDER BY note_id LIMIT ?`,
      )
      .bind(epoch, after, MAX_PAGE_VAULT_NOTES + 1)
    const { results } = await reaching('epoch vaults', () => find.all<HeadRow & { readonly note_id: string }>())
    const shown = results.slice(0, MAX_PAGE_VAULT_NOTES)
    const next = results.length > MAX_PAGE_VAULT_NOTES ? (shown.at(-1)?.note_id ?? null) : null
    return { notes: shown.map(headOf), next }
  }

  async find(epoch: number, noteId: string): Promise<StoredVaultNote | null> {
    const find = this.#db
      .prepare('SELECT signed, bytes, written_at, ciphertext FROM epoch_vault_notes WHERE epoch = ? AND note_id = ?')
      .bind(epoch, noteId)
    const row = await reaching('epoch vaults', () => find.first<HeadRow & { readonly ciphertext: string }>())
    return row ? { ...headOf(row), ciphertextB64u: row.ciphertext } : null
  }

  /** Returns whose note it is, or null if there is none; it is gone then if it was the author's. */
  async delete(epoch: number, noteId: string, author: string): Promise<string | null> {
    const find = this.#db
      .prepare('SELECT author FROM epoch_vault_notes WHERE epoch = ? AND note_id = ?')
      .bind(epoch, noteId)
    const erase = this.#db
      .prepare('DELETE FROM epoch_vault_notes WHERE epoch = ? AND note_id = ? AND author = ?')
      .bind(epoch, noteId, author)
    const [found] = await reaching('epoch vaults', () => this.#db.batch<{ readonly author: string }>([find, erase]))
    return found?.results[0]?.author ?? null
  }
}

/** What the version before takes: its place is free for the next one. */
const BYTES_NOW = 'coalesce((SELECT bytes FROM epoch_vault_notes WHERE epoch = ?1 AND note_id = ?2), 0)'

interface HeadRow {
  readonly signed: string
  readonly bytes: number
  readonly written_at: number
}

function headOf({ signed, bytes, written_at: writtenAt }: HeadRow): VaultNoteHead {
  return { note: JSON.parse(signed) as SignedVaultNote, bytes, writtenAt }
}
