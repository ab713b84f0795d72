import type { SignedKeyAgreement } from '@svc/protocol/base/key-agreement'
import type { DidService, StandingRegistration } from '@svc/protocol/base/registration'
import type { SignedDeactivation } from '@svc/protocol/chain/deactivation'
import { type HoldState, NO_HOLD } from '@svc/protocol/chain/hold'
import type { Alias, IdentityRecord, RootKey } from './rules.ts'

type RegistrationRow = { services: string; registered_at: number; updated_at: number }

/** Keys and statements of one identity, in its object's SQLite. */
export class IdentityStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  alias(): Alias | null {
    const [row] = this.#sql
      .exec<{ kind: 'root' | 'device'; user_id: string; did: string; scope: string }>(
        'SELECT kind, user_id, did, scope FROM alias',
      )
      .toArray()
    return row ? { kind: row.kind, userId: row.user_id, did: row.did, scope: row.scope } : null
  }

  putAlias({ kind, userId, did, scope }: Alias, now: number): void {
    this.#sql.exec(
      'INSERT INTO alias (id, kind, user_id, did, scope, reserved_at) VALUES (0, ?, ?, ?, ?, ?)',
      kind,
      userId,
      did,
      scope,
      now,
    )
  }

  /** The registration of the DID for resolution: at most one row. */
  registration(): StandingRegistration | null {
    const [row] = this.#sql
      .exec<RegistrationRow>('SELECT services, registered_at, updated_at FROM registrations')
      .toArray()
    return row ? registrationOf(row) : null
  }

  /** Keeps the stored services if none are given. */
  putRegistration(services: readonly DidService[] | undefined, now: number): StandingRegistration {
    const row = this.#sql
      .exec<RegistrationRow>(
        `INSERT INTO registrations (id, services, registered_at, updated_at) VALUES (0, coalesce(?1, '[]'), ?2, ?2)
         ON CONFLICT (id) DO UPDATE SET services = coalesce(?1, services), updated_at = ?2
         RETURNING services, registered_at, updated_at`,
        services === undefined ? null : JSON.stringify(services),
        now,
      )
      .one()
    return registrationOf(row)
  }

  /** The current hold: at most one row, deleted when the hold is lifted. */
  hold(): HoldState {
    const [row] = this.#sql.exec<{ placed_at: number }>('SELECT placed_at FROM holds').toArray()
    return row ? { held: true, placedAt: row.placed_at } : NO_HOLD
  }

  placeHold(now: number, placedBy: string): void {
    this.#sql.exec('INSERT INTO holds (id, placed_at) VALUES (0, ?) ON CONFLICT DO NOTHING', now)
    this.#sql.exec('INSERT INTO hold_marks (placed_by, placed_at) VALUES (?, ?)', placedBy, now)
  }

  /** How many holds a key has placed since a time, including lifted ones. */
  holdsSince(placedBy: string, time: number): number {
    return this.#sql
      .exec<{ n: number }>('SELECT count(*) AS n FROM hold_marks WHERE placed_by = ? AND placed_at > ?', placedBy, time)
      .one().n
  }

  liftHold(): void {
    this.#sql.exec('DELETE FROM holds')
  }

  create(did: string, scope: string, key: RootKey): void {
    this.#sql.exec('INSERT INTO identity (id, did, scope, created_at) VALUES (0, ?, ?, ?)', did, scope, key.activatedAt)
    this.putKey(key)
  }

  putKey(key: RootKey): void {
    this.#sql.exec(
      'INSERT INTO keys (epoch, user_id, public_key, activated_at) VALUES (?, ?, ?, ?)',
      key.epoch,
      key.userId,
      key.publicKey,
      key.activatedAt,
    )
  }

  read(): IdentityRecord | null {
    const [row] = this.#sql
      .exec<{
        did: string
        scope: string
        created_at: number
        epoch: number
        user_id: string
        public_key: ArrayBuffer
        activated_at: number
        deactivated_at: number | null
      }>(
        `SELECT did, scope, created_at, epoch, user_id, public_key, activated_at,
           (SELECT accepted_at FROM deactivations) AS deactivated_at
         FROM identity, keys ORDER BY epoch DESC LIMIT 1`,
      )
      .toArray()
    if (!row) return null
    const current = {
      epoch: row.epoch,
      userId: row.user_id,
      publicKey: new Uint8Array(row.public_key),
      activatedAt: row.activated_at,
    }
    return { did: row.did, scope: row.scope, createdAt: row.created_at, current, deactivatedAt: row.deactivated_at }
  }

  deactivation(): SignedDeactivation | null {
    const [row] = this.#sql.exec<{ signed: string }>('SELECT signed FROM deactivations').toArray()
    return row ? (JSON.parse(row.signed) as SignedDeactivation) : null
  }

  /** Keeps the first statement: deactivation is final. */
  deactivate(signed: SignedDeactivation, now: number): void {
    this.#sql.exec(
      'INSERT INTO deactivations (id, signed, accepted_at) VALUES (0, ?, ?) ON CONFLICT DO NOTHING',
      JSON.stringify(signed),
      now,
    )
  }

  /** Root keys from an epoch on, ascending. Request one more than a page to learn whether there are more. */
  keys(from: number, limit: number): RootKey[] {
    return this.#sql
      .exec<{ epoch: number; user_id: string; public_key: ArrayBuffer; activated_at: number }>(
        'SELECT epoch, user_id, public_key, activated_at FROM keys WHERE epoch >= ? ORDER BY epoch LIMIT ?',
        from,
        limit + 1,
      )
      .toArray()
      .map(keyOf)
  }

  /** The root key of an epoch, or the one in force at a time. */
  keyAt({ epoch, at }: { readonly epoch: number | null; readonly at: number | null }): RootKey | null {
    const [row] = this.#sql
      .exec<{ epoch: number; user_id: string; public_key: ArrayBuffer; activated_at: number }>(
        `SELECT epoch, user_id, public_key, activated_at FROM keys
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

  /** The newest statement signed by the root key of an epoch. */
  keyAgreement(epoch: number): { readonly signed: SignedKeyAgreement; readonly acceptedAt: number } | null {
    const [row] = this.#sql
      .exec<{ signed: string; accepted_at: number }>(
        'SELECT signed, accepted_at FROM key_statements WHERE epoch = ? ORDER BY issued_at DESC LIMIT 1',
        epoch,
      )
      .toArray()
    return row ? { signed: JSON.parse(row.signed) as SignedKeyAgreement, acceptedAt: row.accepted_at } : null
  }

  /** Replaces the older one of the same root key. */
  putKeyAgreement(signed: SignedKeyAgreement, epoch: number, acceptedAt: number): void {
    this.#sql.exec('DELETE FROM key_statements WHERE epoch = ?', epoch)
    this.#sql.exec(
      'INSERT INTO key_statements (issued_at, signed, epoch, accepted_at) VALUES (?, ?, ?, ?)',
      signed.statement.issuedAt,
      JSON.stringify(signed),
      epoch,
      acceptedAt,
    )
  }
}

function registrationOf(row: RegistrationRow): StandingRegistration {
  return {
    services: JSON.parse(row.services) as DidService[],
    registeredAt: row.registered_at,
    updatedAt: row.updated_at,
  }
}

function keyOf(row: {
  readonly epoch: number
  readonly user_id: string
  readonly public_key: ArrayBuffer
  readonly activated_at: number
}): RootKey {
  return {
    epoch: row.epoch,
    userId: row.user_id,
    publicKey: new Uint8Array(row.public_key),
    activatedAt: row.activated_at,
  }
}
