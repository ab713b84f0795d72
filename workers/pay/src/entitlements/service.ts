import { reaching } from '@svc/protocol/base/dependency-fault'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { type Entitlement, entitlementCodeHash, type Grant } from '@svc/protocol/pay/entitlements'
import type { PaymentProvider } from '../payments/provider.ts'
import { endedGrant, entitlementOf, grantOf, heldUntil } from './rules.ts'
import type { EntitlementStore } from './store.ts'

export type RenewalRefusal = { readonly reason: 'payments_unavailable' | 'not_found' }

/** Called whenever an identity's entitlements change. Best effort: caches expire within a minute. */
export type EntitlementListener = (did: string) => Promise<void>

/** The tier of an identity. */
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

  /** Null if this identity cannot redeem the code, for whatever reason. */
  async redeem(did: string, code: string, now: number): Promise<Grant | null> {
    const grant = await this.#store.redeem(entitlementCodeHash(code), did, now)
    if (!grant) return null
    await this.#changed(did)
    return grantOf(grant, now)
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
