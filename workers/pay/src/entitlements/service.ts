import { reaching } from '@svc/protocol/base/dependency-fault'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { Standing } from '@svc/protocol/internal/pay'
import type { LicenceAct } from '@svc/protocol/operator/acts'
import type { Entitlement, Grant } from '@svc/protocol/pay/entitlements'
import { rankOf, type Tier } from '@svc/protocol/pay/tiers'
import type { OfferService } from '../offers/service.ts'
import type { PaymentProvider } from '../payments/provider.ts'
import type { NewCode } from './issued-store.ts'
import { isSubscribed } from './purchase.ts'
import { endedGrant } from './rules.ts'
import { entitlementOf, grantOf, standingOf } from './standing.ts'
import type { EntitlementStore } from './store.ts'

export type RenewalRefusal = { readonly reason: 'payments_unavailable' | 'not_found' }
export type ChangeRefusal = RenewalRefusal | { readonly reason: 'unknown_sku' | 'sku_not_payable' | 'change_refused' }

export interface PlanChange {
  readonly id: string
  readonly sku: string
  /** Of the request: its price is charged. */
  readonly country: string | null
}

/** Called whenever an identity's entitlements change. Best effort: caches expire within a minute. */
export type EntitlementListener = (did: string) => Promise<void>

interface OpenSubscription {
  readonly subscriptionId: string
  readonly provider: PaymentProvider
  readonly tier: Tier
}

/** The tier of an identity. */
export class EntitlementService {
  readonly #store: EntitlementStore
  readonly #provider: PaymentProvider | null
  readonly #changed: EntitlementListener
  readonly #offers: OfferService

  constructor(
    store: EntitlementStore,
    offers: OfferService,
    provider: PaymentProvider | null,
    changed: EntitlementListener,
  ) {
    this.#store = store
    this.#offers = offers
    this.#provider = provider
    this.#changed = changed
  }

  async current(did: string, now: number): Promise<Entitlement> {
    return entitlementOf(await this.#store.current(did, now), now)
  }

  /** Which tier an identity has now, by which source and until when. */
  async standing(did: string, now: number): Promise<Standing> {
    return standingOf(await this.#store.current(did, now), now)
  }

  /** Idempotent per code. */
  issue(code: NewCode, now: number): Promise<void> {
    return this.#store.issue(code, now)
  }

  /** Null if this identity cannot redeem the code, for whatever reason. */
  async redeem(did: string, codeHash: string, now: number): Promise<Grant | null> {
    const grant = await this.#store.redeem(codeHash, did, now)
    if (!grant) return null
    await this.#changed(did)
    return grantOf(grant, now)
  }

  /** Grants or revokes the licence or the plan of an identity. */
  async license({ did, source, tier, expiresAt, issuedAt }: LicenceAct, now: number): Promise<void> {
    if (tier === null || expiresAt === null) await this.#store.revokeLicence({ did, source, issuedAt }, now)
    else await this.#store.grantLicence({ did, source, tier, expiresAt, issuedAt }, now)
    await this.#changed(did)
  }

  /** Ends a grant, whatever its source. Idempotent; false if there is no such grant. Does not end a subscription at the provider. */
  async end(id: string, now: number): Promise<boolean> {
    for (;;) {
      const grant = await this.#store.find(id)
      if (!grant) return false
      const ended = endedGrant(grant, now)
      // Written only if no event changed the grant since it was read; otherwise the new state is ended.
      if (ended && !(await this.#store.end(ended))) continue
      await this.#changed(grant.did)
      return true
    }
  }

  /** Asks the provider and changes nothing here: the provider reports the result with an event. */
  async setRenewal(did: string, id: string, renews: boolean, now: number): Promise<Result<void, RenewalRefusal>> {
    const found = await this.#subscription(did, id, now)
    if (!found.ok) return found
    const { subscriptionId, provider } = found.value
    const outcome = await reaching('payments', () => provider.setRenewal(subscriptionId, renews))
    return outcome === 'set' ? ok(undefined) : err({ reason: 'not_found' })
  }

  /** Asks the provider, like `setRenewal`. A higher tier is charged and given at once, a lower one from the next period. */
  async changePlan(did: string, { id, sku, country }: PlanChange, now: number): Promise<Result<void, ChangeRefusal>> {
    const found = await this.#subscription(did, id, now)
    if (!found.ok) return found
    const offer = await this.#offers.find(sku, country)
    if (!offer) return err({ reason: 'unknown_sku' })
    if (offer.kind !== 'subscription') return err({ reason: 'sku_not_payable' })
    const { subscriptionId, provider, tier } = found.value
    const isLower = rankOf(offer.tier) < rankOf(tier)
    const outcome = await reaching('payments', () => provider.changePlan(subscriptionId, { offer, isLower }))
    return outcome === 'changed' ? ok(undefined) : err({ reason: 'change_refused' })
  }

  async #subscription(did: string, id: string, now: number): Promise<Result<OpenSubscription, RenewalRefusal>> {
    const grant = await this.#store.find(id)
    const isOpen = grant?.did === did && isSubscribed(grant, now)
    if (!isOpen || grant.subscriptionId === null) return err({ reason: 'not_found' })
    const provider = this.#provider
    if (!provider) return err({ reason: 'payments_unavailable' })
    return ok({ subscriptionId: grant.subscriptionId, provider, tier: grant.tier })
  }
}
