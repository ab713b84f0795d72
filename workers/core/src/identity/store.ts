import type { Facts, ObjectStorage, Sql, TableGroup } from '@svc/objects'
import type { SignedKeyAgreement } from '@svc/protocol/base/key-agreement'
import { type Commitment, NO_COMMITMENT } from '@svc/protocol/chain/commitment'
import type { SignedDeactivation } from '@svc/protocol/chain/deactivation'
import { type HoldState, NO_HOLD } from '@svc/protocol/chain/hold'
import type { DidService, StandingRegistration } from '@svc/protocol/did/registration'
import type { Alias, IdentityRecord, RootKey } from './rules.ts'

export const HOLD_MARKS: TableGroup = {
  name: 'hold_marks',
  steps: [
    {
      name: 'who placed holds',
      sql: `
        CREATE TABLE hold_marks (placed_by TEXT NOT NULL, placed_at INTEGER NOT NULL) STRICT;
        CREATE INDEX hold_marks_by_device ON hold_marks (placed_by, placed_at);`,
    },
  ],
}

interface NewestAgreement {
  readonly epoch: number
  readonly signed: SignedKeyAgreement
  /** When its root key had key agreements accepted within a day, ascending: the last time is that of this one. */
  readonly acceptedAt: readonly number[]
}

interface Deactivation {
  readonly signed: SignedDeactivation
  readonly acceptedAt: number
}

interface KeyRow {
  [column: string]: SqlStorageValue
  epoch: number
  user_id: string
  public_key: ArrayBuffer
  activated_at: number
}

const KEY = 'epoch, user_id, public_key, activated_at'

/** Keys and statements of one identity, in its object's SQLite. */
export class IdentityStore {
  readonly #sql: Sql
  readonly #facts: Facts
  readonly #holdMarks: Sql

  constructor(stored: ObjectStorage) {
    this.#sql = stored.sql
    this.#facts = stored.facts
    this.#holdMarks = stored.tables(HOLD_MARKS)
  }

  alias(): Alias | null {
    const reserved = this.#facts.get<Alias & { readonly reservedAt: number }>('alias')
    if (!reserved) return null
    const { reservedAt: _, ...alias } = reserved
    return alias
  }

  putAlias(alias: Alias, now: number): void {
    this.#facts.put('alias', { ...alias, reservedAt: now })
  }

  /** The registration of the DID for resolution. */
  registration(): StandingRegistration | null {
    return this.#facts.get('registration')
  }

  /** Keeps the stored services if none are given. */
  putRegistration(services: readonly DidService[] | undefined, now: number): StandingRegistration {
    const known = this.registration()
    const registration = {
      services: [...(services ?? known?.services ?? [])],
      registeredAt: known?.registeredAt ?? now,
      updatedAt: now,
    }
    this.#facts.put('registration', registration)
    return registration
  }

  /** The current hold, deleted when it is lifted. */
  hold(): HoldState {
    const hold = this.#facts.get<{ readonly placedAt: number }>('hold')
    return hold ? { held: true, placedAt: hold.placedAt } : NO_HOLD
  }

  placeHold(now: number): void {
    if (!this.hold().held) this.#facts.put('hold', { placedAt: now })
  }

  /** Marks a hold that a device has placed; forgets those up to a time. The root key's are not limited, so not marked. */
  markHold(deviceId: string, now: number, until: number): void {
    this.#holdMarks.exec('DELETE FROM hold_marks WHERE placed_at <= ?', until)
    this.#holdMarks.exec('INSERT INTO hold_marks (placed_by, placed_at) VALUES (?, ?)', deviceId, now)
  }

  /** How many holds a device has placed since a time, including lifted ones. */
  holdsSince(deviceId: string, time: number): number {
    return this.#holdMarks
      .exec('SELECT 1 FROM hold_marks WHERE placed_by = ? AND placed_at > ?', deviceId, time)
      .toArray().length
  }

  liftHold(): void {
    this.#facts.delete('hold')
  }

  create(did: string, scope: string, key: RootKey, commitment: Commitment | null): void {
    this.#facts.put('identity', { did, scope, createdAt: key.activatedAt })
    this.putKey(key)
    if (commitment) this.commitAtGenesis(commitment)
  }

  /** What the genesis block names by its hash. */
  commitAtGenesis(commitment: Commitment): void {
    this.#facts.put('genesisCommitment', commitment)
    this.putCommitment(commitment)
  }

  /** What the genesis block names by its hash; null if that is nothing, or was not shown. */
  genesisCommitment(): Commitment | null {
    return this.#facts.get('genesisCommitment')
  }

  /** Who may follow the newest key. */
  putCommitment(commitment: Commitment): void {
    this.#facts.put('commitment', commitment)
  }

  putKey({ epoch, userId, publicKey, activatedAt }: RootKey): void {
    if (this.hasKey(userId)) throw new Error('a root key that the identity had before')
    this.#sql.exec(`INSERT INTO keys (${KEY}) VALUES (?, ?, ?, ?)`, epoch, userId, publicKey, activatedAt)
  }

  read(): IdentityRecord | null {
    const identity = this.#facts.get<Pick<IdentityRecord, 'did' | 'scope' | 'createdAt'>>('identity')
    const [row] = identity
      ? this.#sql.exec<KeyRow>(`SELECT ${KEY} FROM keys ORDER BY epoch DESC LIMIT 1`).toArray()
      : []
    if (!identity || !row) return null
    const commitment = this.#facts.get<Commitment>('commitment') ?? NO_COMMITMENT
    return { ...identity, current: keyOf(row), commitment, deactivatedAt: this.#deactivation()?.acceptedAt ?? null }
  }

  deactivation(): SignedDeactivation | null {
    return this.#deactivation()?.signed ?? null
  }

  /** Keeps the first statement: deactivation is final. */
  deactivate(signed: SignedDeactivation, now: number): void {
    if (!this.#deactivation()) this.#facts.put('deactivation', { signed, acceptedAt: now } satisfies Deactivation)
  }

  /** Root keys from an epoch on, ascending. Request one more than a page to learn whether there are more. */
  keys(from: number, limit: number): RootKey[] {
    return this.#sql
      .exec<KeyRow>(`SELECT ${KEY} FROM keys WHERE epoch >= ? ORDER BY epoch LIMIT ?`, from, limit + 1)
      .toArray()
      .map(keyOf)
  }

  /** The root key of an epoch, or the one in force at a time. */
  keyAt({ epoch, at }: { readonly epoch: number | null; readonly at: number | null }): RootKey | null {
    const [row] = this.#sql
      .exec<KeyRow>(
        `SELECT ${KEY} FROM keys
         WHERE (?1 IS NULL OR epoch = ?1) AND (?2 IS NULL OR activated_at <= ?2) ORDER BY epoch DESC LIMIT 1`,
        epoch,
        at,
      )
      .toArray()
    return row ? keyOf(row) : null
  }

  hasKey(userId: string): boolean {
    return this.#sql.exec('SELECT 1 FROM keys WHERE user_id = ?', userId).toArray().length > 0
  }

  /** The statement of the root key of an epoch, if that is the newest that made one. */
  keyAgreement(epoch: number): { readonly signed: SignedKeyAgreement; readonly acceptedAt: number } | null {
    const newest = this.newestAgreement()
    if (newest?.epoch !== epoch) return null
    return { signed: newest.signed, acceptedAt: newest.acceptedAt.at(-1) ?? 0 }
  }

  /** The newest key agreement, whichever root key signed it. */
  newestAgreement(): NewestAgreement | null {
    return this.#facts.get('keyAgreement')
  }

  putAgreement(newest: NewestAgreement): void {
    this.#facts.put('keyAgreement', newest)
  }

  #deactivation(): Deactivation | null {
    return this.#facts.get('deactivation')
  }
}

function keyOf(row: KeyRow): RootKey {
  return {
    epoch: row.epoch,
    userId: row.user_id,
    publicKey: new Uint8Array(row.public_key),
    activatedAt: row.activated_at,
  }
}
