import type { Caller } from '@svc/assertion'
import { bytesOf } from '@svc/protocol/base/base64url'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { verifyStatement } from '@svc/protocol/base/statement'
import { type BindingFault, type OrgEvent, orgEventHash, statusOf } from '@svc/protocol/did/org-bindings'
import type { OrgAppended, OrgVerify } from '@svc/protocol/did/organizations'
import { type Authority, authoritySchema } from '@svc/protocol/internal/core'
import { type Budget, TIER_BUDGETS, type Tier } from '@svc/protocol/pay/tiers'
import type { InceptionLogClient, InternalClient, StandingClient } from '@svc/service'
import type { Organizations } from './client.ts'
import type { OfficerService } from './officer-service.ts'

export type AuthorityRefusal = { readonly reason: 'forbidden' | 'licence_required' | 'unavailable' }
export type AppendRefusal =
  | BindingFault
  | { readonly reason: 'unknown_head'; readonly of: 'event' | 'acceptance' }
  | {
      readonly reason:
        | 'not_an_org'
        | 'invalid_signature'
        | 'statement_expired'
        | 'acceptance_unverifiable'
        | 'licence_required'
        | 'security_hold'
        | 'unavailable'
    }
  | BudgetRefusal

interface BudgetRefusal {
  readonly reason: 'budget_exhausted'
  readonly budget: Budget
  readonly used: number
  readonly limit: number
  readonly tier: Tier
}

/** Clock tolerance of statements, the same as the shared verifier's. */
const STATEMENT_SKEW_MS = 300_000

/** Bindings of members to organizations: who can read and change them, and the resulting state. */
export class OrganizationService {
  readonly #organizations: Organizations
  readonly #pay: StandingClient
  readonly #officers: OfficerService
  readonly #core: InternalClient
  readonly #inceptionLogs: InceptionLogClient
  readonly #realms: Realms

  constructor(parts: {
    readonly organizations: Organizations
    readonly pay: StandingClient
    readonly officers: OfficerService
    readonly core: InternalClient
    readonly inceptionLogs: InceptionLogClient
    readonly realms: Realms
  }) {
    this.#organizations = parts.organizations
    this.#pay = parts.pay
    this.#officers = parts.officers
    this.#core = parts.core
    this.#inceptionLogs = parts.inceptionLogs
    this.#realms = parts.realms
  }

  /** Whether a caller can read the rosters of an organization: itself or a current officer, with a licence. */
  async mayRead({ did }: Caller, orgDid: string): Promise<Result<Tier, AuthorityRefusal>> {
    if (did !== orgDid) {
      const officer = await this.#officers.isOfficer(orgDid, did)
      if (!officer.ok) return officer
      if (!officer.value) return err({ reason: 'forbidden' })
    }
    return this.mayWrite(orgDid)
  }

  /** The tier of an organization, if it has a licence; that the caller is the organization is already checked. */
  async mayWrite(orgDid: string): Promise<Result<Tier, AuthorityRefusal>> {
    const { planUntil, tier } = await this.#pay.standing(orgDid)
    return planUntil !== null ? ok(tier) : err({ reason: 'licence_required' })
  }

  /**
   * Accepts an event of the caller's organization. The organization's object judges it first, so that a fault is told
   * before a signature is verified, and once more in the transaction that writes it.
   */
  async append(caller: Caller, event: OrgEvent, now: number): Promise<Result<OrgAppended, AppendRefusal>> {
    const { orgDid, orgScope, sequence, issuedAt } = event.statement
    const { did, scope, epoch } = caller
    if (orgDid !== did || orgScope !== scope) return err({ reason: 'owner_mismatch' })
    // An acceptance dated in the future would block every later one.
    const newest = Math.max(issuedAt, event.acceptance?.statement.issuedAt ?? 0)
    if (newest > now + STATEMENT_SKEW_MS) return err({ reason: 'statement_expired' })
    const hash = orgEventHash(event)
    const sender = { did, scope, epoch, hash }
    const judged = await this.#organizations.judge(event, sender)
    if (!judged.ok) return judged
    // A retry after a lost answer finds its event in place.
    if (judged.value !== null) return ok({ orgDid, sequence, hash, acceptedAt: judged.value })
    const unsigned = await this.#signatureFault(caller, event)
    if (unsigned) return err(unsigned)
    const unplaced = await this.#headFault(event)
    if (unplaced) return err(unplaced)
    const barred = await this.#barOf(caller, event)
    if (barred) return err(barred)
    const appended = await this.#organizations.append(event, sender, now)
    return appended.ok ? ok({ orgDid, sequence, hash, acceptedAt: appended.value }) : appended
  }

  /** Whether a member is bound now. If that cannot be determined, the call fails; it never returns true by default. */
  async verify(orgDid: string, memberDid: string, now: number): Promise<Result<OrgVerify, { reason: 'unavailable' }>> {
    const unbound = { orgDid, memberDid, bound: false }
    const found = await this.#organizations.member(orgDid, memberDid)
    if (!found || statusOf(found.member, now) !== 'active') return ok(unbound)
    const both = await Promise.all([orgDid, memberDid].map((did) => this.#authority(did)))
    for (const authority of both) {
      if (!authority.ok) return authority
      // One of the two identities is deactivated, which ends its bindings.
      if (!authority.value || authority.value.deactivated) return ok(unbound)
    }
    const { provider, expiresAt } = found.member
    return ok({ orgDid, memberDid, bound: true, provider, ...(expiresAt === null ? {} : { expiresAt }) })
  }

  /** Checked last: an event by a key superseded, an identity put under a hold, or a plan ended in the meantime is not written. */
  async #barOf({ did, epoch }: Caller, { statement }: OrgEvent): Promise<AppendRefusal | null> {
    const [standing, may] = await Promise.all([this.#officers.standing(did), this.mayWrite(did)])
    if (!may.ok) return { reason: 'licence_required' }
    if (!standing.ok) return standing.error
    if (!standing.value) return { reason: 'not_an_org' }
    const { held, rootEpoch } = standing.value
    if (held) return { reason: 'security_hold' }
    if (rootEpoch !== epoch) return { reason: 'stale_epoch', epoch: rootEpoch }
    return statement.event === 'revoke' ? null : fullAt(statement.sequence, may.value)
  }

  async #signatureFault(caller: Caller, event: OrgEvent): Promise<AppendRefusal | null> {
    const { acceptance, statement } = event
    const isOrgs = await verifyStatement(event, bytesOf(caller.publicKeyB64u), this.#realms)
    if (!isOrgs) return { reason: 'invalid_signature' }
    if (!acceptance) return null
    const member = await this.#authority(statement.memberDid)
    if (!member.ok) return member.error
    const { publicKeyB64u } = acceptance
    const isCurrent = member.value?.deactivated === false && member.value.publicKeyB64u === publicKeyB64u
    const isSigned = isCurrent && (await verifyStatement(acceptance, bytesOf(publicKeyB64u), this.#realms))
    return isSigned ? null : { reason: 'acceptance_unverifiable' }
  }

  /** An invented event would lock out the organization or the member: nothing that they sign later could follow it. */
  async #headFault({ statement, acceptance }: OrgEvent): Promise<AppendRefusal | null> {
    const [hasOrgs, hasMembers] = await Promise.all([
      this.#inceptionLogs.has(statement.orgDid, statement.inception),
      this.#inceptionLogs.has(statement.memberDid, acceptance?.statement.inception ?? null),
    ])
    if (!hasOrgs) return { reason: 'unknown_head', of: 'event' }
    return hasMembers ? null : { reason: 'unknown_head', of: 'acceptance' }
  }

  /** Core's answer about a DID; null if it does not know the identity. */
  async #authority(did: string): Promise<Result<Authority | null, { readonly reason: 'unavailable' }>> {
    const answer = await this.#core.call({ method: 'GET', path: `/api/internal/authority/${did}` }, authoritySchema)
    if (answer.ok) return answer.value.did === did ? answer : err({ reason: 'unavailable' })
    const isUnknown = answer.error.reason === 'refused' && answer.error.error === 'not_found'
    return isUnknown ? ok(null) : err({ reason: 'unavailable' })
  }
}

/** A member can always be revoked, however long the log is. */
function fullAt(sequence: number, tier: Tier): BudgetRefusal | null {
  const limit = TIER_BUDGETS[tier].organizationEvents
  if (sequence <= limit) return null
  return { reason: 'budget_exhausted', budget: 'organizationEvents', used: sequence - 1, limit, tier }
}
