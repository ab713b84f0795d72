import { bytesOf } from '@svc/protocol/base64url'
import { verifyEventSignatures } from '@svc/protocol/inception-verifier'
import { checkRoster, type Roster } from '@svc/protocol/officers'
import type { SignedOrgAcceptance } from '@svc/protocol/org-bindings'
import {
  type OfficersAnswer,
  type OrgVerify,
  type OwnBindingsPage,
  officersAnswerSchema,
  orgVerifySchema,
  ownBindingsPageSchema,
} from '@svc/protocol/organizations'
import { signStatement } from '@svc/protocol/statement'
import type { Device } from './device.ts'
import { Identity } from './identity.ts'
import type { KeyHistory } from './key-history.ts'
import { checkOfficerKeys } from './officer-keys.ts'
import type { Transport } from './transport.ts'

/** Belonging to organizations, from the outside and as a member (document 2 sections 2.3 and 4.3). */
export class Membership {
  readonly #transport: Transport
  readonly #base: string
  readonly #keys: KeyHistory
  readonly #owner: Identity | Device | undefined

  constructor(transport: Transport, base: string, keys: KeyHistory, owner: Identity | Device | undefined) {
    this.#transport = transport
    this.#base = base
    this.#keys = keys
    this.#owner = owner
  }

  /**
   * Whether a member is bound to an organization now, by the service's word. False tells nothing of why. Needs no
   * credential. Whoever may read the log of the organization can prove it: see `Members.verify`.
   */
  async verify(orgDid: string, memberDid: string): Promise<OrgVerify> {
    const url = `${this.#org(orgDid)}/verify/${encodeURIComponent(memberDid)}`
    const answer = await this.#transport.json({ method: 'GET', url }, orgVerifySchema)
    if (answer.orgDid !== orgDid || answer.memberDid !== memberDid)
      throw new Error('the answer is about another binding')
    return answer
  }

  /**
   * The officers of an organization, now or at a time (epoch ms), proved: every roster from the first to this one is
   * signed by the organization's root key, approved by a quorum of the officers before it, and accepted by whoever
   * came in. When a roster came into force (`since`, `until`) is the service's word. Without `at` the answer may come
   * from an edge that has kept it for up to 645 s; with `at` core is asked. Needs no credential.
   */
  async officers(orgDid: string, options: { readonly at?: number } = {}): Promise<OfficersAnswer> {
    const query = options.at === undefined ? '' : `?at=${options.at}`
    const answer = await this.#officersBy(orgDid, query)
    const { at } = options
    if (at !== undefined && (answer.since > at || (answer.until !== null && answer.until <= at))) {
      throw new Error('the roster is of another time')
    }
    const rosters = [answer]
    for (let version = answer.version - 1; version > 0; version--) {
      rosters.unshift(await this.#officersBy(orgDid, `?version=${version}`))
    }
    await this.#prove(orgDid, rosters)
    return answer
  }

  /** This member's own bindings to organizations, at most 200 in a page; `cursor` of one page asks for the next. */
  bindings(page: { readonly limit?: number; readonly cursor?: string } = {}): Promise<OwnBindingsPage> {
    const { did } = this.#mine
    const url = new URL(`${this.#base}/1.0/identifiers/${encodeURIComponent(did)}/bindings`)
    for (const [name, value] of Object.entries(page)) url.searchParams.set(name, String(value))
    return this.#transport.json({ method: 'GET', url: url.href, audience: 'identity' }, ownBindingsPageSchema)
  }

  /**
   * As a member: agrees to be bound to an organization by this subject, which the organization names by its hash. Send
   * what comes back to the organization. An acceptance counts once; to be bound again a member accepts again.
   */
  async accept(terms: {
    readonly orgDid: string
    readonly provider: string
    readonly subjectHash: string
  }): Promise<SignedOrgAcceptance> {
    const owner = this.#mine
    if (!(owner instanceof Identity)) throw new TypeError('a member accepts by its root key')
    const { orgDid, provider, subjectHash } = terms
    const acceptance = {
      type: 'svc/org-acceptance/v1',
      orgDid,
      orgScope: (await this.#keys.of(orgDid))[0].userId,
      memberDid: owner.did,
      provider,
      subjectHash,
      issuedAt: this.#transport.now(),
    } as const
    const signed = await signStatement(acceptance, (message) => owner.sign(message))
    return { ...signed, publicKeyB64u: owner.publicKeyB64u }
  }

  async #officersBy(orgDid: string, query: string): Promise<OfficersAnswer> {
    const call = { method: 'GET', url: `${this.#org(orgDid)}/officers${query}` } as const
    const answer = await this.#transport.json(call, officersAnswerSchema)
    if (answer.orgDid !== orgDid) throw new Error('the officers are of another organization')
    return answer
  }

  async #prove(orgDid: string, rosters: readonly OfficersAnswer[]): Promise<void> {
    const keys = await this.#keys.of(orgDid)
    let roster: Roster | null = null
    for (const { event, version, officers, quorum } of rosters) {
      const { statement } = event
      const key = keys[statement.rootEpoch]
      const isOfOrg = key !== undefined && statement.did === orgDid && statement.scope === keys[0].userId
      if (!isOfOrg || !(await verifyEventSignatures(event, bytesOf(key.publicKeyB64u)))) {
        throw new Error(`roster ${version} is not signed by the organization`)
      }
      const next = checkRoster(roster, statement, event)
      if (!next.ok) throw new Error(`roster ${version} does not follow: ${next.error.reason}`)
      await checkOfficerKeys(event, this.#keys)
      roster = next.value
      const isStated =
        version === roster.version && quorum === roster.quorum && officers.join() === roster.officers.join()
      if (!isStated) throw new Error(`roster ${version} is not what its event says`)
    }
  }

  get #mine(): Identity | Device {
    if (!this.#owner) throw new TypeError('this client has no identity')
    return this.#owner
  }

  #org(orgDid: string): string {
    return `${this.#base}/1.0/org/${encodeURIComponent(orgDid)}`
  }
}
