import { type Schema, VersionedObject } from '@svc/objects'
import { NONCE_TABLES, NonceStore } from './nonce-store.ts'

/** Delay of the alarm after the first expiry, so that one alarm clears a burst rather than a single row. */
const SWEEP_DELAY_MS = 60_000

const NONCE_GUARD: Schema = {
  name: 'nonce-guard',
  unversionedTable: 'nonces',
  steps: [{ name: 'nonces', sql: NONCE_TABLES }],
}

/**
 * The spent nonces of one signing key at one audience. Named by the key's userId, or `dev:` and deviceId. It is only
 * reached after the signature has been verified and core has vouched for the key, so strangers cannot create storage.
 */
export class NonceGuard extends VersionedObject {
  static override readonly schemas = [NONCE_GUARD]
  readonly #nonces = new NonceStore(this.stored.sql)

  /** Spends a nonce. Of concurrent calls exactly one returns `spent`. Durable before the response is sent. */
  async spend(signer: string, nonce: string, keepUntil: number): Promise<'spent' | 'replay' | 'expired'> {
    const now = Date.now()
    // Checked before creating tables: nothing would sweep an object created by an expired nonce.
    if (keepUntil <= now) return 'expired'
    const outcome = this.stored.transact(() => {
      this.stored.create(NONCE_GUARD)
      return this.#nonces.spend(signer, nonce, keepUntil, now)
    })
    if (outcome === 'spent') await this.stored.alarm.by(keepUntil + SWEEP_DELAY_MS)
    return outcome
  }

  /** Idempotent: a second sweep deletes nothing that could still be replayed. */
  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    if (!this.stored.exists) return
    this.#nonces.prune(Date.now())
    const next = this.#nonces.earliestExpiry()
    if (next === null) await this.stored.deleteAll()
    else await this.stored.alarm.by(next + SWEEP_DELAY_MS)
  }
}
