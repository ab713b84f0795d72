import { err, ok, type Result } from '@svc/protocol/base/result'
import type { OfficersAnswer } from '@svc/protocol/did/organizations'
import { type OfficersRecord, officersRecordSchema } from '@svc/protocol/internal/core'
import type { InternalClient } from '@svc/service'

export type OfficersRefusal = { readonly reason: 'not_found' | 'unavailable' }
export interface WantedOfficers {
  readonly at?: number | undefined
  readonly version?: number | undefined
}

export type OrgStanding = Pick<OfficersRecord, 'rootEpoch' | 'held'>

/** The officers of an organization, from core's verified inception log. Nothing is cached here. */
export class OfficerService {
  readonly #core: InternalClient

  constructor(core: InternalClient) {
    this.#core = core
  }

  /** A roster with the event that proves it. A deactivated organization has no officers from then on. */
  async find(orgDid: string, wanted: WantedOfficers): Promise<Result<OfficersAnswer, OfficersRefusal>> {
    const found = await this.#ask(orgDid, { ...wanted, evidence: 'event' })
    if (!found.ok) return found
    const { version, officers, quorum, since, until, deactivatedAt, event } = found.value
    const isAsked =
      event !== null &&
      event.statement.did === orgDid &&
      (wanted.version === undefined || version === wanted.version) &&
      (wanted.at === undefined || (since <= wanted.at && (until === null || wanted.at < until)))
    if (!isAsked) return err({ reason: 'unavailable' })
    const asOf = wanted.at ?? (wanted.version === undefined ? Number.POSITIVE_INFINITY : since)
    if (deactivatedAt !== null && deactivatedAt <= asOf) return err({ reason: 'not_found' })
    return ok({ orgDid, version, officers, quorum, since, until: until ?? deactivatedAt, event })
  }

  /** Whether a DID is an officer now. Asked every time, so a removed officer is rejected at the next request. */
  async isOfficer(orgDid: string, did: string): Promise<Result<boolean, { readonly reason: 'unavailable' }>> {
    const found = await this.#ask(orgDid, {})
    if (found.ok) return ok(found.value.deactivatedAt === null && found.value.officers.includes(did))
    return found.error.reason === 'not_found' ? ok(false) : err({ reason: 'unavailable' })
  }

  /** The current state of an organization at core; null if it is not one, or is deactivated. */
  async standing(orgDid: string): Promise<Result<OrgStanding | null, { readonly reason: 'unavailable' }>> {
    const found = await this.#ask(orgDid, {})
    if (found.ok) return ok(found.value.deactivatedAt === null ? found.value : null)
    return found.error.reason === 'not_found' ? ok(null) : err({ reason: 'unavailable' })
  }

  async #ask(
    orgDid: string,
    query: WantedOfficers & { readonly evidence?: 'event' },
  ): Promise<Result<OfficersRecord, OfficersRefusal>> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined)
    const parameters = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
    const path = `/api/internal/officers/${orgDid}?${parameters.toString()}`
    const answer = await this.#core.call({ method: 'GET', path }, officersRecordSchema)
    // An answer about another organization does not count.
    if (answer.ok) return answer.value.did === orgDid ? answer : err({ reason: 'unavailable' })
    const isUnknown = answer.error.reason === 'refused' && answer.error.error === 'not_found'
    return err({ reason: isUnknown ? 'not_found' : 'unavailable' })
  }
}
