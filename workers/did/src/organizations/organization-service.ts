import type { Caller } from '@svc/assertion'
import { bytesOf } from '@svc/protocol/base64url'
import { type Authority, authoritySchema } from '@svc/protocol/internal'
import { type BindingFault, judgeBinding, type OrgEvent, orgEventHash, statusOf } from '@svc/protocol/org-bindings'
import type { OrgAppended, OrgVerify } from '@svc/protocol/organizations'
import { err, ok, type Result } from '@svc/protocol/result'
import { verifyStatement } from '@svc/protocol/statement'
import type { InternalClient } from '@svc/service'
import type { LicenceStore } from './licence-store.ts'
import type { OfficerService } from './officer-service.ts'
import type { OrgStore } from './org-store.ts'

export type AuthorityRefusal = { readonly reason: 'forbidden' | 'licence_required' | 'unavailable' }
export type AppendRefusal =
  | BindingFault
  | {
      readonly reason:
        | 'not_an_org'
        | 'invalid_signature'
        | 'statement_expired'
        | 'acceptance_unverifiable'
        | 'licence_required'
        | 'security_hold'
        | 'org_log_full'
        | 'unavailable'
    }

/** Clock tolerance of statements that come through the shared verifier. */
const STATEMENT_SKEW_MS = 300_000

/** 13 kB each: 650 MB of the 10 GB that a database holds, for a log that nobody ever shortens. */
const MAX_ORG_EVENTS = 50_000

/** Bindings of members to organizations: who may see and change them, and what they amount to. */
export class OrganizationService {
  readonly #store: OrgStore
  readonly #licences: LicenceStore
  readonly #officers: OfficerService
  readonly #core: InternalClient

  constructor(store: OrgStore, licences: LicenceStore, officers: OfficerService, core: InternalClient) {
    this.#store = store
    this.#licences = licences
    this.#officers = officers
    this.#core = core
  }

  /** Whether a caller may read the rosters of an organization: itself or an officer of it now, and licensed. */
  async mayRead({ did }: Caller, orgDid: string, now: number): Promise<Result<void, AuthorityRefusal>> {
    if (did !== orgDid) {
      const officer = await this.#officers.isOfficer(orgDid, did)
      if (!officer.ok) return officer
      if (!officer.value) return err({ reason: 'forbidden' })
    }
    return this.mayWrite(orgDid, now)
  }

  /** Whether an organization has a licence; that the caller is the organization was checked before. */
  async mayWrite(orgDid: string, now: number): Promise<Result<void, AuthorityRefusal>> {
    return (await this.#licences.isActive(orgDid, now)) ? ok(undefined) : err({ reason: 'licence_required' })
  }

  /**
   * Takes an event of the caller's organization. It is judged against what one transaction reads and written in another
   * that holds only while the head is the same: whatever came between has moved the head.
   */
  async append(caller: Caller, event: OrgEvent, now: number): Promise<Result<OrgAppended, AppendRefusal>> {
    const { orgDid, orgScope, sequence, issuedAt } = event.statement
    if (orgDid !== caller.did || orgScope !== caller.scope) return err({ reason: 'owner_mismatch' })
    // An acceptance of the future would bar every later one.
    const newest = Math.max(issuedAt, event.acceptance?.statement.issuedAt ?? 0)
    if (newest > now + STATEMENT_SKEW_MS) return err({ reason: 'statement_expired' })
    const hash = orgEventHash(event)
    const reading = await this.#store.read(event, hash)
    // The retry of an event whose answer was lost finds it in place.
    if (reading.acceptedAt !== null) return ok({ orgDid, sequence, hash, acceptedAt: reading.acceptedAt })
    const state = { orgDid, orgScope, epoch: caller.epoch, ...reading }
    const judged = judgeBinding(state, event, hash)
    if (!judged.ok) return judged
    const unsigned = await this.#signatureFault(caller, event)
    if (unsigned) return err(unsigned)
    const barred = await this.#barOf(caller, event)
    if (barred) return err(barred)
    if (await this.#store.append(event, judged.value, reading.head, now)) {
      return ok({ orgDid, sequence, hash, acceptedAt: now })
    }
    return this.#whyNot(event, hash, now)
  }

  /** Whether a member is bound now. What cannot be known is refused, and never answered with yes. */
  async verify(orgDid: string, memberDid: string, now: number): Promise<Result<OrgVerify, { reason: 'unavailable' }>> {
    const unbound = { orgDid, memberDid, bound: false }
    const member = await this.#store.member(orgDid, memberDid)
    if (!member || statusOf(member, now) !== 'active') return ok(unbound)
    const both = await Promise.all([orgDid, memberDid].map((did) => this.#authority(did)))
    for (const authority of both) {
      if (!authority.ok) return authority
      // Either of them has ended its identity, and with it whatever it was bound to.
      if (!authority.value || authority.value.deactivated) return ok(unbound)
    }
    const { provider, expiresAt } = member
    return ok({ orgDid, memberDid, bound: true, provider, ...(expiresAt === null ? {} : { expiresAt }) })
  }

  /** The append was not made: another was faster, which may have been this very event, or the licence has ended. */
  async #whyNot(event: OrgEvent, hash: string, now: number): Promise<Result<OrgAppended, AppendRefusal>> {
    const { orgDid, sequence } = event.statement
    const { acceptedAt, head } = await this.#store.read(event, hash)
    if (acceptedAt !== null) return ok({ orgDid, sequence, hash, acceptedAt })
    const licensed = await this.#licences.isActive(orgDid, now)
    return err(licensed ? { reason: 'stale_org_head', head } : { reason: 'licence_required' })
  }

  /** Asked last: what was signed by a key that was superseded, or put under a hold, on the way here is not written. */
  async #barOf({ did, epoch }: Caller, { statement }: OrgEvent): Promise<AppendRefusal | null> {
    const standing = await this.#officers.standing(did)
    if (!standing.ok) return standing.error
    if (!standing.value) return { reason: 'not_an_org' }
    const { held, rootEpoch } = standing.value
    if (held) return { reason: 'security_hold' }
    if (rootEpoch !== epoch) return { reason: 'stale_epoch', epoch: rootEpoch }
    // Whoever is bound can be let go, however long the log is.
    const isFull = statement.sequence > MAX_ORG_EVENTS && statement.event !== 'revoke'
    return isFull ? { reason: 'org_log_full' } : null
  }

  async #signatureFault(caller: Caller, event: OrgEvent): Promise<AppendRefusal | null> {
    const { acceptance, statement } = event
    if (!(await verifyStatement(event, bytesOf(caller.publicKeyB64u)))) return { reason: 'invalid_signature' }
    if (!acceptance) return null
    const member = await this.#authority(statement.memberDid)
    if (!member.ok) return member.error
    const { publicKeyB64u } = acceptance
    const isCurrent = member.value?.deactivated === false && member.value.publicKeyB64u === publicKeyB64u
    const isSigned = isCurrent && (await verifyStatement(acceptance, bytesOf(publicKeyB64u)))
    return isSigned ? null : { reason: 'acceptance_unverifiable' }
  }

  /** Core's word on a DID; null where it knows no such identity. */
  async #authority(did: string): Promise<Result<Authority | null, { readonly reason: 'unavailable' }>> {
    const answer = await this.#core.call({ method: 'GET', path: `/api/internal/authority/${did}` }, authoritySchema)
    if (answer.ok) return answer.value.did === did ? answer : err({ reason: 'unavailable' })
    const isUnknown = answer.error.reason === 'refused' && answer.error.error === 'not_found'
    return isUnknown ? ok(null) : err({ reason: 'unavailable' })
  }
}
