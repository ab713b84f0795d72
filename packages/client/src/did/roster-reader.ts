import type { Member, OrgEvent, OrgHead } from '#protocol/did/org-bindings'
import { OrgRosterVerifier } from '#protocol/did/org-roster'
import {
  type MembershipsPage,
  type MembersPage,
  membershipsPageSchema,
  membersPageSchema,
  type OrgEventsPage,
  orgEventsPageSchema,
} from '#protocol/did/organizations'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Device } from '../identity/device.ts'
import type { Identity } from '../identity/identity.ts'
import type { Piece } from '../memory/errors.ts'
import type { KnownLogs } from '../memory/known-logs.ts'
import { linkedLog } from '../memory/linked-log.ts'
import { RememberedLog } from '../memory/remembered-log.ts'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'
import { orgLog, placeOfOrg, placeOfOrgEvent } from './org-log.ts'
import { orderOf, type RosterOrder, timesOf } from './roster-order.ts'

export interface PageOptions {
  /** The organization; defaults to this client's own identity. Its officers read as themselves. */
  readonly orgDid?: string
  /** 1 to 200; default 50. */
  readonly limit?: number
  readonly cursor?: string
}

/** A roster computed from a fully verified log, and what proves the order of its newest event. */
export interface VerifiedRoster extends RosterOrder {
  readonly members: ReadonlyMap<string, Member>
  readonly head: OrgHead
}

interface Parts {
  readonly transport: Transport
  readonly base: string
  readonly owner: Identity | Device
  readonly keys: KeyHistory
  readonly memory: KnownLogs
}

/** Reads the members of an organization and the log of its bindings, and verifies it from the organization's DID. */
export class RosterReader {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  members(page: PageOptions): Promise<MembersPage> {
    return this.#glance(page, () => this.#parts.transport.json(this.#read('members', page), membersPageSchema))
  }

  memberships(page: PageOptions): Promise<MembershipsPage> {
    return this.#glance(page, () => this.#parts.transport.json(this.#read('memberships', page), membershipsPageSchema))
  }

  events(from: number, orgDid: string): Promise<OrgEventsPage> {
    return this.#glance({ orgDid }, () => this.#readEvents(from, orgDid))
  }

  /** A page of this identity's own organization, for the head in it. */
  newest(): Promise<MembersPage> {
    return this.#parts.transport.json(this.#read('members', { limit: 1 }), membersPageSchema)
  }

  async verify(orgDid: string): Promise<VerifiedRoster> {
    const { transport, keys } = this.#parts
    const own = await keys.of(orgDid)
    const verifier = new OrgRosterVerifier(own, (did) => keys.of(did), transport.realms)
    const acceptedAt = new Map<number, number>()
    const replay = await this.log(orgDid).replay()
    let last: Piece<OrgEvent | null> = { ...placeOfOrg(verifier.roster.head), signed: null }
    for (let from: number | null = 1; from !== null; ) {
      const page: OrgEventsPage = await this.events(from, orgDid)
      for (const [sequence, at] of timesOf(page)) acceptedAt.set(sequence, at)
      for (const event of page.events) {
        const next = await verifier.next(event)
        if (!next.ok)
          throw unverified(
            'organization',
            next.error.reason,
            `The log is invalid at ${event.statement.sequence}: ${next.error.reason}`,
            { where: { sequence: event.statement.sequence }, evidence: event },
          )
        last = { ...placeOfOrgEvent(event), signed: event }
        replay.saw(last)
      }
      const { head } = verifier.roster
      if (page.next !== null && (page.events.length === 0 || page.next !== head.sequence + 1)) {
        throw unverified('organization', 'left_out', 'The log has a gap', { where: { sequence: head.sequence + 1 } })
      }
      if (page.next === null && page.head.hash !== head.hash)
        throw unverified('organization', 'left_out', 'The log was truncated', {
          where: { sequence: page.head.sequence },
        })
      from = page.next
    }
    const { members, head } = verifier.roster
    const order = await orderOf(verifier, acceptedAt, { own, member: (did) => keys.of(did) })
    await replay.end(last)
    return { members, head, ...order }
  }

  /** The log of an organization, as the rule of memory reads it. */
  log(orgDid: string): RememberedLog<OrgEvent | null> {
    const log = orgLog({
      orgDid,
      keys: this.#parts.keys,
      realms: this.#parts.transport.realms,
      events: (from) => this.#eventsFrom(from, orgDid),
    })
    return new RememberedLog(this.#parts.memory, linkedLog(log))
  }

  async *#eventsFrom(first: number, orgDid: string): AsyncGenerator<OrgEvent> {
    for (let from: number | null = first; from !== null; ) {
      const { events, next }: OrgEventsPage = await this.#readEvents(from, orgDid)
      yield* events
      from = next === null || events.length === 0 ? null : from + events.length
    }
  }

  #readEvents(from: number, orgDid: string): Promise<OrgEventsPage> {
    return this.#parts.transport.json(this.#read('events', { orgDid, from }), orgEventsPageSchema)
  }

  #glance<A extends { readonly head: OrgHead }>({ orgDid }: PageOptions, ask: () => Promise<A>): Promise<A> {
    return this.log(orgDid ?? this.#parts.owner.did).glance(ask, ({ head }) => placeOfOrg(head))
  }

  #read(name: string, { orgDid = this.#parts.owner.did, ...query }: PageOptions & { readonly from?: number }) {
    const url = new URL(`${orgUrl(this.#parts.base, orgDid)}/${name}`)
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, String(value))
    return { method: 'GET', url: url.href, audience: 'identity' } as const
  }
}

export function orgUrl(base: string, orgDid: string): string {
  return `${base}/1.0/org/${encodeURIComponent(orgDid)}`
}
