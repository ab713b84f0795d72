import { DurableObject } from 'cloudflare:workers'
import { NonceStore } from './nonce-store.ts'

/** How long after the first expiry the alarm waits, so that one alarm clears a burst and not a single row. */
const SWEEP_DELAY_MS = 60_000

/**
 * The spent nonces of one signing key at one audience. Named by the key's userId, or `dev:` and deviceId, and only
 * ever reached after the signature was found good and core has vouched for the key, so a stranger creates nothing.
 */
export class NonceGuard extends DurableObject {
  #ready = false
  #sweepAt: number | null = null

  /** Spends a nonce; of any number of calls exactly one gets `spent`. Durable before the answer leaves. */
  async spend(signer: string, nonce: string, keepUntil: number): Promise<'spent' | 'replay' | 'expired'> {
    // Looked at before the tables are made: nothing would sweep an object that an expired nonce alone had created.
    if (keepUntil <= Date.now()) return 'expired'
    const { storage } = this.ctx
    const outcome = storage.transactionSync(() => {
      if (!this.#ready) NonceStore.createTables(storage.sql)
      return new NonceStore(storage.sql).spend(signer, nonce, keepUntil, Date.now())
    })
    this.#ready = true
    if (outcome === 'spent') await this.#scheduleSweep(keepUntil)
    return outcome
  }

  /** Idempotent: sweeping twice forgets nothing that could still be replayed. */
  override async alarm(): Promise<void> {
    const { storage } = this.ctx
    this.#sweepAt = null
    if (!this.#ready) NonceStore.createTables(storage.sql)
    this.#ready = true
    const nonces = new NonceStore(storage.sql)
    nonces.prune(Date.now())
    const next = nonces.earliestExpiry()
    if (next !== null) return this.#scheduleSweep(next)
    this.#ready = false
    await storage.deleteAll()
  }

  /** `#sweepAt` caches the alarm that storage holds; an evicted object reads it back. */
  async #scheduleSweep(keepUntil: number): Promise<void> {
    this.#sweepAt ??= await this.ctx.storage.getAlarm()
    if (this.#sweepAt !== null) return
    this.#sweepAt = keepUntil + SWEEP_DELAY_MS
    await this.ctx.storage.setAlarm(this.#sweepAt)
  }
}
