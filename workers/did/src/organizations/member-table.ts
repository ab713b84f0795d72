import type { Sql } from '@svc/objects'
import type { KnownInception } from '@svc/protocol/base/inception-head'
import type { BindingEventName, Member, OrgPermission, OrgRole } from '@svc/protocol/did/org-bindings'

/** A member in the projection, with the time at which its newest event was accepted. */
export interface StoredMember {
  readonly org: string
  readonly member: Member
  readonly recordedAt: number
}

interface Row extends Record<string, SqlStorageValue> {
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
  acceptance_inception: string | null
  sequence: number
  hash: string
  kind: BindingEventName
  accepted_at: number
}
const COLUMNS = `member, provider, subject_hash, role, permissions, expires_at, is_suspended, suspended_from,
  suspended_until, is_revoked, is_accepted, acceptance_issued_at, acceptance_inception, sequence, hash, kind, accepted_at`

/** The members of one organization, as its log folds them. */
export class MemberTable {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  find(org: string, member: string): StoredMember | null {
    const [row] = this.#sql.exec<Row>(`SELECT ${COLUMNS} FROM members WHERE member = ?`, member).toArray()
    return row ? storedOf(org, row) : null
  }

  /** The member that a subject of a provider stands for. */
  holderOf(provider: string, subjectHash: string): string | null {
    const select = 'SELECT member FROM members WHERE provider = ? AND subject_hash = ? AND is_revoked = 0'
    return this.#sql.exec<{ member: string }>(select, provider, subjectHash).toArray()[0]?.member ?? null
  }

  /** Sorted by DID. */
  page(org: string, { after, limit, withRevoked }: MembersWanted): StoredMember[] {
    return this.#sql
      .exec<Row>(
        `SELECT ${COLUMNS} FROM members WHERE member > ? AND (? OR is_revoked = 0) ORDER BY member LIMIT ?`,
        after,
        Number(withRevoked),
        limit,
      )
      .toArray()
      .map((row) => storedOf(org, row))
  }

  put({ suspension, latest, ...member }: Member, now: number): void {
    this.#sql.exec(
      `INSERT INTO members (${COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
       ON CONFLICT (member) DO UPDATE SET provider = ?2, subject_hash = ?3, role = ?4, permissions = ?5, expires_at = ?6,
         is_suspended = ?7, suspended_from = ?8, suspended_until = ?9, is_revoked = ?10, is_accepted = ?11,
         acceptance_issued_at = ?12, acceptance_inception = ?13, sequence = ?14, hash = ?15, kind = ?16, accepted_at = ?17`,
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
      member.acceptedInception && JSON.stringify(member.acceptedInception),
      latest.sequence,
      latest.hash,
      latest.event,
      now,
    )
  }
}

export interface MembersWanted {
  readonly after: string
  readonly limit: number
  readonly withRevoked: boolean
}

function storedOf(org: string, row: Row): StoredMember {
  return { org, member: memberOf(row), recordedAt: row.accepted_at }
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
    acceptedInception:
      row.acceptance_inception === null ? null : (JSON.parse(row.acceptance_inception) as KnownInception),
    latest: { sequence: row.sequence, hash: row.hash, event: row.kind },
  }
}
