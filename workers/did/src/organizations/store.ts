import { reaching } from '@svc/protocol/base/dependency-fault'
import {
  type BindingEventName,
  EMPTY_ORG_HEAD,
  type Member,
  type OrgEvent,
  type OrgHead,
  type OrgPermission,
  type OrgRole,
} from '@svc/protocol/did/org-bindings'

/** A member in the projection, with the time at which its newest event was accepted. */
export interface StoredMember {
  readonly org: string
  readonly member: Member
  readonly recordedAt: number
}

/** What an event is judged against, read in one transaction. */
export interface OrgReading {
  readonly head: OrgHead
  readonly member: Member | null
  readonly holder: string | null
  /** When the event with the given sequence and hash was accepted; null if it was not. */
  readonly acceptedAt: number | null
}

interface Row {
  org: string
  member: string
  provider: string
  subject_hash: string
  role: OrgRole
  permissions: string
  expires_at: number | null
  is_suspended: number
  suspended_from: number | null
  suspended_until: number | null
  is_revoked: number
  is_accepted: number
  acceptance_issued_at: number | null
  sequence: number
  hash: string
  kind: BindingEventName
  accepted_at: number
}
const COLUMNS = `org, member, provider, subject_hash, role, permissions, expires_at, is_suspended, suspended_from,
  suspended_until, is_revoked, is_accepted, acceptance_issued_at, sequence, hash, kind, accepted_at`
const HEAD = 'SELECT sequence, hash FROM org_events WHERE org = ? ORDER BY sequence DESC LIMIT 1'

/** The binding logs of organizations in D1, and their projection. The log is authoritative. */
export class OrgStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  async read({ statement }: OrgEvent, hash: string): Promise<OrgReading> {
    const { orgDid, memberDid, sequence, provider = null, subjectHash = null } = statement
    const [heads, members, holders, receipts] = await this.#batch<
      [OrgHead, Row, { member: string }, { accepted_at: number }]
    >([
      this.#db.prepare(HEAD).bind(orgDid),
      this.#db.prepare(`SELECT ${COLUMNS} FROM org_members WHERE org = ? AND member = ?`).bind(orgDid, memberDid),
      this.#db
        .prepare(
          'SELECT member FROM org_members WHERE org = ? AND provider = ? AND subject_hash = ? AND is_revoked = 0',
        )
        .bind(orgDid, provider, subjectHash),
      this.#db
        .prepare('SELECT accepted_at FROM org_events WHERE org = ? AND sequence = ? AND hash = ?')
        .bind(orgDid, sequence, hash),
    ])
    return {
      head: heads[0] ?? EMPTY_ORG_HEAD,
      member: members[0] ? memberOf(members[0]) : null,
      holder: holders[0]?.member ?? null,
      acceptedAt: receipts[0]?.accepted_at ?? null,
    }
  }

  /**
   * Appends an event judged against `head`, and updates its member, in one transaction: only if that is still the head.
   * Returns false otherwise; then nothing is written.
   */
  async append(event: OrgEvent, after: Member, head: OrgHead, now: number): Promise<boolean> {
    const { orgDid, memberDid, rootEpoch } = event.statement
    const { sequence, hash, event: kind } = after.latest
    const insert = this.#db
      .prepare(
        `INSERT INTO org_events (org, sequence, hash, member, kind, root_epoch, event, accepted_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
         WHERE coalesce((SELECT max(sequence) FROM org_events WHERE org = ?1), 0) = ?2 - 1
           AND (?2 = 1 OR EXISTS (SELECT 1 FROM org_events WHERE org = ?1 AND sequence = ?2 - 1 AND hash = ?9))`,
      )
      .bind(orgDid, sequence, hash, memberDid, kind, rootEpoch, JSON.stringify(event), now, head.hash)
    const [inserted] = await reaching('organizations', () => this.#db.batch([insert, this.#put(orgDid, after, now)]))
    return (inserted?.meta.changes ?? 0) > 0
  }

  async member(orgDid: string, memberDid: string): Promise<Member | null> {
    const statement = this.#db
      .prepare(`SELECT ${COLUMNS} FROM org_members WHERE org = ? AND member = ?`)
      .bind(orgDid, memberDid)
    const row = await reaching('organizations', () => statement.first<Row>())
    return row && memberOf(row)
  }

  /** Members of one organization, sorted by DID, one more than `limit` to detect a next page. */
  async members(
    orgDid: string,
    { after, limit, withRevoked }: { readonly after: string; readonly limit: number; readonly withRevoked: boolean },
  ): Promise<{ readonly head: OrgHead; readonly members: StoredMember[] }> {
    const [heads, rows] = await this.#batch<[OrgHead, Row]>([
      this.#db.prepare(HEAD).bind(orgDid),
      this.#db
        .prepare(
          `SELECT ${COLUMNS} FROM org_members
           WHERE org = ?1 AND member > ?2 AND (?3 OR is_revoked = 0) ORDER BY member LIMIT ?4`,
        )
        .bind(orgDid, after, withRevoked ? 1 : 0, limit + 1),
    ])
    return { head: heads[0] ?? EMPTY_ORG_HEAD, members: rows.map(storedOf) }
  }

  /** The bindings of one member, sorted by organization. */
  async bindingsOf(memberDid: string, after: string, limit: number): Promise<StoredMember[]> {
    const statement = this.#db
      .prepare(`SELECT ${COLUMNS} FROM org_members WHERE member = ? AND org > ? ORDER BY org LIMIT ?`)
      .bind(memberDid, after, limit + 1)
    return (await reaching('organizations', () => statement.all<Row>())).results.map(storedOf)
  }

  /** The log, ascending, one more than `limit`. */
  async events(
    orgDid: string,
    from: number,
    limit: number,
  ): Promise<{ readonly head: OrgHead; readonly events: { readonly event: OrgEvent; readonly acceptedAt: number }[] }> {
    const [heads, rows] = await this.#batch<[OrgHead, { event: string; accepted_at: number }]>([
      this.#db.prepare(HEAD).bind(orgDid),
      this.#db
        .prepare('SELECT event, accepted_at FROM org_events WHERE org = ? AND sequence >= ? ORDER BY sequence LIMIT ?')
        .bind(orgDid, from, limit + 1),
    ])
    const events = rows.map((row) => ({ event: JSON.parse(row.event) as OrgEvent, acceptedAt: row.accepted_at }))
    return { head: heads[0] ?? EMPTY_ORG_HEAD, events }
  }

  /** Writes only if the previous statement in the batch wrote something. */
  #put(orgDid: string, member: Member, now: number): D1PreparedStatement {
    const { suspension, latest } = member
    return this.#db
      .prepare(
        `INSERT INTO org_members (${COLUMNS})
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17 WHERE changes() > 0
         ON CONFLICT (org, member) DO UPDATE SET provider = ?3, subject_hash = ?4, role = ?5, permissions = ?6,
           expires_at = ?7, is_suspended = ?8, suspended_from = ?9, suspended_until = ?10, is_revoked = ?11,
           is_accepted = ?12, acceptance_issued_at = ?13, sequence = ?14, hash = ?15, kind = ?16, accepted_at = ?17`,
      )
      .bind(
        orgDid,
        member.memberDid,
        member.provider,
        member.subjectHash,
        member.role,
        JSON.stringify(member.permissions),
        member.expiresAt,
        suspension ? 1 : 0,
        suspension?.from ?? null,
        suspension?.until ?? null,
        member.isRevoked ? 1 : 0,
        member.isAccepted ? 1 : 0,
        member.acceptedAt,
        latest.sequence,
        latest.hash,
        latest.event,
        now,
      )
  }

  async #batch<Rows extends readonly unknown[]>(
    statements: D1PreparedStatement[],
  ): Promise<{ [I in keyof Rows]: Rows[I][] }> {
    const answers = await reaching('organizations', () => this.#db.batch(statements))
    return answers.map(({ results }) => results) as { [I in keyof Rows]: Rows[I][] }
  }
}

function storedOf(row: Row): StoredMember {
  return { org: row.org, member: memberOf(row), recordedAt: row.accepted_at }
}

function memberOf(row: Row): Member {
  return {
    memberDid: row.member,
    provider: row.provider,
    subjectHash: row.subject_hash,
    role: row.role,
    permissions: JSON.parse(row.permissions) as OrgPermission[],
    expiresAt: row.expires_at,
    suspension: row.is_suspended ? { from: row.suspended_from ?? 0, until: row.suspended_until } : null,
    isRevoked: row.is_revoked === 1,
    isAccepted: row.is_accepted === 1,
    acceptedAt: row.acceptance_issued_at,
    latest: { sequence: row.sequence, hash: row.hash, event: row.kind },
  }
}
