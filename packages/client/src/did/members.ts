import { type Json, jcs } from '#protocol/base/jcs'
import { signStatement } from '#protocol/base/statement'
import {
  type OrgBinding,
  type OrgEvent,
  type OrgHead,
  type OrgPermission,
  type OrgRole,
  orgEventHash,
  orgHeadSchema,
  type SignedOrgAcceptance,
} from '#protocol/did/org-bindings'
import {
  type MembershipsPage,
  type MembersPage,
  type OrgAppended,
  type OrgEventsPage,
  orgAppendedSchema,
} from '#protocol/did/organizations'
import { answerSchema } from '#protocol/http/answer-schema'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { placed } from '../identity/signing.ts'
import { signerOf } from '../identity/signing-key.ts'
import { KnownLogs } from '../memory/known-logs.ts'
import { LogWriter } from '../memory/log-writer.ts'
import { everyItem } from '../transport/pages.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import { headOfOrg, orgName, placeOfOrg, placeOfOrgEvent } from './org-log.ts'
import { orgUrl, type PageOptions, RosterReader, type VerifiedRoster } from './roster-reader.ts'

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

export type { PageOptions, VerifiedRoster } from './roster-reader.ts'

type Change = Pick<OrgBinding, 'memberDid' | 'event'> & Partial<OrgBinding>

/** The members of an organization: read by it and its officers, changed by its root key. */
export class Members {
  // As results: see `safely`.
  readonly safeVerify = safeTwin(this, 'verify')
  readonly safeList = safeTwin(this, 'list')

  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device
  readonly #reader: RosterReader
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
    this.#memory = memory
    this.#reader = new RosterReader({ transport, base, owner, keys, memory })
    this.#writer = this.#makeWriter()
  }

  /** Which subject stands for which member; one page, sorted by DID. */
  list(page: PageOptions = {}): Promise<MembersPage> {
    return this.#reader.members(page)
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
    return this.#reader.memberships(page)
  }

  /** One page of the signed events, ascending. Not verified: use `verify`. */
  events(from = 1, orgDid = this.#owner.did): Promise<OrgEventsPage> {
    return this.#reader.events(from, orgDid)
  }

  /**
   * Reads the whole log, verifies every event from the organization's DID, and computes the members without trusting
   * the service. Throws if anything does not verify, and a `HistoryError` if the log does not contain everything that
   * this client has seen of it. `order` says what proves that the newest event was signed before its root key ended.
   * Throws with the reason `unordered` if the service accepted it, or the newest acceptance of a member, after that.
   * `statusOf` returns the state of a member at a time.
   */
  async verify(orgDid = this.#owner.did): Promise<VerifiedRoster> {
    return this.#reader.verify(orgDid)
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
    // Another client of the organization may have known a newer event of the inception log than this one.
    const newest = await this.#reader.log(owner.did).newest()
    const signing = await this.#transport.signing()
    const statement: OrgBinding = {
      ...change,
      type: 'svc/org-binding/v1',
      ...placed(signing, newest?.signed?.statement.inception ?? null),
      orgDid: owner.did,
      orgScope: owner.scope,
      rootEpoch: owner.epoch,
      sequence: head.sequence + 1,
      previousHash: head.hash,
    }
    const signed = await signStatement(statement, signerOf(owner))
    return { ...signed, ...(acceptance ? { acceptance } : {}) }
  }

  /** Sends a signed event. Idempotent per event. */
  async send(event: OrgEvent): Promise<OrgAppended> {
    const { orgDid, event: kind } = event.statement
    const url = `${orgUrl(this.#base, orgDid)}/${kind === 'revoke' ? 'revoke' : 'bind'}`
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
      log: () => ({ name: orgName(this.#owner.did), remembered: this.#reader.log(this.#owner.did) }),
      pieceOf: (event) => ({ ...placeOfOrgEvent(event), signed: event }),
      head: async () => {
        const ask = () => this.#reader.newest()
        return placeOfOrg((await this.#reader.log(this.#owner.did).ask(ask, ({ head }) => placeOfOrg(head))).head)
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
