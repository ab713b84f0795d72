import { type Deactivated, deactivatedSchema, type SignedDeactivation } from '@svc/protocol/deactivation'
import { type HoldState, holdStateSchema } from '@svc/protocol/security'
import { signStatement } from '@svc/protocol/statement'
import type { Device } from './device.ts'
import { Identity } from './identity.ts'
import type { Transport } from './transport.ts'

/** What an owner does when something is wrong: a hold that freezes, and an end for good (document 1 section 4.2). */
export class Security {
  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device

  constructor(transport: Transport, base: string, owner: Identity | Device) {
    this.#transport = transport
    this.#base = base
    this.#owner = owner
  }

  /** Signs the end of this identity and sends nothing: to be kept for an emergency, or handed to `deactivate`. */
  async makeDeactivation(): Promise<SignedDeactivation> {
    const root = this.#owner
    if (!(root instanceof Identity)) throw new TypeError('an identity is ended by its root key')
    const { did, scope } = root
    const statement = { type: 'svc/did-deactivate/v1', did, scope, issuedAt: this.#transport.now() } as const
    return signStatement(statement, (message) => root.sign(message))
  }

  /** Ends the identity for good: no assertion of it is accepted again, and its DID resolves to 410. */
  async deactivate(signed?: SignedDeactivation): Promise<Deactivated> {
    const body = signed ?? (await this.makeDeactivation())
    return this.#transport.data({ method: 'POST', url: `${this.#base}/api/chain/deactivate`, body }, deactivatedSchema)
  }

  /** Whether this identity is under a security hold, and since when (epoch ms). */
  hold(): Promise<HoldState> {
    const call = { method: 'GET', url: `${this.#base}/api/security/hold`, audience: 'chain' } as const
    return this.#transport.data(call, holdStateSchema)
  }

  /** Freezes this identity's chain and inception writes at once, by the root key or any active device; appends get 409 `security_hold`. Placing it twice keeps the first. */
  placeHold(): Promise<HoldState> {
    const call = { method: 'POST', url: `${this.#base}/api/security/hold`, audience: 'chain' } as const
    return this.#transport.data(call, holdStateSchema)
  }

  /** Lifts the hold. Only the root key may. */
  liftHold(): Promise<HoldState> {
    const call = { method: 'POST', url: `${this.#base}/api/security/hold/lift`, audience: 'chain' } as const
    return this.#transport.data(call, holdStateSchema)
  }
}
