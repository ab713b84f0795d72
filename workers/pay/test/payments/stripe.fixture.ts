/** The few endpoints of Stripe that are used, as Stripe answers them, behind `fetch`; and events as Stripe sends them. */
import { env } from 'cloudflare:workers'
import { Prober } from '@svc/service/testing'
import { Stripe } from 'stripe'
import { vi } from 'vitest'
import { service } from '../../src/app.ts'
import { BASE, sendWith } from '../harness.ts'
import { StripeLedger } from './stripe-ledger.fixture.ts'

export const STRIPE = { STRIPE_SECRET_KEY: 'sk_test_of_the_tests_only' }
const WEBHOOK_SECRET = 'whsec_of_the_tests_only'

interface Session {
  readonly id: string
  readonly params: URLSearchParams
  status: 'open' | 'complete' | 'expired'
}

/** One account of Stripe, from a test's beginning to its end. */
export class StripeAccount {
  readonly sessions = new Map<string, Session>()
  readonly renewals: string[] = []
  /** Changes of plan, as they were asked for. */
  readonly changes: Record<string, string>[] = []
  readonly products = new Set<string>()
  changeRefusal: { readonly status: number; readonly type: string } | null = null
  /** How subscriptions stand at this moment. */
  readonly subscriptions = new Map<string, object>()
  /** Payments, their invoices, refunds and disputes. */
  readonly ledger = new StripeLedger()
  readonly requests: { method: string; path: string; idempotencyKey: string | null; authorization: string | null }[] =
    []
  /** What is answered instead of doing anything. */
  broken: (() => Promise<Response>) | null = null
  /** Does what was asked and loses the answer. */
  losesAnswers = false
  readonly #byKey = new Map<string, Session>()

  constructor() {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const request = new Request(input, init)
      if (this.broken) return this.broken()
      const answer = await this.#answer(request)
      if (this.losesAnswers) throw new TypeError('network connection lost')
      return answer
    })
  }

  async #answer(request: Request): Promise<Response> {
    const { hostname, pathname } = new URL(request.url)
    if (hostname !== 'api.stripe.com') throw new Error('another host than Stripe was called')
    const { headers, method } = request
    const idempotencyKey = headers.get('idempotency-key')
    this.requests.push({ method, path: pathname, idempotencyKey, authorization: headers.get('authorization') })
    const read = method === 'GET' ? this.ledger.read(new URL(request.url)) : null
    if (read) return Response.json(read)
    const params = new URLSearchParams(new TextDecoder().decode(await request.arrayBuffer()))
    if (pathname === '/v1/checkout/sessions') return this.#create(params, idempotencyKey ?? '')
    const [, product] = /^\/v1\/products(?:\/([\w-]+))?$/.exec(pathname) ?? []
    if (pathname.startsWith('/v1/products')) return this.#product(method, product ?? params.get('id') ?? '')
    const [, expiring] = /^\/v1\/checkout\/sessions\/(\w+)\/expire$/.exec(pathname) ?? []
    if (expiring !== undefined) return this.#expire(expiring)
    const [, subscription] = /^\/v1\/subscriptions\/([\w-]+)$/.exec(pathname) ?? []
    if (subscription === undefined) return refusal(404, 'Unrecognized request URL')
    if (subscription === 'sub_gone') return refusal(404, 'No such subscription')
    if (method === 'GET') {
      const found = this.subscriptions.get(subscription)
      return found ? Response.json(found) : refusal(404, 'No such subscription')
    }
    if (params.has('items[0][id]')) return this.#change(subscription, params)
    this.renewals.push(`${subscription} ${params.get('cancel_at_period_end')}`)
    return Response.json({ id: subscription, object: 'subscription' })
  }

  #product(method: string, id: string): Response {
    if (method === 'POST' && this.products.has(id)) return refusal(400, 'Product already exists')
    if (method === 'POST') this.products.add(id)
    return this.products.has(id) ? Response.json({ id, object: 'product' }) : refusal(404, 'No such product')
  }

  #change(id: string, params: URLSearchParams): Response {
    if (this.changeRefusal) return refusal(this.changeRefusal.status, 'canary', this.changeRefusal.type)
    this.changes.push(Object.fromEntries(params))
    return Response.json({ id, object: 'subscription' })
  }

  #create(params: URLSearchParams, key: string): Response {
    const known = this.#byKey.get(key)
    const session = known ?? { id: `cs_test_${this.sessions.size + 1}`, params, status: 'open' as const }
    if (known && known.params.toString() !== params.toString()) {
      return refusal(400, 'Keys for idempotent requests can only be used with the same parameters', 'idempotency_error')
    }
    this.#byKey.set(key, session)
    this.sessions.set(session.id, session)
    const { id, status } = session
    return Response.json({ id, object: 'checkout.session', status, url: `https://checkout.stripe.com/c/pay/${id}` })
  }

  #expire(id: string): Response {
    const session = this.sessions.get(id)
    if (session?.status !== 'open') return refusal(400, 'Only Checkout Sessions with a status of `open` can be expired')
    session.status = 'expired'
    return Response.json({ id, object: 'checkout.session', status: 'expired', url: null })
  }
}

function refusal(status: number, message: string, type = 'invalid_request_error'): Response {
  return Response.json({ error: { type, message } }, { status })
}

let events = 0

/** An event of Stripe; `created` is in epoch ms here. */
export function eventOf(type: string, object: object, options: { id?: string; created?: number } = {}) {
  events += 1
  return {
    id: options.id ?? `evt_${events}_${crypto.randomUUID()}`,
    object: 'event',
    api_version: '2026-10-28.endive',
    created: Math.floor((options.created ?? Date.now()) / 1000),
    type,
    livemode: false,
    data: { object },
  }
}

export function sessionOf(intentId: string, id: string, payment_status = 'paid') {
  return {
    id,
    object: 'checkout.session',
    client_reference_id: intentId,
    payment_status,
    mode: 'payment',
    metadata: { intent: intentId },
  }
}

export interface Subscribed {
  readonly id?: string
  readonly sku?: string
  readonly status?: string
  readonly start: number
  readonly end: number
  readonly cancels?: boolean
  readonly endedAt?: number
  readonly lookupKey?: string
}

export function subscriptionOf(did: string, subscribed: Subscribed) {
  const {
    id = `sub_${did.slice(-32)}`,
    sku = 'provenance-month',
    status = 'active',
    start,
    end,
    cancels = false,
    endedAt,
  } = subscribed
  return {
    id,
    object: 'subscription',
    status,
    cancel_at_period_end: cancels,
    cancel_at: null,
    ended_at: endedAt === undefined ? null : Math.floor(endedAt / 1000),
    metadata: { did, sku, intent: crypto.randomUUID() },
    items: {
      object: 'list',
      data: [
        {
          id: 'si_1',
          current_period_start: Math.floor(start / 1000),
          current_period_end: Math.floor(end / 1000),
          price: { id: 'price_1', lookup_key: subscribed.lookupKey ?? null, recurring: { interval: 'month' } },
        },
      ],
    },
  }
}

/** Sends an event as Stripe would: signed by its own package, unless a header is given. */
export async function deliver(
  event: unknown,
  options: { signature?: string; signedAt?: number; replaced?: object } = {},
) {
  const payload = typeof event === 'string' ? event : JSON.stringify(event)
  const signature = options.signature ?? (await signatureOf(payload, options.signedAt ?? Date.now()))
  const prober = new Prober({ service, base: BASE, send: sendWith(options.replaced ?? {}) })
  const headers = { 'stripe-signature': signature, 'content-type': 'application/json; charset=utf-8' }
  return prober.send({ method: 'POST', path: '/pay/webhook/stripe', headers, body: new TextEncoder().encode(payload) })
}

export function signatureOf(payload: string, signedAt: number, secret = WEBHOOK_SECRET): Promise<string> {
  const cryptoProvider = Stripe.createSubtleCryptoProvider()
  const timestamp = Math.floor(signedAt / 1000)
  return Stripe.webhooks.generateTestHeaderStringAsync({ payload, secret, timestamp, cryptoProvider })
}

/** What an owner paid for, as stored: how often a grant was written shows in its version. */
export async function grantsOf(did: string) {
  const statement = env.DB.prepare('SELECT id, tier, status, version FROM grants WHERE did = ? ORDER BY id').bind(did)
  return (await statement.all()).results
}
