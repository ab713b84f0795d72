import * as z from 'zod'
import { pure } from '#protocol/base/pure'
import type { SETTLEMENT_REASONS } from '#protocol/consent/settlement'
import { queuesSchema } from '#protocol/http/health'
import type { ActService } from '#protocol/operator/act'
import { type GRANT_END_REASONS, operatorActAnswerSchema } from '#protocol/operator/acts'
import { type DeadLetter, deadLetterPageSchema } from '#protocol/operator/dead-letters'
import { type Invite, invitePageSchema } from '#protocol/operator/invites'
import {
  type Dispute,
  disputePageSchema,
  type GrantList,
  grantListSchema,
  type OperatorTakedown,
  operatorTakedownPageSchema,
} from '#protocol/operator/reads'
import {
  TAKEDOWN_SERVICES,
  type TakedownReason,
  type TakedownServiceName,
  type TakedownSubject,
} from '#protocol/operator/takedown'
import type { Tier } from '#protocol/pay/tiers'
import { checkCall, type Members, optionsFor } from '../arguments/check.ts'
import { readAnyJson } from '../transport/guarded-body.ts'
import { everyItem } from '../transport/pages.ts'
import { TRANSPORT_OPTIONS, Transport, type TransportOptions } from '../transport/transport.ts'
import { readAnswer } from '../verification/read-answer.ts'
import { codeWithdrawal, newCode, type OperatorAct, signOperatorAct } from './act.ts'
import type { OperatorKey } from './operator-key.ts'

export interface OperatorOptions extends Omit<TransportOptions, 'realm' | 'onPending'> {
  /** Origin of core. */
  readonly core: string
  /** The realm of the deployment, if it is not core's origin. */
  readonly realm?: string
  readonly key: OperatorKey
}

/** What a code or an approval gives. */
export interface CodeTerms {
  readonly tier: Tier
  readonly days: number
}

/** What a service says about itself; null members are those that it does not tell. */
export interface ServiceHealth {
  readonly service: string
  readonly version: string | null
  readonly commit: string | null
  readonly cryptography: string | null
  /** What waits, by name. */
  readonly queues: z.infer<typeof queuesSchema> | null
}

type Services = Readonly<Record<ActService | 'auth', string>>

const { onPending: _, ...OF_TRANSPORT } = TRANSPORT_OPTIONS
const OPTIONS: Members<OperatorOptions> = { ...OF_TRANSPORT, realm: 0, core: 1, key: 1 }
const TERMS: Members<CodeTerms> = { tier: 1, days: 1 }

/** Enveloped at core, and bare elsewhere. */
const healthSchema = /* @__PURE__ */ pure(() =>
  z.looseObject({
    version: z.string().optional(),
    commit: z.string().optional(),
    cryptography: z.string().optional(),
    queues: queuesSchema.optional(),
  }),
)
const enveloped = /* @__PURE__ */ z.looseObject({ data: healthSchema })

/**
 * A deployment, as its operator sees it. Each read and each act is signed with the operator's key and recorded by the
 * service that takes it.
 */
export class Operator {
  readonly #transport: Transport
  readonly #services: Services
  readonly #key: OperatorKey

  private constructor(transport: Transport, services: Services, key: OperatorKey) {
    this.#transport = transport
    this.#services = services
    this.#key = key
  }

  /** Reads the discovery document of core, which names the other services. Tries no key. */
  static async connect(options: OperatorOptions): Promise<Operator> {
    checkCall('Operator.connect', [options], [['options', OPTIONS]])
    const { DISCOVER_OPTIONS, discover } = await import('../discovery/discover.ts')
    const { document } = await discover(optionsFor(DISCOVER_OPTIONS, options))
    const { auth, consent, did, keys, pay, provenance } = document.services
    const services = {
      core: new URL(options.core).origin,
      auth: auth.url,
      consent: consent.url,
      did: did.url,
      keys: keys.url,
      pay: pay.url,
      provenance: provenance.url,
    }
    const transport = new Transport(optionsFor(TRANSPORT_OPTIONS, { ...options, realm: document.realm }))
    return new Operator(transport, services, options.key)
  }

  /** Requests for an invitation, oldest first, with the personal data in them. */
  invites(): AsyncGenerator<Invite> {
    return this.#pages('svc/operator-invites/v1', 'core', 'invites', invitePageSchema, ({ invites }) => invites)
  }

  /** Mails a code to the person. */
  async approveInvite(inviteId: string, terms: CodeTerms): Promise<void> {
    checkCall('operator.approveInvite', [inviteId, terms], ['inviteId', ['terms', TERMS]])
    const { tier, days } = terms
    await this.#act({ type: 'svc/operator-invite-approve/v1', service: 'core', members: { inviteId, tier, days } })
  }

  /** `mail`: whether the person is told. */
  async declineInvite(inviteId: string, options: { readonly mail?: boolean } = {}): Promise<void> {
    checkCall('operator.declineInvite', [inviteId, options], ['inviteId', ['options?', { mail: 0 }]])
    const { mail = false } = options
    await this.#act({ type: 'svc/operator-invite-decline/v1', service: 'core', members: { inviteId, mail } })
  }

  /** Deletes the request at once. */
  async forgetInvite(inviteId: string): Promise<void> {
    checkCall('operator.forgetInvite', [inviteId], ['inviteId'])
    await this.#act({ type: 'svc/operator-invite-forget/v1', service: 'core', members: { inviteId } })
  }

  /** Issues a code. It is made here and returned once: the service has only its hash. */
  async issueCode(terms: CodeTerms): Promise<{ readonly code: string; readonly redeemableUntil: number }> {
    checkCall('operator.issueCode', [terms], [['terms', TERMS]])
    const { tier, days } = terms
    const { code, redeemableUntil, act } = newCode(tier, days, this.#transport.now())
    await this.#act(act)
    return { code, redeemableUntil }
  }

  /** Withdraws a code that nobody has redeemed; the code as issued, or the `codeHash` of its act. */
  async withdrawCode(code: string): Promise<void> {
    checkCall('operator.withdrawCode', [code], ['code'])
    await this.#act(codeWithdrawal(code))
  }

  /** What gives an identity its tier. */
  async grants(did: string): Promise<GrantList> {
    checkCall('operator.grants', [did], ['did'])
    return this.#read('svc/operator-grants/v1', 'pay', 'grants', { did }, grantListSchema)
  }

  /** Ends a grant now. */
  async endGrant(grantId: string, reason: (typeof GRANT_END_REASONS)[number]): Promise<void> {
    checkCall('operator.endGrant', [grantId, reason], ['grantId', 'reason'])
    await this.#act({ type: 'svc/operator-grant-end/v1', service: 'pay', members: { grantId, reason } })
  }

  /** Removes content, refuses it from now on, and lists that publicly. */
  async takeDown(subject: TakedownSubject, reason: TakedownReason): Promise<void> {
    checkCall('operator.takeDown', [subject, reason], [['subject', { kind: 1, id: 1 }], 'reason'])
    const service = TAKEDOWN_SERVICES[subject.kind]
    await this.#act({ type: 'svc/operator-takedown/v1', service, members: { subject, reason } })
  }

  /** What was taken down at a service, oldest first, and whether each act was carried out. */
  takedowns(service: TakedownServiceName): AsyncGenerator<OperatorTakedown> {
    checkCall('operator.takedowns', [service], ['service'])
    const type = 'svc/operator-takedowns/v1'
    return this.#pages(type, service, 'takedowns', operatorTakedownPageSchema, ({ takedowns }) => takedowns)
  }

  /** Identifiers of consent with claims that are not settled. */
  disputes(): AsyncGenerator<Dispute> {
    return everyItem(async (cursor) => {
      const members = { after: cursor ?? null }
      const { disputes, next } = await this.#read(
        'svc/operator-disputes/v1',
        'consent',
        'disputes',
        members,
        disputePageSchema,
      )
      return { items: disputes, cursor: next }
    })
  }

  /** Passes an identifier to a creator. */
  async settle(contentHash: string, creatorDid: string, reason: (typeof SETTLEMENT_REASONS)[number]): Promise<void> {
    checkCall('operator.settle', [contentHash, creatorDid, reason], ['contentHash', 'creatorDid', 'reason'])
    const members = { contentHash, creatorDid, reason }
    await this.#act({ type: 'svc/operator-consent-settle/v1', service: 'consent', members })
  }

  /** Events of the payment provider that were not understood, oldest first. */
  deadLetters(): AsyncGenerator<DeadLetter> {
    const type = 'svc/operator-dead-letters/v1'
    return this.#pages(type, 'pay', 'dead-letters', deadLetterPageSchema, ({ deadLetters }) => deadLetters)
  }

  /** `replay` applies the event as if it had just come; `dismiss` gives it up. */
  async decideDeadLetter(eventId: string, action: 'replay' | 'dismiss'): Promise<void> {
    checkCall('operator.decideDeadLetter', [eventId, action], ['eventId', 'action'])
    await this.#act({ type: 'svc/operator-dead-letter/v1', service: 'pay', members: { eventId, action } })
  }

  /** What each service says about itself, with what waits in its queues. Public; throws for a service that is down. */
  async health(service: keyof Services): Promise<ServiceHealth> {
    checkCall('operator.health', [service], ['service'])
    const response = await this.#transport.send({ method: 'GET', url: `${this.#services[service]}/health` })
    const body: unknown = await readAnyJson(response)
    const found = enveloped.safeParse(body).data?.data ?? readAnswer(healthSchema, body)
    const { version = null, commit = null, cryptography = null, queues = null } = found
    return { service, version, commit, cryptography, queues }
  }

  /** The names of the services, for `health`. */
  get services(): readonly (keyof Services)[] {
    return Object.keys(this.#services) as (keyof Services)[]
  }

  /** Pages that are numbered by position. */
  #pages<S extends z.ZodType<{ readonly next: number | null }>, T>(
    type: OperatorAct['type'],
    service: ActService,
    route: string,
    schema: S,
    itemsOf: (page: z.output<S>) => readonly T[],
  ): AsyncGenerator<T> {
    return everyItem(async (cursor) => {
      const page = await this.#read(type, service, route, { after: Number(cursor ?? 0) }, schema)
      return { items: itemsOf(page), cursor: page.next === null ? null : String(page.next) }
    })
  }

  #read<S extends z.ZodType>(
    type: OperatorAct['type'],
    service: ActService,
    route: string,
    members: OperatorAct['members'],
    schema: S,
  ): Promise<z.output<S>> {
    return this.#send({ type, service, members }, `/api/operator/${route}`, schema)
  }

  #act(act: OperatorAct) {
    return this.#send(act, '/api/operator/acts', operatorActAnswerSchema)
  }

  async #send<S extends z.ZodType>(act: OperatorAct, path: string, schema: S): Promise<z.output<S>> {
    const body = await signOperatorAct(this.#key, this.#transport.realm, act, this.#transport.now())
    return this.#transport.data({ method: 'POST', url: this.#services[act.service] + path, body }, schema)
  }
}
