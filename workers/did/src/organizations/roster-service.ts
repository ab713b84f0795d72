import { ORG_PERMISSIONS, statusOf } from '@svc/protocol/did/org-bindings'
import {
  MAX_PAGE_ORG_EVENTS,
  type MemberBinding,
  type MembershipsPage,
  type MembersPage,
  type OrgEventsPage,
  type OrgMembership,
  type OwnBindingsPage,
} from '@svc/protocol/did/organizations'
import type { Organizations } from './client.ts'
import type { StoredMember } from './member-table.ts'

export interface PageRequest {
  /** The last DID of the previous page; '' for the first page. */
  readonly after: string
  readonly limit: number
}

/** Pages of the rosters, sorted by DID so that concurrent writes do not shift them. One more row than a page shows that there is a next one. */
export class RosterService {
  readonly #organizations: Organizations

  constructor(organizations: Organizations) {
    this.#organizations = organizations
  }

  async members(orgDid: string, { after, limit }: PageRequest, now: number): Promise<MembersPage> {
    const { head, members } = await this.#organizations.members(orgDid, {
      after,
      limit: limit + 1,
      withRevoked: false,
    })
    const { rows, cursor } = pageOf(members, limit, ({ member }) => member.memberDid)
    return { orgDid, members: rows.map((row) => bindingOf(row, now)), cursor, head }
  }

  async memberships(orgDid: string, { after, limit }: PageRequest, now: number): Promise<MembershipsPage> {
    const { head, members } = await this.#organizations.members(orgDid, {
      after,
      limit: limit + 1,
      withRevoked: true,
    })
    const { rows, cursor } = pageOf(members, limit, ({ member }) => member.memberDid)
    const memberships = rows.map((row) => ({ memberDid: row.member.memberDid, ...termsOf(row, now) }))
    return { orgDid, memberships, permissionVocabulary: [...ORG_PERMISSIONS], cursor, head }
  }

  async bindingsOf(did: string, { after, limit }: PageRequest, now: number): Promise<OwnBindingsPage> {
    const found = await this.#organizations.bindingsOf(did, after, limit + 1)
    const { rows, cursor } = pageOf(found, limit, ({ org }) => org)
    const bindings = rows.map((row) => {
      const { provider, subjectHash } = row.member
      return { orgDid: row.org, provider, subjectHash, ...termsOf(row, now) }
    })
    return { did, bindings, cursor }
  }

  async events(orgDid: string, from: number): Promise<OrgEventsPage> {
    const { head, ...found } = await this.#organizations.events(orgDid, from, MAX_PAGE_ORG_EVENTS + 1)
    const events = found.events.slice(0, MAX_PAGE_ORG_EVENTS)
    const acceptedAt = found.acceptedAt.slice(0, MAX_PAGE_ORG_EVENTS)
    const next = found.events[MAX_PAGE_ORG_EVENTS]?.statement.sequence ?? null
    return { orgDid, events, acceptedAt, next, head }
  }
}

function pageOf(found: readonly StoredMember[], limit: number, keyOf: (row: StoredMember) => string) {
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, cursor: found.length > limit && last ? keyOf(last) : null }
}

const latestOf = ({ member, recordedAt }: StoredMember): MemberBinding['latest'] => ({
  ...member.latest,
  acceptedAt: recordedAt,
})

function bindingOf(row: StoredMember, now: number): MemberBinding {
  const { memberDid, provider, subjectHash, expiresAt } = row.member
  return { memberDid, provider, subjectHash, status: statusOf(row.member, now), expiresAt, latest: latestOf(row) }
}

function termsOf(row: StoredMember, now: number): Omit<OrgMembership, 'memberDid'> {
  const { role, permissions, expiresAt, suspension } = row.member
  return {
    role,
    status: statusOf(row.member, now),
    permissions: [...permissions],
    expiresAt,
    suspendedFrom: suspension?.from ?? null,
    suspendedUntil: suspension?.until ?? null,
    latest: latestOf(row),
  }
}
