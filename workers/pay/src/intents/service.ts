import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { Intent } from '@svc/protocol/pay/intents'
import { type PurchaseRefusal, purchaseRefusal } from '../entitlements/purchase.ts'
import type { EntitlementStore } from '../entitlements/store.ts'
import type { OfferService } from '../offers/service.ts'
import type { PaymentProvider } from '../payments/provider.ts'
import { INTENT_LIFETIME_MS, mayOpen, stateAt } from './rules.ts'
import type { IntentStore, NewIntent, StoredIntent } from './store.ts'

/** Each loses against a request that came in between. */
const REPLACING_ATTEMPTS = 5

export interface IntentRequest {
  readonly sku: string
  /** What the body names: counts only where the edge knows no country. */
  readonly country: string | null
  /** The country of the request, whose price is charged. */
  readonly seenCountry: string | null
  /** Null if the request does not repeat another. */
  readonly idempotencyKey: string | null
}

export type IntentRefusal =
  | {
      readonly reason:
        | 'payments_unavailable'
        | 'unknown_sku'
        | 'sku_not_payable'
        | 'idempotency_conflict'
        | 'intent_limit'
        | 'intent_pending'
    }
  | PurchaseRefusal
export type CancelRefusal = { readonly reason: 'payments_unavailable' | 'not_found' | 'intent_state' }

/** Payment attempts. An intent is stored before its page is requested, so that a retry continues where the first stopped. */
export class IntentService {
  readonly #store: IntentStore
  readonly #offers: OfferService
  readonly #grants: EntitlementStore
  readonly #provider: PaymentProvider | null

  constructor(store: IntentStore, offers: OfferService, grants: EntitlementStore, provider: PaymentProvider | null) {
    this.#store = store
    this.#grants = grants
    this.#offers = offers
    this.#provider = provider
  }

  async make(did: string, request: IntentRequest, now: number): Promise<Result<Intent, IntentRefusal>> {
    const provider = this.#provider
    if (!provider) return err({ reason: 'payments_unavailable' })
    const { sku, country, idempotencyKey } = request
    // Checked first: a retry gets its intent, even if the offer has changed.
    let intent = idempotencyKey === null ? null : await this.#store.findByKey(did, idempotencyKey)
    if (!intent) {
      const offer = await this.#offers.find(sku, request.seenCountry ?? country)
      if (!offer) return err({ reason: 'unknown_sku' })
      if (offer.kind === 'free') return err({ reason: 'sku_not_payable' })
      const refusal = purchaseRefusal(offer, await this.#grants.current(did, now), now)
      if (refusal) return err(refusal)
      const times = { createdAt: now, expiresAt: now + INTENT_LIFETIME_MS }
      const made = { did, idempotencyKey, sku, country, offer, provider: provider.name, ...times }
      const stored = await this.#stored(made, provider, now)
      if (!stored.ok) return stored
      intent = stored.value
    }
    if (intent.sku !== sku || intent.country !== country) return err({ reason: 'idempotency_conflict' })
    return ok(shown(await this.#withPage(intent, provider, now), now))
  }

  /**
   * An owner has one open page for a subscription: two that are both paid would be two subscriptions. A new one closes the
   * page before it.
   */
  async #stored(
    made: Omit<NewIntent, 'id'>,
    provider: PaymentProvider,
    now: number,
  ): Promise<Result<StoredIntent, IntentRefusal>> {
    let replaces: string | null = null
    for (let attempt = 0; attempt < REPLACING_ATTEMPTS; attempt++) {
      const stored = await this.#store.make({ ...made, id: crypto.randomUUID() }, replaces)
      if (stored) return ok(stored)
      const before = made.offer.kind === 'subscription' ? await this.#store.openSubscription(made.did, now) : null
      if (!before) return err({ reason: 'intent_limit' })
      if (!(await this.#closePage(before, provider))) return err({ reason: 'intent_pending' })
      replaces = before.id
    }
    return err({ reason: 'intent_pending' })
  }

  /** False if the payment was made. */
  async #closePage({ sessionId }: StoredIntent, provider: PaymentProvider): Promise<boolean> {
    if (sessionId === null) return true
    return (await reaching('payments', () => provider.closeCheckout(sessionId))) === 'closed'
  }

  /** Null for anyone but its owner. */
  async find(did: string, id: string, now: number): Promise<Intent | null> {
    const intent = await this.#store.find(id)
    return intent?.did === did ? shown(intent, now) : null
  }

  /** The provider closes the page first: a completed payment is not cancelled. */
  async cancel(did: string, id: string, now: number): Promise<Result<Intent, CancelRefusal>> {
    const intent = await this.#store.find(id)
    if (intent?.did !== did) return err({ reason: 'not_found' })
    const state = stateAt(intent.state, intent.expiresAt, now)
    if (state === 'cancelled') return ok(shown(intent, now))
    if (state !== 'open') return err({ reason: 'intent_state' })
    const provider = this.#provider
    if (provider?.name !== intent.provider) return err({ reason: 'payments_unavailable' })
    if (!(await this.#closePage(intent, provider))) return err({ reason: 'intent_state' })
    await this.#store.cancel(id)
    const cancelled = await this.#store.find(id)
    return cancelled?.state === 'cancelled' ? ok(shown(cancelled, now)) : err({ reason: 'intent_state' })
  }

  async #withPage(intent: StoredIntent, provider: PaymentProvider, now: number): Promise<StoredIntent> {
    const { id, did, offer, expiresAt, createdAt } = intent
    const needsPage = intent.sessionId === null && intent.state === 'open' && intent.provider === provider.name
    if (!needsPage || !mayOpen(createdAt, now)) return intent
    try {
      const { sessionId, url } = await provider.openCheckout({ intentId: id, did, offer, expiresAt })
      await this.#store.attachPage(id, sessionId, url)
    } catch (cause) {
      // Of concurrent requests, the provider may serve one and reject the others: these find the page it created.
      const found = await this.#store.find(id)
      if (found?.sessionId != null) return found
      throw new DependencyFault('payments', { cause })
    }
    const opened = (await this.#store.find(id)) ?? intent
    // It was cancelled while its page was being made.
    if (opened.state === 'cancelled' && opened.sessionId !== null) await this.#closePage(opened, provider)
    return opened
  }
}

function shown({ id, state, offer, provider, checkoutUrl, createdAt, expiresAt }: StoredIntent, now: number): Intent {
  const told = stateAt(state, expiresAt, now)
  return { id, state: told, offer, provider, checkoutUrl: told === 'open' ? checkoutUrl : null, createdAt, expiresAt }
}
