/**
 * Watch tokens inside an identity's object, and the devices that their holders see. Each method is one transaction.
 *
 * @module
 */
import type { VerifiedAssertion } from '@svc/assertion'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { StandingChange, WatchedDevices, WatchTokenRecord } from '@svc/protocol/chain/watch'
import type { IdentityTransaction, Refused } from '../identity/transaction.ts'
import { countWatched } from './changes.ts'
import { hasRoom, mayWithdraw, type WatchToken, worksUntil } from './rules.ts'

export type WatchRefusal = { readonly reason: 'watch_limit' | 'not_found' | 'owner_mismatch' }

export interface Watched {
  readonly devices: WatchedDevices
  readonly changes: readonly StandingChange[]
}

export class WatchTransaction {
  readonly #transaction: IdentityTransaction

  constructor(transaction: IdentityTransaction) {
    this.#transaction = transaction
  }

  /** Registers a token. Idempotent for a token that was not withdrawn. */
  make(assertion: VerifiedAssertion, tokenHash: string): Result<WatchTokenRecord, Refused | WatchRefusal> {
    return this.#transaction.authorized(
      assertion,
      ({ current: { epoch } }, { device }): Result<WatchTokenRecord, WatchRefusal> => {
        const { watch } = this.#transaction
        const now = Date.now()
        this.#withdrawExpired(now)
        const tokens = watch.all(now)
        const known = tokens.find((one) => one.tokenHash === tokenHash)
        if (known?.withdrawnAt === null) return ok(this.#record(known))
        const token = { tokenHash, madeBy: device?.deviceId ?? 'root', epoch, madeAt: now, withdrawnAt: null }
        const others = tokens.filter((one) => one !== known)
        if (!hasRoom(others, token)) return err({ reason: 'watch_limit' })
        watch.put(token, now)
        return ok(this.#record(token))
      },
    )
  }

  list(assertion: VerifiedAssertion): Result<WatchTokenRecord[], Refused> {
    return this.#transaction.authorized(assertion, () =>
      ok(this.#transaction.watch.all(Date.now()).map((token) => this.#record(token))),
    )
  }

  /** Withdraws a token. Idempotent: the first withdrawal counts. */
  withdraw(assertion: VerifiedAssertion, tokenHash: string): Result<WatchTokenRecord, Refused | WatchRefusal> {
    return this.#transaction.authorized(assertion, (_, { device }): Result<WatchTokenRecord, WatchRefusal> => {
      const { watch } = this.#transaction
      const now = Date.now()
      const find = () => watch.all(now).find((one) => one.tokenHash === tokenHash)
      const known = find()
      if (!known) return err({ reason: 'not_found' })
      if (!mayWithdraw(known, device?.deviceId ?? null)) return err({ reason: 'owner_mismatch' })
      watch.withdraw((one) => one.tokenHash === tokenHash, now)
      return ok(this.#record(find() ?? known))
    })
  }

  /** Returns device counts and changes; null if this token no longer works. Without a token, the caller is the owner. */
  look(tokenHash: string | null): Watched | null {
    const identity = this.#transaction.read()
    const now = Date.now()
    const { watch, inception, times } = this.#transaction
    if (!identity) return null
    if (tokenHash !== null && !watch.all(now).some((one) => one.tokenHash === tokenHash)) return null
    const spans = this.#transaction.devices.spans(identity.current.epoch, now)
    return {
      devices: { ...countWatched(spans, now, times()), newest: inception.newest() },
      changes: this.#transaction.told.changes(identity.current.epoch, now),
    }
  }

  /** Withdraws the tokens of expired devices, which would pile up otherwise, because expiry is not an event. */
  #withdrawExpired(now: number): void {
    const { watch, devices } = this.#transaction
    const hasExpired = (deviceId: string) => {
      const expiresAt = devices.find(deviceId)?.expiresAt ?? null
      return expiresAt !== null && expiresAt <= now
    }
    watch.withdraw(({ madeBy }) => hasExpired(madeBy), now)
  }

  #record(token: WatchToken): WatchTokenRecord {
    const { withdrawnAt: _, ...shown } = token
    return { ...shown, worksUntil: worksUntil(token, this.#transaction.watch.standingMs) }
  }
}
