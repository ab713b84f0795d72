import { reaching } from '@svc/protocol/base/dependency-fault'
import type { Result } from '@svc/protocol/base/result'
import type { BindingFault, OrgEvent } from '@svc/protocol/did/org-bindings'
import type { MembershipsObject } from '../memberships/object.ts'
import type { MembersWanted, StoredMember } from './member-table.ts'
import type { OrganizationObject } from './object.ts'
import type { EventsHere, MembersHere, Sender, Verdict } from './transaction.ts'

/** The objects of organizations, and those of their members. */
export class Organizations {
  readonly #organizations: DurableObjectNamespace<OrganizationObject>
  readonly #memberships: DurableObjectNamespace<MembershipsObject>

  constructor(
    organizations: DurableObjectNamespace<OrganizationObject>,
    memberships: DurableObjectNamespace<MembershipsObject>,
  ) {
    this.#organizations = organizations
    this.#memberships = memberships
  }

  judge(event: OrgEvent, sender: Sender): Promise<Verdict> {
    return reaching<Verdict>('organizations', async () => this.#of(sender.did).judge(event, sender))
  }

  append(event: OrgEvent, sender: Sender, now: number): Promise<Result<number, BindingFault>> {
    return reaching<Result<number, BindingFault>>('organizations', async () =>
      this.#of(sender.did).append(event, sender, now),
    )
  }

  member(orgDid: string, memberDid: string): Promise<StoredMember | null> {
    return reaching('organizations', () => this.#of(orgDid).member(memberDid))
  }

  /** Sorted by DID. */
  members(orgDid: string, wanted: MembersWanted): Promise<MembersHere> {
    return reaching('organizations', () => this.#of(orgDid).members(wanted))
  }

  /** The log, ascending. */
  events(orgDid: string, from: number, limit: number): Promise<EventsHere> {
    return reaching('organizations', () => this.#of(orgDid).events(from, limit))
  }

  /** The bindings of one member, sorted by organization. */
  bindingsOf(memberDid: string, after: string, limit: number): Promise<StoredMember[]> {
    return reaching('organizations', () => this.#memberships.getByName(memberDid).list(after, limit))
  }

  #of(orgDid: string) {
    return this.#organizations.getByName(orgDid)
  }
}
