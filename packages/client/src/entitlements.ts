import {
  type Entitlement,
  entitlementSchema,
  type Grant,
  grantSchema,
  renewalRequestSchema,
} from '@svc/protocol/entitlements'
import type { Transport } from './transport.ts'

/** Which tier this identity has (document 2 section 4.6). */
export class Entitlements {
  readonly #transport: Transport
  readonly #base: string

  constructor(transport: Transport, pay: string) {
    this.#transport = transport
    this.#base = `${pay}/entitlement`
  }

  /** The tier that is in force, until when, and what comes after it. */
  current(): Promise<Entitlement> {
    return this.#transport.data({ method: 'GET', url: this.#base, audience: 'provenance' }, entitlementSchema)
  }

  /** Redeems a code (`XXXX-XXXX-XXXX-XXXX`) for this identity; again gives the same grant. */
  redeem(code: string): Promise<Grant> {
    const call = { method: 'POST', url: `${this.#base}/redeem`, audience: 'provenance', body: { code } } as const
    return this.#transport.data(call, grantSchema)
  }

  /** Ends a subscription with its period, or takes that back. `id` is that of its grant. */
  async setRenewal(id: string, renews: boolean): Promise<void> {
    const body = { id, renews }
    const call = { method: 'POST', url: `${this.#base}/renewal`, audience: 'provenance', body } as const
    await this.#transport.data(call, renewalRequestSchema)
  }
}
