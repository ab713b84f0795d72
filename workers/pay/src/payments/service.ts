import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { foldNews, passGrant, type StoredGrant } from '../entitlements/rules.ts'
import type { EntitlementListener } from '../entitlements/service.ts'
import type { EntitlementStore } from '../entitlements/store.ts'
import { mayBecome } from '../intents/rules.ts'
import type { IntentStore } from '../intents/store.ts'
import type { OfferStore } from '../offers/store.ts'
import type { CheckoutNews, PaymentEvent, RawSubscription } from './event.ts'
import type { EventChange, PaymentEventStore } from './event-store.ts'
import type { SubscriptionReader } from './provider.ts'

/** Concurrent writers of one grant are a few events of one subscription. */
const ATTEMPTS = 5

export type EventOutcome = 'applied' | 'duplicate' | 'ignored' | 'no change'

export interface PaymentDependencies {
  readonly events: PaymentEventStore
  readonly intents: IntentStore
  readonly grants: EntitlementStore
  readonly offers: OfferStore
  readonly changed: EntitlementListener
  /** Null for a provider that cannot be asked. */
  readonly reader: SubscriptionReader | null
}

/** Applies provider events, each once and in whatever order they arrive. */
export class PaymentService {
  readonly #deps: PaymentDependencies

  constructor(deps: PaymentDependencies) {
    this.#deps = deps
  }

  async take(event: PaymentEvent, now: number): Promise<EventOutcome> {
    const { news } = event
    if (!news) return 'ignored'
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (await this.#deps.events.has(event.id)) return 'duplicate'
      const change = news.about === 'checkout' ? await this.#afterCheckout(news, event) : await this.#after(news, event)
      if (!change) return 'ignored'
      const outcome = await this.#deps.events.apply(event, change, now)
      if (outcome === 'moved') continue
      if (outcome === 'applied' && change.grant) await this.#deps.changed(change.grant.did)
      if (outcome === 'duplicate') return 'duplicate'
      return change.grant || change.intent ? 'applied' : 'no change'
    }
    // The provider will send it again.
    throw new DependencyFault('payment events')
  }

  /** Null for a page that is not ours: other shops may share the account. */
  async #afterCheckout(news: CheckoutNews, { occurredAt }: PaymentEvent): Promise<EventChange | null> {
    const { intentId, sessionId, state: to } = news
    const intent = await this.#deps.intents.find(intentId)
    if (!intent || (intent.sessionId !== null && intent.sessionId !== sessionId)) return null
    if (!mayBecome(intent.state, to)) return { intent: null, grant: null }
    const { id, did, state: from, offer } = intent
    // A subscription reports what it grants with events of its own.
    const { kind, tier, interval } = offer
    if (to !== 'paid' || kind !== 'pass' || interval === null) return { intent: { id, from, to }, grant: null }
    const grants = await this.#deps.grants.current(did, occurredAt)
    return { intent: { id, from, to }, grant: passGrant({ intentId: id, did, tier, interval }, occurredAt, grants) }
  }

  /**
   * Events are dated to the second. Of two in the same second, neither is known to be newer, so the provider is asked for
   * the current state, which is right whichever of them arrives last.
   */
  async #after(news: RawSubscription, { occurredAt: asOf }: PaymentEvent): Promise<EventChange | null> {
    const { reader } = this.#deps
    const { subscriptionId } = news
    const before: StoredGrant | null = await this.#deps.grants.find(`subscription:${subscriptionId}`)
    const isTie = before?.asOf === asOf && before.status !== 'ended'
    const current = isTie && reader ? await reaching('payments', () => reader.readSubscription(subscriptionId)) : null
    const { about: _, sku, ...known } = current ?? news
    const tier = await this.#deps.offers.tierOf(sku)
    if (tier === null) return null
    return { intent: null, grant: foldNews(before, { ...known, tier, asOf, isCurrent: current !== null }) }
  }
}
