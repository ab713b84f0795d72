import * as z from 'zod'
import { jcsBytes } from '#protocol/base/jcs'
import { pure } from '#protocol/base/pure'
import { signStatement } from '#protocol/base/statement'
import {
  cipherHashOf,
  MAX_VAULT_NOTE_BYTES,
  type SignedVaultNote,
  storedVaultNoteSchema,
  type VaultMembers,
  type VaultNoteHead,
  vaultLeftSchema,
  vaultMembersSchema,
  vaultNoteDeletedSchema,
  vaultNoteHeadSchema,
  vaultNotesSchema,
} from '#protocol/keys/epoch-vault'
import type { Client } from '../../client.ts'
import { Identity } from '../../identity/identity.ts'
import { signerOf } from '../../identity/signing-key.ts'
import { pad, unpad } from '../../notes/cipher.ts'
import { ConfigurationError } from '../../transport/configuration-error.ts'
import { everyItem } from '../../transport/pages.ts'
import { randomId } from '../../transport/random-id.ts'
import { ServiceError } from '../../transport/service-error.ts'
import { jsonIn, readContent } from '../../verification/read-content.ts'
import { unverified } from '../../verification/verification-error.ts'
import type { VaultParts } from '../epochs.ts'
import { openNote, sealNote } from './vault-cipher.ts'
import { EpochVaultError } from './vault-error.ts'
import { covers, isSignedBy, VaultKeys } from './vault-keys.ts'

/** How often a write or a key is tried again when others change the vault meanwhile. */
const MAX_ATTEMPTS = 6
/** Somebody else published a key, joined or was removed: read again. */
const OVERTAKEN: ReadonlySet<string> = /* @__PURE__ */ new Set([
  'vault_rekey_needed',
  'vault_rekey_unneeded',
  'vault_generation_stale',
  'vault_members_changed',
])

export interface EpochVaultOptions {
  /**
   * The DIDs that may be in the vault, from another source. Nothing is encrypted while somebody else is a member. Without
   * it, you trust the operator’s list of members.
   */
  readonly expects?: readonly string[]
}

export interface VaultView extends VaultMembers {
  /** Members that are not among those you expect; empty without `expects`. */
  readonly unexpected: readonly string[]
}

export interface VaultNoteText {
  readonly title?: string
  readonly body: string
}

export interface NewVaultNote extends VaultNoteText {
  /** To write the next version of your own note: as you read or wrote it. */
  readonly base?: Pick<VaultNoteEntry, 'noteId' | 'version'>
}

export interface VaultNoteEntry {
  readonly noteId: string
  /** DID of the member who wrote it. */
  readonly author: string
  /** 1, then one more with each change. */
  readonly version: number
  /** The key that it is encrypted under. */
  readonly generation: number
  /** When the service accepted it, epoch milliseconds. */
  readonly writtenAt: number
}

const contentSchema = /* @__PURE__ */ pure(() => z.object({ title: z.string().optional(), body: z.string() }))

/**
 * The notes that the members of an epoch share. Everything is encrypted here for the current members; keys, authors and
 * members are verified against root keys. Root keys only. When the members have changed, `write` first publishes a new
 * key for those who are left.
 */
export class EpochVault {
  readonly epoch: number
  readonly #parts: VaultParts
  readonly #owner: Identity
  readonly #keys: VaultKeys
  readonly #expected: ReadonlySet<string> | null
  readonly #url: string

  private constructor(parts: VaultParts, owner: Identity, epoch: number, { expects }: EpochVaultOptions) {
    this.epoch = epoch
    this.#parts = parts
    this.#owner = owner
    this.#keys = new VaultKeys(parts, epoch, owner)
    this.#expected = expects ? new Set(expects) : null
    this.#url = `${parts.keys}/api/vault/${epoch}`
  }

  /** Asks nothing yet. Throws a `ConfigurationError` for a client without a root key or a key directory. */
  static async open(
    client: Pick<Client, 'epochs'>,
    epoch: number,
    options: EpochVaultOptions = {},
  ): Promise<EpochVault> {
    const parts = await client.epochs.parts()
    if (parts.owner instanceof Identity) return new EpochVault(parts, parts.owner, epoch, options)
    throw new ConfigurationError('identity', 'A vault is encrypted for root keys: pass `identity`')
  }

  /** Who is in the vault now, as the service says. 404 `not_found` if you are not, or it is deleted. */
  async members(): Promise<VaultView> {
    const call = { method: 'GET', url: `${this.#url}/members`, audience: 'keys' } as const
    const view = await this.#parts.transport.data(call, vaultMembersSchema)
    if (view.epoch !== this.epoch)
      throw unverified('epochVault', 'different_answer', 'The answer is about another vault')
    const unexpected = view.members.flatMap(({ did }) => (this.#expected?.has(did) === false ? [did] : []))
    return { ...view, unexpected }
  }

  /** Every note, without its content, in the order of ids. Each is verified to be by a member of its time. */
  async *list(): AsyncGenerator<VaultNoteEntry> {
    await this.#keys.newest()
    const heads = everyItem(async (cursor) => {
      const url = cursor === undefined ? `${this.#url}/notes` : `${this.#url}/notes?after=${cursor}`
      const page = await this.#parts.transport.data({ method: 'GET', url, audience: 'keys' }, vaultNotesSchema)
      return { items: page.notes, cursor: page.next }
    })
    for await (const head of heads) yield await this.#checked(head)
  }

  /** Reads, verifies and decrypts a note. 404 `not_found` if there is none, or you are not a member any more. */
  async read(noteId: string): Promise<VaultNoteEntry & VaultNoteText> {
    const call = { method: 'GET', url: `${this.#url}/notes/${encodeURIComponent(noteId)}`, audience: 'keys' } as const
    const stored = await this.#parts.transport.data(call, storedVaultNoteSchema)
    await this.#keys.newest()
    const entry = await this.#checked(stored, noteId)
    const { statement } = stored.note
    if (cipherHashOf(stored.ciphertextB64u) !== statement.cipherHash)
      throw unverified('epochVault', 'hash_mismatch', 'The content is not what the author signed')
    const key = await this.#keys.key(statement.generation)
    const sealed = { nonceB64u: statement.nonceB64u, ciphertextB64u: stored.ciphertextB64u }
    const opened = await openNote(sealed, key, statement)
    if (!opened) throw unverified('epochVault', 'modified', 'The note does not decrypt')
    return { ...entry, ...contentOf(opened) }
  }

  /**
   * Writes a note for the current members, or with `base` the next version of your own. Publishes a new key first if the
   * members have changed. Throws an `EpochVaultError`, and `ServiceError`: 409 `vault_note_stale` if it was written since,
   * `vault_full`, `vault_closed`; a RangeError if it is too long.
   */
  async write({ base, ...text }: NewVaultNote): Promise<VaultNoteEntry> {
    const content = contentBytes(text)
    const place = { noteId: base?.noteId ?? randomId(), version: (base?.version ?? 0) + 1 }
    return this.#retried(async () => {
      const generation = await this.#ready()
      const head = await this.#put(content, { ...place, generation })
      return entryOf(head)
    })
  }

  /** Deletes your own note. Also after the epoch has closed. */
  async delete(noteId: string): Promise<void> {
    const url = `${this.#url}/notes/${encodeURIComponent(noteId)}`
    await this.#parts.transport.data({ method: 'DELETE', url, audience: 'keys' }, vaultNoteDeletedSchema)
  }

  /** Leaves the vault, and deletes your notes. Only the operator can admit you again. */
  async leave(): Promise<void> {
    const url = `${this.#url}/leave`
    await this.#parts.transport.data({ method: 'POST', url, audience: 'keys' }, vaultLeftSchema)
  }

  /**
   * Gives the current members a key, if the newest is not for exactly them; so that somebody who has just joined can read
   * before anybody writes. `withoutEarlier` gives up the notes under earlier keys for those who do not have these keys;
   * it is the way on if nobody is left who does.
   */
  async rekey({ withoutEarlier = false }: { readonly withoutEarlier?: boolean } = {}): Promise<number> {
    return this.#retried(() => this.#ready(withoutEarlier))
  }

  /** The newest key, after making sure that it is for the members. */
  async #ready(withoutEarlier = false): Promise<number> {
    const [view, newest] = [await this.members(), await this.#keys.newest()]
    if (view.unexpected.length > 0)
      throw new EpochVaultError('unexpected_member', 'Somebody is in the vault whom you do not expect', view.unexpected)
    if (newest && covers(newest, view.members)) {
      await this.#keys.key(newest.statement.generation)
      return newest.statement.generation
    }
    await this.#keys.publish(await this.#kemKeys(view), { withoutEarlier })
    return (newest?.statement.generation ?? 0) + 1
  }

  /** The key that each member’s root key states in its DID document. */
  async #kemKeys({ members }: VaultMembers): Promise<ReadonlyMap<string, string>> {
    const keys = new Map<string, string>()
    const missing: string[] = []
    for (const { did } of members) {
      const { didDocument } = await this.#parts.did.resolve(did)
      const stated = didDocument?.keyAgreement?.[0]?.signedStatement?.statement.publicKeyB64u
      if (stated === undefined) missing.push(did)
      else keys.set(did, stated)
    }
    if (missing.length === 0) return keys
    throw new EpochVaultError(
      'member_without_key',
      'A member has no key to encrypt to: it has to call `did.register`',
      missing,
    )
  }

  async #put(
    content: Uint8Array,
    { noteId, version, generation }: { readonly noteId: string; readonly version: number; readonly generation: number },
  ): Promise<VaultNoteHead> {
    const { transport } = this.#parts
    const place = { realm: transport.realm, epoch: this.epoch, generation, noteId, author: this.#owner.did, version }
    const { nonceB64u, ciphertextB64u } = await sealNote(content, await this.#keys.key(generation), place)
    const statement = {
      type: 'svc/epoch-note/v1',
      ...place,
      nonceB64u,
      cipherHash: cipherHashOf(ciphertextB64u),
      issuedAt: transport.now(),
    } as const
    const body = { ...(await signStatement(statement, signerOf(this.#owner))), ciphertextB64u }
    const url = `${this.#url}/notes/${encodeURIComponent(noteId)}`
    return transport.data({ method: 'PUT', url, audience: 'keys', body }, vaultNoteHeadSchema)
  }

  async #checked(head: VaultNoteHead, expectedId?: string): Promise<VaultNoteEntry> {
    const { note } = head
    const { epoch, noteId, author, generation } = note.statement
    if (epoch !== this.epoch || (expectedId !== undefined && noteId !== expectedId))
      throw unverified('epochVault', 'different_answer', 'The answer is about another note', { evidence: note })
    await this.#checkAuthor(note, author, generation)
    return entryOf(head)
  }

  async #checkAuthor(note: SignedVaultNote, author: string, generation: number): Promise<void> {
    const { members } = await this.#statementOf(generation)
    if (!members.some(({ did }) => did === author))
      throw unverified('epochVault', 'wrong_owner', 'A note is by somebody who was not a member', { evidence: note })
    if (!(await isSignedBy(this.#parts, author, note)))
      throw unverified('epochVault', 'invalid_signature', 'The author did not sign a note', { evidence: note })
  }

  /** A note may be newer than the keys that this client has read. */
  async #statementOf(generation: number) {
    try {
      return this.#keys.statement(generation)
    } catch {
      await this.#keys.newest()
      return this.#keys.statement(generation)
    }
  }

  async #retried<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof ServiceError) || !OVERTAKEN.has(error.error)) throw error
      }
    }
    throw new EpochVaultError('crowded', 'Others changed the vault during every attempt; try again')
  }
}

function entryOf({ note, writtenAt }: VaultNoteHead): VaultNoteEntry {
  const { noteId, author, version, generation } = note.statement
  return { noteId, author, version, generation, writtenAt }
}

/** Padded, so that the service sees few different lengths. */
function contentBytes({ title, body }: VaultNoteText): Uint8Array {
  const padded = pad(jcsBytes(title === undefined ? { body } : { title, body }))
  if (padded.length <= MAX_VAULT_NOTE_BYTES) return padded
  throw new RangeError(`A note can have at most ${MAX_VAULT_NOTE_BYTES} bytes with its padding`)
}

function contentOf(padded: Uint8Array): VaultNoteText {
  const { title, body } = readContent('epochVault', contentSchema, jsonIn(unpad(padded)))
  return title === undefined ? { body } : { title, body }
}
