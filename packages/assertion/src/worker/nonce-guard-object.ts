import { DurableObject } from 'cloudflare:workers'
import { NonceStore, type OpenNonce } from './nonce-store.ts'

export type { OpenNonce } from './nonce-store.ts'

/** How long after the first expiry the alarm waits, so that one alarm clears a burst and not a single row. */
const SWEEP_DELAY_MS = 60_000

/**
 * The spent nonces of one signing key at one audience. Named by the key's userId, or `dev:` and deviceId, and only
 * ever reached after the signature was found good and core has vouched for the key, so a stranger creates nothing.
 *
 * Besides, under names of their own, a fixed number of instances keep the nonces of strangers, which `spendOpen` bounds.
 */
export class NonceGuard extends DurableObject {
  #ready = false
  /** How many rows there are; counted when `spendOpen` first asks and after each sweep. */
  #count: number | null = null
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

  /**
   * Spends nonces of strangers, in order, each for itself: `full` once `maxNonces` are remembered, so that whoever
   * floods an instance makes it refuse and never grow. A caller uses either this or `spend` on one instance.
   */
  async spendOpen(
    nonces: readonly OpenNonce[],
    keepUntil: number,
    maxNonces: number,
  ): Promise<('spent' | 'replay' | 'expired' | 'full')[]> {
    if (keepUntil <= Date.now()) return nonces.map(() => 'expired')
    const { storage } = this.ctx
    const before = this.#count
    try {
      const outcomes = storage.transactionSync(() => {
        if (!this.#ready) NonceStore.createTables(storage.sql)
        const store = new NonceStore(storage.sql)
        let count = this.#count ?? store.count()
        const told: ('spent' | 'replay')[] = []
        // Of as many as there is room for none can be too many.
        while (told.length < nonces.length && count < maxNonces) {
          const part = nonces.slice(told.length, told.length + maxNonces - count)
          const spent = store.spendAll(part, keepUntil)
          told.push(...spent.map((isSpent) => (isSpent ? 'spent' : 'replay')))
          count += spent.filter(Boolean).length
        }
        this.#count = count
        return nonces.map((_, i) => told[i] ?? 'full')
      })
      this.#ready = true
      await this.#scheduleSweep(keepUntil)
      return outcomes
    } catch (error) {
      this.#count = before
      throw error
    }
  }

  /** Idempotent: sweeping twice forgets nothing that could still be replayed. */
  override async alarm(): Promise<void> {
    const { storage } = this.ctx
    this.#sweepAt = null
    if (!this.#ready) NonceStore.createTables(storage.sql)
    this.#ready = true
    const nonces = new NonceStore(storage.sql)
    nonces.prune(Date.now())
    this.#count = null
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
