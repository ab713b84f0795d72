import { reaching } from '@svc/protocol/base/dependency-fault'
import { foldNews, passGrant, type StoredGrant } from '../entitlements/rules.ts'
import type { EntitlementStore } from '../entitlements/store.ts'
import { mayBecome } from '../intents/rules.ts'
import type { IntentStore } from '../intents/store.ts'
import type { OfferStore } from '../offers/store.ts'
import { eventsOfGrant, eventsOfReversal } from '../owner-events/rules.ts'
import { type EventChange, NO_CHANGE, type PaymentEventStore } from './event-store.ts'
import {
  type CheckoutNews,
  type News,
  type PaymentEvent,
  type PaymentState,
  type RawSubscription,
  type RefundNews,
  type UnreadNews,
  unread,
} from './news.ts'
import type { PaymentReader } from './provider.ts'
import { reversalOf } from './reversals.ts'

export interface NewsDependencies {
  readonly events: PaymentEventStore
  readonly intents: IntentStore
  readonly grants: EntitlementStore
  readonly offers: OfferStore
  /** Null without a provider. */
  readonly reader: PaymentReader | null
}

/** What news change, and for whom. `did` is null if no grant of theirs is known yet. */
export interface ReadChange {
  readonly about: 'change'
  readonly change: EventChange
  readonly did: string | null
}

/**
 * Turns news into changes, based on what is stored. Whatever the change depends on is read before the provider is asked:
 * the write fails if it moved meanwhile, so the newest answer of the provider is what is stored last.
 */
export class NewsReader {
  readonly #deps: NewsDependencies

  constructor(deps: NewsDependencies) {
    this.#deps = deps
  }

  /** Null for what is not ours: other shops may share the account. What is ours and is not understood says so. */
  changeOf(news: News, event: PaymentEvent): Promise<ReadChange | UnreadNews | null> {
    switch (news.about) {
      case 'checkout':
        return this.#afterCheckout(news, event)
      case 'subscription':
        return this.#afterSubscription(news.subscriptionId, news, event)
      case 'invoice':
        return this.#afterSubscription(news.subscriptionId, null, event)
      case 'refund':
        return this.#afterRefund(news)
      case 'unread':
        return Promise.resolve(news)
    }
  }

  async #afterCheckout(news: CheckoutNews, event: PaymentEvent): Promise<ReadChange | UnreadNews | null> {
    const { intentId, sessionId, state: to, isOurs } = news
    const intent = await this.#deps.intents.find(intentId)
    if (!intent || (intent.sessionId !== null && intent.sessionId !== sessionId)) {
      return isOurs ? unread(`checkout session: ${intent ? 'not the page of its intent' : 'unknown intent'}`) : null
    }
    const { id, did, state: from, offer } = intent
    if (!mayBecome(from, to)) return { about: 'change', did, change: NO_CHANGE }
    const { kind, tier, interval } = offer
    const moved = { ...NO_CHANGE, intent: { id, from, to } }
    if (to === 'paid' && news.subscriptionId !== null) return this.#begun(news.subscriptionId, moved, event)
    // Otherwise a subscription reports what it grants with events of its own.
    if (to !== 'paid' || kind !== 'pass' || interval === null) return { about: 'change', did, change: moved }
    const { occurredAt } = event
    const grants = await this.#deps.grants.current(did, occurredAt)
    const grant = passGrant({ intentId: id, did, tier, interval }, occurredAt, grants)
    return { about: 'change', did, change: { ...moved, grant, told: eventsOfGrant(null, grant) } }
  }

  /** The payment and what it grants are one change, so that no second purchase comes in between. */
  async #begun(id: string, moved: EventChange, event: PaymentEvent): Promise<ReadChange | UnreadNews | null> {
    const begun = await this.#afterSubscription(id, null, event)
    if (begun?.about === 'unread') return begun
    const { grant, told } = begun?.change ?? NO_CHANGE
    return { about: 'change', did: begun?.did ?? null, change: { ...moved, grant, told } }
  }

  /**
   * Events are dated to the second. Of two in the same second, neither is known to be newer, so the provider is asked for
   * the current state, which is right whichever of them arrives last.
   */
  async #afterSubscription(
    id: string,
    news: RawSubscription | null,
    { occurredAt: asOf }: PaymentEvent,
  ): Promise<ReadChange | UnreadNews | null> {
    const { reader, grants } = this.#deps
    const before: StoredGrant | null = await grants.find(`subscription:${id}`)
    const isTie = before?.asOf === asOf && before.status !== 'ended'
    const isAsked = reader && (!news || news.isOpen || isTie)
    const current = isAsked ? await reaching('payments', () => reader.readSubscription(id)) : null
    if (current?.about === 'unread') return current
    const standing = current ?? news
    if (!standing) return null
    if (before && before.did !== standing.did) return unread('subscription: another owner than before')
    // What the event says comes first: it may be of a higher tier earlier in the period, which the answer does not show.
    const said = news && current ? [news, current] : [standing]
    const grant = await this.#folded(before, said, { asOf, current })
    if (grant === 'unknown SKU') return unread('subscription: unknown SKU')
    const told = eventsOfGrant(before, grant)
    return { about: 'change', did: standing.did, change: { ...NO_CHANGE, grant, told } }
  }

  /** The grant after all of it, as one change. Null if nothing changes. */
  async #folded(
    before: StoredGrant | null,
    said: readonly RawSubscription[],
    { asOf, current }: { readonly asOf: number; readonly current: RawSubscription | null },
  ): Promise<StoredGrant | null | 'unknown SKU'> {
    let after = before
    for (const subscription of said) {
      const { about: _, isOpen: __, sku, ...known } = subscription
      const tier = await this.#deps.offers.tierOf(sku)
      if (tier === null) return 'unknown SKU'
      after = foldNews(after, { ...known, tier, asOf, isCurrent: subscription === current }) ?? after
    }
    return after && after !== before ? { ...after, version: (before?.version ?? 0) + 1 } : null
  }

  async #afterRefund({ chargeId, seen }: RefundNews): Promise<ReadChange | UnreadNews | null> {
    const { reader, events } = this.#deps
    if (!reader) return null
    const before = await events.findReversal(chargeId)
    const state = await reaching('payments', () => reader.readPayment(chargeId, seen))
    if (!state || state.about === 'unread') return state
    const did = await this.#ownerOf(state)
    if (did === null && 'intentId' in state.paidFor) return unread('charge: unknown intent')
    const reversal = reversalOf(state, before)
    return { about: 'change', did, change: { ...NO_CHANGE, reversal, told: eventsOfReversal(did, reversal) } }
  }

  async #ownerOf({ paidFor }: PaymentState): Promise<string | null> {
    if ('intentId' in paidFor) return (await this.#deps.intents.find(paidFor.intentId))?.did ?? null
    return (await this.#deps.grants.find(`subscription:${paidFor.subscriptionId}`))?.did ?? null
  }
}
