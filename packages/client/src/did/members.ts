import { type Json, jcs } from '#protocol/base/jcs'
import { signStatement } from '#protocol/base/statement'
import {
  type Member,
  type OrgBinding,
  type OrgEvent,
  type OrgHead,
  type OrgPermission,
  type OrgRole,
  orgEventHash,
  orgHeadSchema,
  type SignedOrgAcceptance,
} from '#protocol/did/org-bindings'
import { OrgRosterVerifier } from '#protocol/did/org-roster'
import {
  type MembershipsPage,
  type MembersPage,
  membershipsPageSchema,
  membersPageSchema,
  type OrgAppended,
  type OrgEventsPage,
  orgAppendedSchema,
  orgEventsPageSchema,
} from '#protocol/did/organizations'
import { answerSchema } from '#protocol/http/answer-schema'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { signerOf } from '../identity/signing-key.ts'
import type { Piece } from '../memory/errors.ts'
import { KnownLogs } from '../memory/known-logs.ts'
import { linkedLog } from '../memory/linked-log.ts'
import { LogWriter } from '../memory/log-writer.ts'
import { RememberedLog } from '../memory/remembered-log.ts'
import { everyItem } from '../transport/pages.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import { headOfOrg, orgLog, orgName, placeOfOrg, placeOfOrgEvent } from './org-log.ts'

/** The terms of a binding. */
export interface BindingTerms {
  readonly memberDid: string
  /** Names the identity provider: `login.example.com`. */
  readonly provider: string
  /** Of the subject at the provider: `subjectHashOf`. */
  readonly subjectHash: string
  readonly role: OrgRole
  readonly permissions?: readonly OrgPermission[]
  /** When the binding expires, epoch ms; defaults to never. */
  readonly expiresAt?: number
  /** The member's signed acceptance; without it the binding is pending. */
  readonly acceptance?: SignedOrgAcceptance
}

export interface PageOptions {
  /** The organization; defaults to this client's own identity. Its officers read as themselves. */
  readonly orgDid?: string
  /** 1 to 200; default 50. */
  readonly limit?: number
  readonly cursor?: string
}

/** A roster computed from a fully verified log. */
export interface VerifiedRoster {
  readonly members: ReadonlyMap<string, Member>
  readonly head: OrgHead
}

type Change = Pick<OrgBinding, 'memberDid' | 'event'> & Partial<OrgBinding>

/** The members of an organization: read by it and its officers, changed by its root key. */
export class Members {
  // As results: see `safely`.
  readonly safeVerify = safeTwin(this, 'verify')
  readonly safeList = safeTwin(this, 'list')

  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device
  readonly #keys: KeyHistory
  readonly #memory: KnownLogs
  readonly #writer: LogWriter<OrgEvent, OrgEvent | null, OrgAppended>

  constructor(
    transport: Transport,
    base: string,
    owner: Identity | Device,
    keys: KeyHistory,
    memory = new KnownLogs(),
  ) {
    this.#transport = transport
    this.#base = base
    this.#owner = owner
    this.#keys = keys
    this.#memory = memory
    this.#writer = this.#makeWriter()
  }

  /** Which subject stands for which member; one page, sorted by DID. */
  list(page: PageOptions = {}): Promise<MembersPage> {
    return this.#glance(page, () => this.#transport.json(this.#read('members', page), membersPageSchema))
  }

  /** Every member with its subject, sorted by DID, as `list` has them. */
  all(orgDid = this.#owner.did): AsyncGenerator<MembersPage['members'][number]> {
    return everyItem(async (cursor) => {
      const page = await this.list({ orgDid, limit: 200, ...(cursor === undefined ? {} : { cursor }) })
      return { items: page.members, cursor: page.cursor }
    })
  }

  /** Every member's state, sorted by DID, as `memberships` has them. */
  allMemberships(orgDid = this.#owner.did): AsyncGenerator<MembershipsPage['memberships'][number]> {
    return everyItem(async (cursor) => {
      const page = await this.memberships({ orgDid, limit: 200, ...(cursor === undefined ? {} : { cursor }) })
      return { items: page.memberships, cursor: page.cursor }
    })
  }

  /** The state of each member: role, status, permissions, expiry, suspension, newest event. */
  memberships(page: PageOptions = {}): Promise<MembershipsPage> {
    return this.#glance(page, () => this.#transport.json(this.#read('memberships', page), membershipsPageSchema))
  }

  /** One page of the signed events, ascending. Not verified: use `verify`. */
  events(from = 1, orgDid = this.#owner.did): Promise<OrgEventsPage> {
    return this.#glance({ orgDid }, () => this.#readEvents(from, orgDid))
  }

  /**
   * Reads the whole log, verifies every event from the organization's DID, and computes the members without trusting
   * the service. Throws if anything does not verify, and a `HistoryError` if the log does not contain everything that
   * this client has seen of it. `statusOf` returns the state of a member at a time.
   */
  async verify(orgDid = this.#owner.did): Promise<VerifiedRoster> {
    const verifier = new OrgRosterVerifier(
      await this.#keys.of(orgDid),
      (did) => this.#keys.of(did),
      this.#transport.realms,
    )
    const replay = await this.#log(orgDid).replay()
    let last: Piece<OrgEvent | null> = { ...placeOfOrg(verifier.roster.head), signed: null }
    for (let from: number | null = 1; from !== null; ) {
      const page: OrgEventsPage = await this.events(from, orgDid)
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
    await replay.end(last)
    return { members, head }
  }

  /** Binds a member. */
  bind(terms: BindingTerms): Promise<OrgAppended> {
    return this.#follow(...onTerms('bind', terms))
  }

  /** Replaces the terms of a binding. A new subject needs a new acceptance. */
  update(terms: BindingTerms): Promise<OrgAppended> {
    return this.#follow(...onTerms('update', terms))
  }

  /** Suspends a member from a time, or now, until a time, or until resumed; epoch ms. */
  suspend(memberDid: string, window: { readonly from?: number; readonly until?: number } = {}): Promise<OrgAppended> {
    const { from: suspendedFrom = null, until: suspendedUntil = null } = window
    return this.#follow({ memberDid, event: 'suspend', suspendedFrom, suspendedUntil })
  }

  /** Ends a suspension, including one that has not started. */
  resume(memberDid: string): Promise<OrgAppended> {
    return this.#follow({ memberDid, event: 'resume' })
  }

  /** Ends a binding. The member is no longer bound when this returns. */
  revoke(memberDid: string): Promise<OrgAppended> {
    return this.#follow({ memberDid, event: 'revoke' })
  }

  /** Signs an event that follows a head, without sending it. A device can send it. */
  async make(change: Change, head: OrgHead, acceptance?: SignedOrgAcceptance): Promise<OrgEvent> {
    const owner = this.#owner
    if (!(owner instanceof Identity)) throw new TypeError('Only the root key can change members')
    const statement: OrgBinding = {
      ...change,
      type: 'svc/org-binding/v1',
      realm: this.#transport.realm,
      orgDid: owner.did,
      orgScope: owner.scope,
      rootEpoch: owner.epoch,
      sequence: head.sequence + 1,
      previousHash: head.hash,
      issuedAt: this.#transport.now(),
    }
    const signed = await signStatement(statement, signerOf(owner))
    return { ...signed, ...(acceptance ? { acceptance } : {}) }
  }

  /** Sends a signed event. Idempotent per event. */
  async send(event: OrgEvent): Promise<OrgAppended> {
    const { orgDid, event: kind } = event.statement
    const url = `${this.#org(orgDid)}/${kind === 'revoke' ? 'revoke' : 'bind'}`
    const call = { method: 'POST', url, audience: 'identity', body: event } as const
    const appended = await this.#transport.json(call, orgAppendedSchema)
    if (appended.hash !== orgEventHash(event))
      throw unverified('organization', 'different_answer', 'The service answered for a different event', {
        evidence: appended,
      })
    return appended
  }

  /** Signs an event on the head, again if another writer was faster. */
  async #follow(change: Change, acceptance?: SignedOrgAcceptance): Promise<OrgAppended> {
    const wish = jcs({ ...change, acceptance: acceptance?.signatureB64u ?? null })
    const { answer } = await this.#writer.append({
      make: async (place) => this.make(change, headOfOrg(place), acceptance),
      isSame: (event) => wish === wishOf(event, change),
    })
    return answer
  }

  #makeWriter(): LogWriter<OrgEvent, OrgEvent | null, OrgAppended> {
    return new LogWriter({
      memory: this.#memory,
      log: () => ({ name: orgName(this.#owner.did), remembered: this.#log(this.#owner.did) }),
      pieceOf: (event) => ({ ...placeOfOrgEvent(event), signed: event }),
      head: async () => {
        const ask = () => this.#transport.json(this.#read('members', { limit: 1 }), membersPageSchema)
        return placeOfOrg((await this.#log(this.#owner.did).ask(ask, ({ head }) => placeOfOrg(head))).head)
      },
      send: (event) => this.send(event),
      isThere: () => null,
      movedTo: ({ error, details }) => {
        const head = answerSchema(orgHeadSchema).safeParse(details['head'])
        return error === 'stale_org_head' && head.success ? placeOfOrg(head.data) : null
      },
      isOurs: ({ statement }) => statement.rootEpoch === this.#owner.epoch,
      // A retry cannot succeed: the service rejects what breaks the rules of the log.
      keepsRefused: false,
    })
  }

  #log(orgDid: string): RememberedLog<OrgEvent | null> {
    const log = orgLog({
      orgDid,
      keys: this.#keys,
      realms: this.#transport.realms,
      events: (from) => this.#eventsFrom(from, orgDid),
    })
    return new RememberedLog(this.#memory, linkedLog(log))
  }

  async *#eventsFrom(first: number, orgDid: string): AsyncGenerator<OrgEvent> {
    for (let from: number | null = first; from !== null; ) {
      const { events, next }: OrgEventsPage = await this.#readEvents(from, orgDid)
      yield* events
      from = next === null || events.length === 0 ? null : from + events.length
    }
  }

  #readEvents(from: number, orgDid: string): Promise<OrgEventsPage> {
    return this.#transport.json(this.#read('events', { orgDid, from }), orgEventsPageSchema)
  }

  #glance<A extends { readonly head: OrgHead }>({ orgDid }: PageOptions, ask: () => Promise<A>): Promise<A> {
    return this.#log(orgDid ?? this.#owner.did).glance(ask, ({ head }) => placeOfOrg(head))
  }

  #read(name: string, { orgDid = this.#owner.did, ...query }: PageOptions & { readonly from?: number }) {
    const url = new URL(`${this.#org(orgDid)}/${name}`)
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, String(value))
    return { method: 'GET', url: url.href, audience: 'identity' } as const
  }

  #org(orgDid: string): string {
    return `${this.#base}/1.0/org/${encodeURIComponent(orgDid)}`
  }
}

function onTerms(event: 'bind' | 'update', terms: BindingTerms): [Change, SignedOrgAcceptance | undefined] {
  const { memberDid, provider, subjectHash, role, permissions = [], expiresAt = null, acceptance } = terms
  return [{ memberDid, event, provider, subjectHash, role, permissions: [...permissions], expiresAt }, acceptance]
}

/** An event as the change that it makes, with the members that the change names. */
function wishOf({ statement, acceptance }: OrgEvent, change: Change): string {
  const members = Object.keys(change).map((name) => [name, statement[name as keyof OrgBinding]])
  return jcs({ ...Object.fromEntries(members), acceptance: acceptance?.signatureB64u ?? null } as {
    [name: string]: Json
  })
}
