import type { Standing } from '@svc/protocol/internal/pay'
import type { Licence } from '@svc/protocol/pay/licences'
import type { StandingClient } from '@svc/service'

/** The entitlement of an identity, which pay keeps. Nothing is stored here. */
export class LicenceService {
  readonly #pay: StandingClient

  constructor(pay: StandingClient) {
    this.#pay = pay
  }

  async find(did: string): Promise<Licence> {
    return licenceOf(await this.#pay.standing(did))
  }

  /** Null if the code is unknown, expired or redeemed by another identity. Idempotent for the identity that has it. */
  async redeem(codeHash: string, did: string): Promise<Licence | null> {
    const standing = await this.#pay.redeem(did, codeHash)
    return standing && licenceOf(standing)
  }
}

function licenceOf({ tier, source, until }: Standing): Licence {
  if (source === 'signup') return { licensed: false, tier: null, expiresAt: null }
  return { licensed: true, tier, expiresAt: until }
}
