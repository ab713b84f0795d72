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
} from '@svc/protocol/org-bindings'
import { OrgRosterVerifier } from '@svc/protocol/org-roster'
import {
  type MembershipsPage,
  type MembersPage,
  membershipsPageSchema,
  membersPageSchema,
  type OrgAppended,
  type OrgEventsPage,
  orgAppendedSchema,
  orgEventsPageSchema,
} from '@svc/protocol/organizations'
import { signStatement } from '@svc/protocol/statement'
import type { Device } from './device.ts'
import { Identity } from './identity.ts'
import type { KeyHistory } from './key-history.ts'
import { ServiceError } from './service-error.ts'
import type { Transport } from './transport.ts'

/** How often an event follows a head that others have moved before it gives up. */
const MAX_REBASES = 8

/** What a member is bound by and to. */
export interface BindingTerms {
  readonly memberDid: string
  /** Names the identity provider: `login.example.com`. */
  readonly provider: string
  /** Of the subject at the provider: `subjectHashOf`. */
  readonly subjectHash: string
  readonly role: OrgRole
  readonly permissions?: readonly OrgPermission[]
  /** When the binding ends by itself, epoch ms; never unless given. */
  readonly expiresAt?: number
  /** What the member has signed; without it the binding is pending. */
  readonly acceptance?: SignedOrgAcceptance
}

export interface PageOptions {
  /** The organization; this client's own identity unless given. Its officers read as themselves. */
  readonly orgDid?: string
  /** 1 to 200; 50 unless given. */
  readonly limit?: number
  readonly cursor?: string
}

/** A roster that was folded from a log whose every signature holds. */
export interface VerifiedRoster {
  readonly members: ReadonlyMap<string, Member>
  readonly head: OrgHead
}

type Change = Pick<OrgBinding, 'memberDid' | 'event'> & Partial<OrgBinding>

/** The members of an organization (document 2 section 4.3): read by it and its officers, changed by its root key. */
export class Members {
  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device
  readonly #keys: KeyHistory

  constructor(transport: Transport, base: string, owner: Identity | Device, keys: KeyHistory) {
    this.#transport = transport
    this.#base = base
    this.#owner = owner
    this.#keys = keys
  }

  /** Which subject stands for which member; a page, ascending by DID. */
  list(page: PageOptions = {}): Promise<MembersPage> {
    return this.#transport.json(this.#read('members', page), membersPageSchema)
  }

  /** What each member is: role, status, permissions, expiry, suspension, newest event. */
  memberships(page: PageOptions = {}): Promise<MembershipsPage> {
    return this.#transport.json(this.#read('memberships', page), membershipsPageSchema)
  }

  /** One page of the signed events, ascending. Nothing in it is verified yet: see `verify`. */
  events(from = 1, orgDid = this.#owner.did): Promise<OrgEventsPage> {
    return this.#transport.json(this.#read('events', { orgDid, from }), orgEventsPageSchema)
  }

  /**
   * Reads the whole log, verifies every event from the organization's DID on, and folds it: who belongs to it, without
   * the service's word. Throws when anything does not hold. `statusOf` reads what a member is at a time.
   */
  async verify(orgDid = this.#owner.did): Promise<VerifiedRoster> {
    const verifier = new OrgRosterVerifier(await this.#keys.of(orgDid), (did) => this.#keys.of(did))
    for (let from: number | null = 1; from !== null; ) {
      const page: OrgEventsPage = await this.events(from, orgDid)
      for (const event of page.events) {
        const next = await verifier.next(event)
        if (!next.ok) throw new Error(`the log breaks at ${event.statement.sequence}: ${next.error.reason}`)
      }
      const { head } = verifier.roster
      if (page.next !== null && (page.events.length === 0 || page.next !== head.sequence + 1)) {
        throw new Error('the log has a gap')
      }
      if (page.next === null && page.head.hash !== head.hash) throw new Error('the log was cut short')
      from = page.next
    }
    const { members, head } = verifier.roster
    return { members, head }
  }

  /** Binds a member. */
  bind(terms: BindingTerms): Promise<OrgAppended> {
    return this.#follow(...onTerms('bind', terms))
  }

  /** Puts other terms in the place of those that hold. A new subject has to be accepted anew. */
  update(terms: BindingTerms): Promise<OrgAppended> {
    return this.#follow(...onTerms('update', terms))
  }

  /** Suspends a member from a time, or now, until a time, or until it is resumed; epoch ms. */
  suspend(memberDid: string, window: { readonly from?: number; readonly until?: number } = {}): Promise<OrgAppended> {
    const { from: suspendedFrom = null, until: suspendedUntil = null } = window
    return this.#follow({ memberDid, event: 'suspend', suspendedFrom, suspendedUntil })
  }

  /** Ends a suspension, also one that has not begun. */
  resume(memberDid: string): Promise<OrgAppended> {
    return this.#follow({ memberDid, event: 'resume' })
  }

  /** Ends a binding. Nobody is bound by it when this returns. */
  revoke(memberDid: string): Promise<OrgAppended> {
    return this.#follow({ memberDid, event: 'revoke' })
  }

  /** Signs an event that follows a head, and sends nothing. A device can send it. */
  async make(change: Change, head: OrgHead, acceptance?: SignedOrgAcceptance): Promise<OrgEvent> {
    const owner = this.#owner
    if (!(owner instanceof Identity)) throw new TypeError('members are changed by the root key')
    const statement: OrgBinding = {
      ...change,
      type: 'svc/org-binding/v1',
      orgDid: owner.did,
      orgScope: owner.scope,
      rootEpoch: owner.epoch,
      sequence: head.sequence + 1,
      previousHash: head.hash,
      issuedAt: this.#transport.now(),
    }
    const signed = await signStatement(statement, (message) => owner.sign(message))
    return { ...signed, ...(acceptance ? { acceptance } : {}) }
  }

  /** Sends a signed event. The same event again gives the same answer. */
  async send(event: OrgEvent): Promise<OrgAppended> {
    const { orgDid, event: kind } = event.statement
    const url = `${this.#org(orgDid)}/${kind === 'revoke' ? 'revoke' : 'bind'}`
    const call = { method: 'POST', url, audience: 'identity', body: event } as const
    const appended = await this.#transport.json(call, orgAppendedSchema)
    if (appended.hash !== orgEventHash(event)) throw new Error('the service answered for another event')
    return appended
  }

  /** Signs an event on the head, and anew when another was faster. A connection that breaks is tried once more. */
  async #follow(change: Change, acceptance?: SignedOrgAcceptance): Promise<OrgAppended> {
    let { head }: { head: OrgHead } = await this.list({ limit: 1 })
    for (let attempt = 0; ; attempt++) {
      const event = await this.make(change, head, acceptance)
      try {
        return await this.send(event).catch((error: unknown) =>
          error instanceof TypeError
            ? this.send(event)
            : Promise.reject(error instanceof Error ? error : new Error('a fault')),
        )
      } catch (error) {
        if (!(error instanceof ServiceError) || error.error !== 'stale_org_head' || attempt === MAX_REBASES) throw error
        head = orgHeadSchema.parse(error.details['head'])
      }
    }
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
