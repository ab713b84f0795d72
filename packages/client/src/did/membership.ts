import { bytesOf } from '#protocol/base/base64url'
import { signStatement } from '#protocol/base/statement'
import { AcceptedOfficers, officersFault } from '#protocol/devices/acceptance-order'
import { checkRoster, type Roster } from '#protocol/devices/officers'
import { verifyEventSignatures } from '#protocol/devices/verifier'
import type { SignedOrgAcceptance } from '#protocol/did/org-bindings'
import {
  type OfficersAnswer,
  type OrgVerify,
  type OwnBindingsPage,
  officersAnswerSchema,
  orgVerifySchema,
  ownBindingsPageSchema,
} from '#protocol/did/organizations'
import type { KeyHistory } from '../chain/key-history.ts'
import type { ReadHead } from '../devices/known-inception.ts'
import { OfficerKeys } from '../devices/officer-keys.ts'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { placed } from '../identity/signing.ts'
import { signerOf } from '../identity/signing-key.ts'
import { everyItem } from '../transport/pages.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'

/** Memberships in organizations, for anyone and as a member. */
export class Membership {
  // As results: see `safely`.
  readonly safeVerify = safeTwin(this, 'verify')
  readonly safeOfficers = safeTwin(this, 'officers')

  readonly #transport: Transport
  readonly #base: string
  readonly #keys: KeyHistory
  readonly #owner: Identity | Device | undefined

  readonly #readHead: ReadHead

  constructor(
    transport: Transport,
    base: string,
    keys: KeyHistory,
    owner: Identity | Device | undefined,
    readHead: ReadHead,
  ) {
    this.#transport = transport
    this.#base = base
    this.#keys = keys
    this.#owner = owner
    this.#readHead = readHead
  }

  /**
   * What the service says of the binding of a member to an organization now. Throws a `VerificationError` `not_bound` if
   * there is none; it does not say why. Needs no credential. With read access to the organization's log, you can verify it: see `Members.verify`.
   */
  async verify(orgDid: string, memberDid: string): Promise<OrgVerify> {
    const url = `${this.#org(orgDid)}/verify/${encodeURIComponent(memberDid)}`
    const answer = await this.#transport.json({ method: 'GET', url }, orgVerifySchema)
    if (answer.orgDid !== orgDid || answer.memberDid !== memberDid)
      throw unverified('membership', 'different_answer', 'The answer is about a different binding', {
        evidence: answer,
      })
    if (!answer.bound)
      throw unverified('membership', 'not_bound', 'The member is not bound to the organization', { evidence: answer })
    return answer
  }

  /**
   * The officers of an organization, now or at a time (epoch ms), verified: every roster from the first to this one is
   * signed by the organization's root key, approved by a quorum of the previous officers, and accepted by each new one.
   * When a roster came into force (`since`, `until`) is the service's claim. Without `at`, the answer may come from an
   * edge cache and be up to 645 s old; with `at`, core is asked. Needs no credential.
   */
  async officers(orgDid: string, options: { readonly at?: number } = {}): Promise<OfficersAnswer> {
    const query = options.at === undefined ? '' : `?at=${options.at}`
    const answer = await this.#officersBy(orgDid, query)
    const { at } = options
    if (at !== undefined && (answer.since > at || (answer.until !== null && answer.until <= at))) {
      throw unverified('roster', 'different_answer', 'The roster is of a different time', { evidence: answer })
    }
    const rosters = [answer]
    for (let version = answer.version - 1; version > 0; version--) {
      rosters.unshift(await this.#versionOf(orgDid, version))
    }
    await this.#prove(orgDid, rosters)
    return answer
  }

  /** This member's own bindings to organizations, at most 200 per page; pass `cursor` of one page to get the next, or use `allBindings`. */
  bindings(page: { readonly limit?: number; readonly cursor?: string } = {}): Promise<OwnBindingsPage> {
    const { did } = this.#mine
    const url = new URL(`${this.#base}/1.0/identifiers/${encodeURIComponent(did)}/bindings`)
    for (const [name, value] of Object.entries(page)) url.searchParams.set(name, String(value))
    return this.#transport.json({ method: 'GET', url: url.href, audience: 'identity' }, ownBindingsPageSchema)
  }

  /** Every binding of this member to an organization. */
  allBindings(): AsyncGenerator<OwnBindingsPage['bindings'][number]> {
    return everyItem(async (cursor) => {
      const page = await this.bindings({ limit: 200, ...(cursor === undefined ? {} : { cursor }) })
      return { items: page.bindings, cursor: page.cursor }
    })
  }

  /**
   * As a member: agrees to be bound to an organization with this subject, which the organization identifies by its hash.
   * Send the result to the organization. An acceptance counts once; to be bound again, accept again.
   * Reads the head of your own inception log first, because an acceptance must not name an older event than an earlier
   * one of yours.
   */
  async accept(terms: {
    readonly orgDid: string
    readonly provider: string
    readonly subjectHash: string
  }): Promise<SignedOrgAcceptance> {
    const owner = this.#mine
    if (!(owner instanceof Identity)) throw new TypeError('Only the root key can accept a binding')
    const { orgDid, provider, subjectHash } = terms
    await this.#readHead()
    const acceptance = {
      type: 'svc/org-acceptance/v1',
      ...placed(await this.#transport.signing()),
      orgDid,
      orgScope: (await this.#keys.of(orgDid))[0].userId,
      memberDid: owner.did,
      provider,
      subjectHash,
    } as const
    const signed = await signStatement(acceptance, signerOf(owner))
    return { ...signed, publicKeyB64u: owner.publicKeyB64u }
  }

  async #versionOf(orgDid: string, version: number): Promise<OfficersAnswer> {
    const roster = await this.#officersBy(orgDid, `?version=${version}`)
    if (roster.version !== version)
      throw unverified('roster', 'different_answer', `The answer is not roster ${version}`, {
        where: { version },
        evidence: roster,
      })
    return roster
  }

  async #officersBy(orgDid: string, query: string): Promise<OfficersAnswer> {
    const call = { method: 'GET', url: `${this.#org(orgDid)}/officers${query}` } as const
    const answer = await this.#transport.json(call, officersAnswerSchema)
    if (answer.orgDid !== orgDid)
      throw unverified('roster', 'wrong_identity', 'The officers belong to another organization', { evidence: answer })
    return answer
  }

  async #prove(orgDid: string, rosters: readonly OfficersAnswer[]): Promise<void> {
    const keys = await this.#keys.of(orgDid)
    let roster: Roster | null = null
    const accepted = new AcceptedOfficers()
    const officerKeys = new OfficerKeys(this.#keys)
    for (const { event, version, officers, quorum } of rosters) {
      const { statement } = event
      const key = keys[statement.rootEpoch]
      const isOfOrg = key !== undefined && statement.did === orgDid && statement.scope === keys[0].userId
      if (!isOfOrg || !(await verifyEventSignatures(event, bytesOf(key.publicKeyB64u), this.#transport.realms))) {
        throw unverified('roster', 'invalid_signature', `The organization did not sign roster ${version}`, {
          where: { version },
          evidence: event,
        })
      }
      const next = checkRoster(roster, statement, event)
      if (!next.ok)
        throw unverified('roster', next.error.reason, `Roster ${version} does not follow: ${next.error.reason}`, {
          where: { version },
          evidence: event,
        })
      const order = officersFault(event.acceptances, accepted)
      if (order)
        throw unverified('roster', order.reason, `Roster ${version} has an older acceptance than one before`, {
          where: { version },
          evidence: event,
        })
      accepted.add(event.acceptances)
      await officerKeys.check(event)
      roster = next.value
      const isStated =
        version === roster.version && quorum === roster.quorum && officers.join() === roster.officers.join()
      if (!isStated)
        throw unverified('roster', 'mismatch', `Roster ${version} does not match its event`, {
          where: { version },
          evidence: event,
        })
    }
  }

  get #mine(): Identity | Device {
    if (!this.#owner) throw new TypeError('This client has no identity')
    return this.#owner
  }

  #org(orgDid: string): string {
    return `${this.#base}/1.0/org/${encodeURIComponent(orgDid)}`
  }
}
