import { addInterval, type StoredGrant } from '../entitlements/rules.ts'
import type { EntitlementStore } from '../entitlements/store.ts'
import type { StoredIntent } from '../intents/store.ts'
import type { CheckoutOrder, PaymentProvider, PlanOrder } from './provider.ts'

/** Accepts signed events as if they came from outside. */
export type EventSink = (payload: string, now: number) => Promise<void>

/**
 * A provider for local deployments: this Worker serves its page, and its buttons send the events that Stripe would send,
 * signed, through the same verification. No money moves.
 */
export class LocalProvider implements PaymentProvider {
  readonly name = 'local'
  readonly #origin: string
  readonly #grants: EntitlementStore
  readonly #deliver: EventSink

  constructor(origin: string, grants: EntitlementStore, deliver: EventSink) {
    this.#origin = origin
    this.#grants = grants
    this.#deliver = deliver
  }

  async openCheckout({ intentId }: CheckoutOrder): Promise<{ sessionId: string; url: string }> {
    return { sessionId: sessionOf(intentId), url: `${this.#origin}/pay/dev/checkout/${intentId}` }
  }

  async closeCheckout(): Promise<'closed' | 'complete'> {
    return 'closed'
  }

  async setRenewal(subscriptionId: string, renews: boolean): Promise<'set' | 'ended'> {
    const grant = await this.#grants.find(`subscription:${subscriptionId}`)
    if (!grant || grant.status === 'ended') return 'ended'
    const now = Date.now()
    await this.#deliver(eventOf('customer.subscription.updated', subscriptionOf({ ...grant, renews }), now), now)
    return 'set'
  }

  async changePlan(subscriptionId: string, { offer }: PlanOrder): Promise<'changed' | 'refused'> {
    const grant = await this.#grants.find(`subscription:${subscriptionId}`)
    if (!grant || grant.status === 'ended') return 'refused'
    const now = Date.now()
    await this.#deliver(eventOf('customer.subscription.updated', subscriptionOf(grant, offer.sku), now), now)
    return 'changed'
  }

  /** Gives the money of a paid intent back, whole. */
  async refund({ id, offer }: StoredIntent, now: number): Promise<void> {
    const subscription = offer.kind === 'subscription' ? { subscription: subscriptionIdOf(id) } : {}
    const charge = { id: `ch_local_${id}`, object: 'charge', refunded: true, metadata: { intent: id, ...subscription } }
    await this.#deliver(eventOf('charge.refunded', charge, now), now)
  }

  /** What the buttons of the page do. */
  async conclude(intent: StoredIntent, outcome: 'pay' | 'decline', now: number): Promise<void> {
    const { id, did, offer, sku } = intent
    const session = {
      id: sessionOf(id),
      client_reference_id: id,
      metadata: { intent: id },
      payment_status: outcome === 'pay' ? 'paid' : 'unpaid',
    }
    const type = outcome === 'pay' ? 'checkout.session.completed' : 'checkout.session.async_payment_failed'
    if (outcome === 'pay' && offer.kind === 'subscription' && offer.interval) {
      const period = { periodStart: now, periodEnd: addInterval(now, offer.interval) }
      const subscription = subscriptionOf({ did, subscriptionId: subscriptionIdOf(id), renews: true, ...period }, sku)
      await this.#deliver(eventOf('customer.subscription.created', subscription, now), now)
    }
    await this.#deliver(eventOf(type, session, now), now)
  }
}

const sessionOf = (intentId: string) => `cs_local_${intentId}`
const subscriptionIdOf = (intentId: string) => `sub_local_${intentId}`
const secondsOf = (milliseconds: number) => Math.floor(milliseconds / 1000)

function eventOf(type: string, object: object, now: number): string {
  const id = `evt_local_${crypto.randomUUID()}`
  return JSON.stringify({ id, object: 'event', type, created: secondsOf(now), livemode: false, data: { object } })
}

type Subscribed = Pick<StoredGrant, 'did' | 'subscriptionId' | 'renews' | 'periodStart' | 'periodEnd'> & {
  readonly tier?: StoredGrant['tier']
}

function subscriptionOf({ did, subscriptionId, renews, periodStart, periodEnd, tier }: Subscribed, sku?: string) {
  return {
    id: subscriptionId,
    status: 'active',
    cancel_at_period_end: !renews,
    metadata: { did, sku: sku ?? `${tier}-month` },
    items: {
      data: [{ current_period_start: secondsOf(periodStart), current_period_end: secondsOf(periodEnd), price: null }],
    },
  }
}
