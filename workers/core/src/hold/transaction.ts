import type { VerifiedAssertion } from '@svc/assertion'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { DEVICE_HOLD_PERIOD_MS, type HoldState, MAX_DEVICE_HOLDS } from '@svc/protocol/chain/hold'
import type { IdentityTransaction, Refused } from '../identity/transaction.ts'

/** The security hold of an identity, inside its object. */
export class HoldTransaction {
  readonly #transaction: IdentityTransaction

  constructor(transaction: IdentityTransaction) {
    this.#transaction = transaction
  }

  state(assertion: VerifiedAssertion): Result<HoldState, Refused> {
    return this.#transaction.authorized(assertion, () => ok(this.#state()))
  }

  /** Idempotent: keeps an existing hold; lifting a hold that is not there does nothing. */
  set(assertion: VerifiedAssertion, held: boolean): Result<HoldState, Refused | { reason: 'veto_limit' }> {
    return this.#transaction.authorized(assertion, (_, { device }): Result<HoldState, { reason: 'veto_limit' }> => {
      const { identities, events } = this.#transaction
      const now = Date.now()
      const by = device?.deviceId ?? 'root'
      if (held === identities.hold().held) return ok(this.#state())
      if (!held) identities.liftHold()
      else {
        const since = now - DEVICE_HOLD_PERIOD_MS
        if (device && identities.holdsSince(device.deviceId, since) >= MAX_DEVICE_HOLDS)
          return err({ reason: 'veto_limit' })
        if (device) identities.markHold(device.deviceId, now, since)
        identities.placeHold(now)
      }
      events.add(held ? 'hold.placed' : 'hold.lifted', by, now)
      return ok(this.#state())
    })
  }

  /** Whether a hold is in effect, for work outside the object. */
  isInEffect(): boolean {
    return this.#transaction.read() !== null && this.#transaction.identities.hold().held
  }

  #state(): HoldState {
    return { ...this.#transaction.identities.hold(), ...this.#transaction.pending() }
  }
}
