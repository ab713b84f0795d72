import { reaching } from '@svc/protocol/dependency-fault'
import { type Entitlement, entitlementCodeHash, type Grant } from '@svc/protocol/entitlements'
import { err, ok, type Result } from '@svc/protocol/result'
import type { PaymentProvider } from '../payments/payment-provider.ts'
import type { EntitlementStore } from './entitlement-store.ts'
import { entitlementOf, grantOf, heldUntil } from './entitlements.ts'

export type RenewalRefusal = { readonly reason: 'payments_unavailable' | 'not_found' }

/** Told whenever what an identity is entitled to has changed. Best effort: whoever caches it does so for a minute. */
export type EntitlementListener = (did: string) => Promise<void>

/** Which tier an identity has. */
export class EntitlementService {
  readonly #store: EntitlementStore
  readonly #provider: PaymentProvider | null
  readonly #changed: EntitlementListener

  constructor(store: EntitlementStore, provider: PaymentProvider | null, changed: EntitlementListener) {
    this.#store = store
    this.#provider = provider
    this.#changed = changed
  }

  async current(did: string, now: number): Promise<Entitlement> {
    return entitlementOf(await this.#store.current(did, now), now)
  }

  /** Null when the code cannot be redeemed by this identity, for whatever reason. */
  async redeem(did: string, code: string, now: number): Promise<Grant | null> {
    const grant = await this.#store.redeem(entitlementCodeHash(code), did, now)
    if (!grant) return null
    await this.#changed(did)
    return grantOf(grant)
  }

  /** Asks the provider, and changes nothing here: what comes of it the provider says by an event, as always. */
  async setRenewal(did: string, id: string, renews: boolean, now: number): Promise<Result<void, RenewalRefusal>> {
    const grant = await this.#store.find(id)
    const isOpen = grant?.did === did && grant.status !== 'ended' && heldUntil(grant) > now
    if (!isOpen || grant.subscriptionId === null) return err({ reason: 'not_found' })
    const provider = this.#provider
    if (!provider) return err({ reason: 'payments_unavailable' })
    const { subscriptionId } = grant
    const outcome = await reaching('payments', () => provider.setRenewal(subscriptionId, renews))
    return outcome === 'set' ? ok(undefined) : err({ reason: 'not_found' })
  }
}
