import { signStatement } from '#protocol/base/statement'
import { type Deactivated, type Deactivation, deactivatedSchema } from '#protocol/chain/deactivation'
import { type HoldState, holdStateSchema } from '#protocol/chain/hold'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { placed } from '../identity/signing.ts'
import { signerOf } from '../identity/signing-key.ts'
import type { Transport } from '../transport/transport.ts'

export interface DeactivateOptions {
  /** A key that the identity has committed to: then it ends by root key and successor, a window later. */
  readonly successor?: Identity
}

/** What to do if something is wrong: a hold freezes writes, a deactivation ends the identity permanently. */
export class Security {
  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device

  constructor(transport: Transport, base: string, owner: Identity | Device) {
    this.#transport = transport
    this.#base = base
    this.#owner = owner
  }

  /**
   * Deactivates the identity permanently: its assertions are rejected, and its DID resolves to 410. Root key only. At
   * once if no device has standing; otherwise `status` is `pending` until `deadline` (epoch ms), and `rotation.freeze`,
   * `cancel` and `cosign` take its `rotationId`. Throws 409 `rotation_pending` beside another request that stands in
   * its way, and 403 `successor_required` without a `successor` if the identity has committed to its next keys.
   */
  async deactivate({ successor }: DeactivateOptions = {}): Promise<Deactivated> {
    const root = this.#owner
    if (!(root instanceof Identity)) throw new TypeError('Only the root key can deactivate an identity')
    const { did, scope, epoch } = root
    const statement = {
      type: 'svc/did-deactivate/v1',
      ...placed(await this.#transport.signing()),
      did,
      scope,
      epoch,
    } as const
    const signed = await signStatement(statement, signerOf(root))
    const body = successor ? { ...signed, ...(await bySuccessor(statement, successor)) } : signed
    const call = { method: 'POST', url: `${this.#base}/api/chain/deactivate`, audience: 'chain', body } as const
    return this.#transport.data(call, deactivatedSchema)
  }

  /** Whether this identity is under a security hold, and since when (epoch ms). */
  hold(): Promise<HoldState> {
    const call = { method: 'GET', url: `${this.#base}/api/security/hold`, audience: 'chain' } as const
    return this.#transport.data(call, holdStateSchema)
  }

  /**
   * Freezes chain and inception writes at once, as the root key or any active device; appends get 409 `security_hold`.
   * Idempotent: placing it again keeps the original time.
   */
  placeHold(): Promise<HoldState> {
    const call = { method: 'POST', url: `${this.#base}/api/security/hold`, audience: 'chain' } as const
    return this.#transport.data(call, holdStateSchema)
  }

  /** Lifts the hold. Root key only. */
  liftHold(): Promise<HoldState> {
    const call = { method: 'POST', url: `${this.#base}/api/security/hold/lift`, audience: 'chain' } as const
    return this.#transport.data(call, holdStateSchema)
  }
}

async function bySuccessor(statement: Deactivation, successor: Identity) {
  const { signatureB64u: successorSignatureB64u } = await signStatement(statement, signerOf(successor))
  return { successorPublicKeyB64u: successor.publicKeyB64u, successorSignatureB64u }
}
