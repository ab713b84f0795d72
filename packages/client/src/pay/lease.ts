import type { QuotaReceipt } from '#protocol/pay/quota'
import type { QuotaKind } from '#protocol/pay/tiers'

/** What a lease needs of `Quota`. */
export interface Lessor {
  consume(kind: QuotaKind, options: { readonly amount: number; readonly key: string }): Promise<QuotaReceipt>
  refund(key: string): Promise<QuotaReceipt>
  reduce(kind: QuotaKind, key: string, amount: number): Promise<QuotaReceipt>
}

export interface LeaseTerms {
  readonly kind: QuotaKind
  /** Units. */
  readonly amount: number
  readonly key: string
}

/**
 * Units that were counted by one signed request, and that a program then spends by itself, without asking the service for
 * each. Settle it at the end: what was not spent goes back to the meter.
 *
 * The program keeps the count. Units of a lease that is never settled stay counted, so a crash loses units and never
 * gives any away.
 *
 * @example
 * ```ts
 * const lease = await client.quota.lease('search', 100)
 * try {
 *   for (const query of queries) if (lease.spend()) await answer(query)
 * } finally {
 *   await lease.settle()
 * }
 * ```
 */
export class QuotaLease {
  /** Of all units. Verified against the key that the service publishes. */
  readonly receipt: QuotaReceipt
  /** When its month ends, epoch ms: from then on, `spend` returns false. */
  readonly endsAt: number
  readonly #lessor: Lessor
  readonly #terms: LeaseTerms
  readonly #now: () => number
  #left: number
  #isClosed = false
  #settling: Promise<QuotaReceipt | null> | undefined

  private constructor(lessor: Lessor, terms: LeaseTerms, receipt: QuotaReceipt, now: () => number) {
    this.#lessor = lessor
    this.#terms = terms
    this.#now = now
    this.#left = terms.amount
    this.receipt = receipt
    this.endsAt = endOf(receipt.statement.period)
  }

  /** @internal `Quota.lease` takes one. */
  static async take(lessor: Lessor, terms: LeaseTerms, now: () => number): Promise<QuotaLease> {
    return new QuotaLease(lessor, terms, await lessor.consume(terms.kind, terms), now)
  }

  /** The key under which the units were counted. */
  get key(): string {
    return this.#terms.key
  }

  /** Units that are not spent. */
  get left(): number {
    return this.#left
  }

  /**
   * Spends units, and says whether it did: not if fewer are left, if the month is over, or if the lease is being settled.
   * Nothing is sent. Throws a `RangeError` unless `amount` is a positive integer.
   */
  spend(amount = 1): boolean {
    if (!Number.isSafeInteger(amount) || amount < 1) throw new RangeError('amount must be a positive integer')
    if (this.#isClosed || amount > this.#left || this.#now() >= this.endsAt) return false
    this.#left -= amount
    return true
  }

  /**
   * Gives back what is left, and returns the receipt of that, or null if nothing is. Nothing is spent afterwards. Call it
   * again if it throws; once it has succeeded, it returns the same receipt. Possible until a day after `endsAt`: later the
   * service knows the key no longer, which is a `ServiceError` `not_found`.
   */
  settle(): Promise<QuotaReceipt | null> {
    this.#isClosed = true
    this.#settling ??= this.#giveBack().catch((error: unknown) => {
      this.#settling = undefined
      throw error
    })
    return this.#settling
  }

  async #giveBack(): Promise<QuotaReceipt | null> {
    const { kind, amount, key } = this.#terms
    const unspent = this.#left
    if (unspent === 0) return null
    // The same request each time: the service answers a repeated one with the same receipt.
    return unspent === amount ? this.#lessor.refund(key) : this.#lessor.reduce(kind, key, unspent)
  }
}

/** The end of a month such as `2026-09`, UTC, which the schema of a receipt has checked. */
function endOf(period: string): number {
  const [year, month] = period.split('-').map(Number)
  return Date.UTC(year ?? Number.NaN, month ?? Number.NaN, 1)
}
