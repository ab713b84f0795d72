import type { Caller } from '@svc/assertion'
import { bytesOf } from '@svc/protocol/base/base64url'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { verifyStatement } from '@svc/protocol/base/statement'
import {
  areWrapsOf,
  cipherHashOf,
  type PublishVaultKey,
  type PutVaultNote,
  type StoredVaultNote,
  VAULT_KEPT_MS,
  type VaultGeneration,
  type VaultGenerations,
  type VaultMembers,
  type VaultNoteHead,
  type VaultNotes,
  vaultNoteIdSchema,
} from '@svc/protocol/keys/epoch-vault'
import type { VaultKeyStore } from './key-store.ts'
import type { VaultMemberStore } from './member-store.ts'
import type { VaultNoteStore } from './note-store.ts'
import { isCovered, type KeyRefusal, keyRefusal, type NoteRefusal, noteRefusal, type VaultState } from './rules.ts'

/** Nobody but a member learns whether a vault exists. */
type Unknown = { readonly reason: 'not_found' }
type Misstated = { readonly reason: 'path_mismatch' | 'hash_mismatch' | 'invalid_signature' }
type ReportRefusal = {
  readonly reason: 'vault_closed' | 'vault_generation_stale' | 'vault_rekey_needed' | 'reports_spent'
}

/** A number or an id as it stands in the path. */
const NUMBER = /^[1-9][0-9]{0,14}$/

/** Vaults of epochs. Every method first asks whether the caller is a member of this one now. */
export class VaultService {
  readonly #members: VaultMemberStore
  readonly #keys: VaultKeyStore
  readonly #notes: VaultNoteStore
  readonly #realms: Realms

  constructor(parts: {
    readonly members: VaultMemberStore
    readonly keys: VaultKeyStore
    readonly notes: VaultNoteStore
    readonly realms: Realms
  }) {
    this.#members = parts.members
    this.#keys = parts.keys
    this.#notes = parts.notes
    this.#realms = parts.realms
  }

  async members(caller: Caller, epoch: string, now: number): Promise<Result<VaultMembers, Unknown>> {
    const state = await this.#vaultOf(caller, epoch, now)
    if (!state) return err({ reason: 'not_found' })
    const { closesAt, newest } = state
    return ok({
      epoch: state.epoch,
      closesAt,
      keptUntil: closesAt + VAULT_KEPT_MS,
      generation: newest?.generation ?? 0,
      isCovered: isCovered(state),
      members: await this.#members.list(state.epoch),
    })
  }

  async generations(
    caller: Caller,
    epoch: string,
    before: number | undefined,
    now: number,
  ): Promise<Result<VaultGenerations, Unknown>> {
    const state = await this.#vaultOf(caller, epoch, now)
    if (!state) return err({ reason: 'not_found' })
    const page = await this.#keys.page(state.epoch, caller.did, before ?? Number.MAX_SAFE_INTEGER)
    return ok({ epoch: state.epoch, ...page })
  }

  /** Idempotent: the same statement again returns the same answer. */
  async publish(
    caller: Caller,
    epoch: string,
    published: PublishVaultKey,
    now: number,
  ): Promise<Result<VaultGeneration, Unknown | Misstated | KeyRefusal>> {
    const { key, wraps } = published
    const state = await this.#vaultOf(caller, epoch, now)
    if (!state) return err({ reason: 'not_found' })
    if (key.statement.epoch !== state.epoch) return err({ reason: 'path_mismatch' })
    if (!areWrapsOf(key.statement, wraps)) return err({ reason: 'hash_mismatch' })
    const isSigned = await verifyStatement(key, bytesOf(caller.publicKeyB64u), this.#realms)
    if (!isSigned) return err({ reason: 'invalid_signature' })
    // The store decides; what it did not take is explained by the state of that moment.
    const early = keyRefusal(state, key.statement, caller.did, now)
    if (early?.reason === 'owner_mismatch' || early?.reason === 'statement_expired') return err(early)
    if (!(await this.#keys.publish(published, now))) return this.#refused(caller, published, now)
    const { generations } = await this.#keys.page(state.epoch, caller.did, key.statement.generation + 1)
    const [generation] = generations
    return generation ? ok(generation) : err({ reason: 'not_found' })
  }

  /** The newest key is not usable for this member: the next writer has to publish another. */
  async report(
    caller: Caller,
    epoch: string,
    generation: string,
    now: number,
  ): Promise<Result<{ readonly generation: number; readonly reportedBy: string }, Unknown | ReportRefusal>> {
    const state = await this.#vaultOf(caller, epoch, now)
    if (!state || !NUMBER.test(generation)) return err({ reason: 'not_found' })
    if (now >= state.closesAt) return err({ reason: 'vault_closed' })
    const noted = await this.#keys.report(state.epoch, Number(generation), caller.did)
    switch (noted) {
      case 'not_newest':
        return err({ reason: 'vault_generation_stale' })
      case 'not_covered':
        return err({ reason: 'vault_rekey_needed' })
      case 'too_many':
        return err({ reason: 'reports_spent' })
      default:
        return ok({ generation: Number(generation), reportedBy: noted.reportedBy })
    }
  }

  async notes(caller: Caller, epoch: string, after: string, now: number): Promise<Result<VaultNotes, Unknown>> {
    const state = await this.#vaultOf(caller, epoch, now)
    if (!state) return err({ reason: 'not_found' })
    return ok({ epoch: state.epoch, ...(await this.#notes.page(state.epoch, after)) })
  }

  async note(caller: Caller, epoch: string, noteId: string, now: number): Promise<Result<StoredVaultNote, Unknown>> {
    const state = await this.#vaultOf(caller, epoch, now)
    const note = state && isNoteId(noteId) ? await this.#notes.find(state.epoch, noteId) : null
    return note ? ok(note) : err({ reason: 'not_found' })
  }

  /** Idempotent: the same statement again returns the same answer. */
  async write(
    caller: Caller,
    epoch: string,
    noteId: string,
    put: PutVaultNote,
    now: number,
  ): Promise<Result<VaultNoteHead, Unknown | Misstated | NoteRefusal>> {
    const { statement: note, ciphertextB64u } = put
    const state = await this.#vaultOf(caller, epoch, now)
    if (!state || !isNoteId(noteId)) return err({ reason: 'not_found' })
    if (note.epoch !== state.epoch || note.noteId !== noteId) return err({ reason: 'path_mismatch' })
    if (cipherHashOf(ciphertextB64u) !== note.cipherHash) return err({ reason: 'hash_mismatch' })
    if (!(await verifyStatement(put, bytesOf(caller.publicKeyB64u), this.#realms)))
      return err({ reason: 'invalid_signature' })
    const written = { note, bytes: bytesOf(ciphertextB64u).length, caller: caller.did }
    const early = noteRefusal(state, await this.#notes.usage(state.epoch, noteId, caller.did), written, now)
    if (early?.reason === 'owner_mismatch' || early?.reason === 'statement_expired') return err(early)
    const stored = await this.#notes.put(put, written.bytes, now)
    if (stored) return ok(stored)
    const then = await this.#vaultOf(caller, epoch, now)
    if (!then) return err({ reason: 'not_found' })
    const refusal = noteRefusal(then, await this.#notes.usage(then.epoch, noteId, caller.did), written, now)
    return err(refusal ?? { reason: 'vault_note_stale' })
  }

  /** A note that is gone already is 404. */
  async erase(
    caller: Caller,
    epoch: string,
    noteId: string,
    now: number,
  ): Promise<
    Result<{ readonly noteId: string; readonly deleted: true }, Unknown | { readonly reason: 'owner_mismatch' }>
  > {
    const state = await this.#vaultOf(caller, epoch, now)
    const author = state && isNoteId(noteId) ? await this.#notes.delete(state.epoch, noteId, caller.did) : null
    if (author === null) return err({ reason: 'not_found' })
    return author === caller.did ? ok({ noteId, deleted: true }) : err({ reason: 'owner_mismatch' })
  }

  /** Ends the caller's own membership in the vault, with its notes. Only the operator brings it back. */
  async leave(
    caller: Caller,
    epoch: string,
    now: number,
  ): Promise<Result<{ readonly epoch: number; readonly left: true }, Unknown>> {
    const state = await this.#vaultOf(caller, epoch, now)
    if (!state) return err({ reason: 'not_found' })
    await this.#members.remove(state.epoch, caller.did, now)
    return ok({ epoch: state.epoch, left: true })
  }

  /** Of an identity that was deactivated. */
  forget(did: string): Promise<void> {
    return this.#members.forget(did)
  }

  async #vaultOf({ did }: Caller, epoch: string, now: number): Promise<VaultState | null> {
    return NUMBER.test(epoch) ? this.#members.find(Number(epoch), did, now) : null
  }

  async #refused(caller: Caller, { key }: PublishVaultKey, now: number): Promise<Result<never, Unknown | KeyRefusal>> {
    const state = await this.#vaultOf(caller, String(key.statement.epoch), now)
    if (!state) return err({ reason: 'not_found' })
    return err(keyRefusal(state, key.statement, caller.did, now) ?? { reason: 'vault_generation_stale' })
  }
}

function isNoteId(noteId: string): boolean {
  return vaultNoteIdSchema.safeParse(noteId).success
}
