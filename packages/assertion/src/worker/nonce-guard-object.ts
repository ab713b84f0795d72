import { type Schema, VersionedObject } from '@svc/objects'
import { NONCE_FACTS, NonceStore } from './nonce-store.ts'

/** A deleted object has forgotten what it dropped. Waiting an hour covers a clock that was ahead and is set back. */
const GRACE_MS = 3_600_000

const NONCE_GUARD: Schema = {
  name: 'nonce-guard',
  steps: [{ name: 'a table of nonces for each hour', run: () => {} }],
  facts: NONCE_FACTS,
}

/**
 * The spent nonces of one signing key at one audience. Named by the key's userId, or `dev:` and deviceId. It is only
 * reached after the signature has been verified and core has vouched for the key, so strangers cannot create storage.
 */
export class NonceGuard extends VersionedObject {
  static override readonly schemas = [NONCE_GUARD]
  readonly #nonces = new NonceStore(this.stored)

  /** Spends a nonce. Of concurrent calls exactly one returns `spent`. Durable before the response is sent. */
  async spend(signer: string, nonce: string, keepUntil: number): Promise<'spent' | 'replay' | 'expired'> {
    const now = Date.now()
    // Checked before creating tables: nothing would sweep an object created by an expired nonce.
    if (keepUntil <= now) return 'expired'
    const outcome = this.stored.transact(() => {
      this.stored.create(NONCE_GUARD)
      return this.#nonces.spend(signer, nonce, keepUntil, now)
    })
    // No write while an alarm is set: it only moves to an earlier time.
    await this.stored.alarm.by(this.#nonces.lastEnd() + GRACE_MS)
    return outcome
  }

  /** Idempotent: a second sweep deletes nothing that could still be replayed. */
  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    if (!this.stored.exists) return
    const now = Date.now()
    this.stored.transact(() => this.#nonces.dropEnded(now))
    const end = this.#nonces.lastEnd() + GRACE_MS
    if (end > now) await this.stored.alarm.by(end)
    else await this.stored.deleteAll()
  }
}
