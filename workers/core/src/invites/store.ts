import { reaching } from '@svc/protocol/base/dependency-fault'
import type { Tier } from '@svc/protocol/pay/tiers'
import { DECIDED_MS, type Decision, OPEN_MS, type Standing } from './rules.ts'

export interface StoredInvite extends Standing {
  readonly position: number
  readonly id: string
  readonly sealed: string
  readonly requestedAt: number
  readonly forgetAt: number
  readonly decidedAt: number | null
  /** The code of an approval, encrypted, until it was mailed; and until when it can be redeemed. */
  readonly sealedCode: string | null
  readonly redeemableUntil: number | null
}

/** A decision with what it needs to be carried out. */
export type Deciding = Decision & { readonly sealedCode: string | null; readonly redeemableUntil: number | null }

interface Row {
  position: number
  id: string
  sealed: string
  requested_at: number
  forget_at: number
  decision: 'approved' | 'declined' | null
  decided_at: number | null
  mails: 0 | 1
  tier: Tier | null
  days: number | null
  redeemable_until: number | null
  sealed_code: string | null
  done_at: number | null
}

const COLUMNS = `position, id, sealed, requested_at, forget_at, decision, decided_at, mails, tier, days, redeemable_until,
  sealed_code, done_at`
/** Statements in one batch of a sweep. */
const AT_ONCE = 50

/** Deletes requests for an invitation whose time is over. */
export async function sweepInvites(db: D1Database, now: number): Promise<void> {
  const old = db.prepare('DELETE FROM invite_requests WHERE forget_at <= ?').bind(now)
  await reaching('invites', () => old.run())
}

/** Requests for an invitation. It sees no personal data: callers encrypt and decrypt. */
export class InviteStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** Does nothing if a request has one of the hashes. The first one is kept. */
  async add(
    { id, sealed, addressHashes }: { id: string; sealed: string; addressHashes: readonly [string, ...string[]] },
    now: number,
  ): Promise<void> {
    const [hash, former = hash] = addressHashes
    const statement = this.#db
      .prepare(
        `INSERT INTO invite_requests (id, address_hash, sealed, requested_at, forget_at)
         SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS (SELECT 1 FROM invite_requests WHERE address_hash IN (?2, ?6))
         ON CONFLICT DO NOTHING`,
      )
      .bind(id, hash, sealed, now, now + OPEN_MS, former)
    await reaching('invites', () => statement.run())
  }

  /** Requests after a position, oldest first; a position says nothing about a person. */
  async page(after: number, size: number): Promise<{ invites: StoredInvite[]; next: number | null }> {
    const select = this.#db
      .prepare(`SELECT ${COLUMNS} FROM invite_requests WHERE position > ? ORDER BY position LIMIT ?`)
      .bind(after, size + 1)
    const { results } = await reaching('invites', () => select.all<Row>())
    const mine = results.slice(0, size)
    return { invites: mine.map(inviteOf), next: results.length > size ? (mine.at(-1)?.position ?? null) : null }
  }

  async find(id: string): Promise<StoredInvite | null> {
    const row = await reaching('invites', () => this.#finding(id).first<Row>())
    return row && inviteOf(row)
  }

  /**
   * Takes the decision if there is none, and holds the request until a time for the caller to carry it out. A decision that was
   * taken before is held only if it is the same one, was interrupted, and nobody holds it. One transaction: of any number at
   * once, one is `mine`. Null if the request does not exist.
   */
  async decide(
    id: string,
    deciding: Deciding,
    { now, until }: { now: number; until: number },
  ): Promise<{ invite: StoredInvite; mine: boolean } | null> {
    const { decision, sealedCode, redeemableUntil } = deciding
    const [tier, days] = deciding.decision === 'approved' ? [deciding.tier, deciding.days] : [null, null]
    const mails = deciding.decision === 'approved' || deciding.mails ? 1 : 0
    const decide = this.#db
      .prepare(
        `UPDATE invite_requests SET decision = ?2, decided_at = ?3, forget_at = ?4, mails = ?5, tier = ?6, days = ?7,
           redeemable_until = ?8, sealed_code = ?9, held_until = ?10
         WHERE id = ?1 AND decision IS NULL`,
      )
      .bind(id, decision, now, now + DECIDED_MS, mails, tier, days, redeemableUntil, sealedCode, until)
    const resume = this.#db
      .prepare(
        `UPDATE invite_requests SET held_until = ?7
         WHERE id = ?1 AND decision = ?2 AND mails = ?3 AND tier IS ?4 AND days IS ?5 AND done_at IS NULL
           AND held_until <= ?6`,
      )
      .bind(id, decision, mails, tier, days, now, until)
    const [decided, resumed, found] = await reaching('invites', () =>
      this.#db.batch<Row>([decide, resume, this.#finding(id)]),
    )
    const [row] = found?.results ?? []
    if (!row) return null
    return { invite: inviteOf(row), mine: [decided, resumed].some((answer) => (answer?.meta.changes ?? 0) > 0) }
  }

  /** Decisions that were interrupted and that nobody holds, the longest waiting first. */
  async interrupted(now: number, most: number): Promise<StoredInvite[]> {
    const select = this.#db
      .prepare(
        `SELECT ${COLUMNS} FROM invite_requests
         WHERE decision IS NOT NULL AND done_at IS NULL AND held_until <= ? ORDER BY held_until, position LIMIT ?`,
      )
      .bind(now, most)
    const { results } = await reaching('invites', () => select.all<Row>())
    return results.map(inviteOf)
  }

  /** The decision was carried out. The code is forgotten: its holder has it, and pay has its hash. */
  async finish(id: string, now: number): Promise<void> {
    const statement = this.#db
      .prepare(
        `UPDATE invite_requests SET done_at = ?2, sealed_code = NULL, held_until = 0
         WHERE id = ?1 AND decision IS NOT NULL AND done_at IS NULL`,
      )
      .bind(id, now)
    await reaching('invites', () => statement.run())
  }

  /** Lets somebody else carry the decision out. `until` is what this request of the operator held it until. */
  async release(id: string, until: number): Promise<void> {
    const statement = this.#db
      .prepare('UPDATE invite_requests SET held_until = 0 WHERE id = ? AND held_until = ? AND done_at IS NULL')
      .bind(id, until)
    await reaching('invites', () => statement.run())
  }

  /** Deletes a request, unless a decision about it is being carried out. */
  async forget(id: string, now: number): Promise<'forgotten' | 'unknown' | 'held'> {
    const remove = this.#db
      .prepare('DELETE FROM invite_requests WHERE id = ? AND (done_at IS NOT NULL OR held_until <= ?)')
      .bind(id, now)
    const [removed, found] = await reaching('invites', () => this.#db.batch<Row>([remove, this.#finding(id)]))
    if ((removed?.meta.changes ?? 0) > 0) return 'forgotten'
    return found?.results.length ? 'held' : 'unknown'
  }

  /** Requests with something that does not start like what the current seed encrypted. */
  async under(otherThan: string, after: number): Promise<StoredInvite[]> {
    const select = this.#db
      .prepare(
        `SELECT ${COLUMNS} FROM invite_requests
         WHERE position > ?2 AND (substr(sealed, 1, ?3) <> ?1 OR substr(sealed_code, 1, ?3) <> ?1)
         ORDER BY position LIMIT ?4`,
      )
      .bind(otherThan, after, otherThan.length, AT_ONCE)
    const { results } = await reaching('invites', () => select.all<Row>())
    return results.map(inviteOf)
  }

  /** Replaces what is encrypted, where it is still what was read. */
  async reseal(
    replacements: readonly {
      readonly invite: StoredInvite
      readonly sealed: string
      readonly addressHash: string
      readonly sealedCode: string | null
    }[],
  ): Promise<void> {
    const statements = replacements.flatMap(({ invite, sealed, addressHash, sealedCode }) => [
      this.#db
        .prepare('UPDATE OR IGNORE invite_requests SET sealed = ?, address_hash = ? WHERE id = ? AND sealed = ?')
        .bind(sealed, addressHash, invite.id, invite.sealed),
      this.#db
        .prepare('UPDATE invite_requests SET sealed_code = ? WHERE id = ? AND sealed_code = ?')
        .bind(sealedCode, invite.id, invite.sealedCode),
    ])
    if (statements.length > 0) await reaching('invites', () => this.#db.batch(statements))
  }

  #finding(id: string): D1PreparedStatement {
    return this.#db.prepare(`SELECT ${COLUMNS} FROM invite_requests WHERE id = ?`).bind(id)
  }
}

function inviteOf(row: Row): StoredInvite {
  return {
    position: row.position,
    id: row.id,
    sealed: row.sealed,
    requestedAt: row.requested_at,
    forgetAt: row.forget_at,
    decidedAt: row.decided_at,
    decided: decisionOf(row),
    doneAt: row.done_at,
    sealedCode: row.sealed_code,
    redeemableUntil: row.redeemable_until,
  }
}

function decisionOf({ decision, tier, days, mails }: Row): Decision | null {
  if (decision === 'declined') return { decision, mails: mails === 1 }
  return decision === 'approved' && tier !== null && days !== null ? { decision, tier, days } : null
}
