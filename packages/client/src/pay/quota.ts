import type { StoredAmounts } from '#protocol/internal/storage'
import {
  type Meter,
  type Meters,
  metersSchema,
  type QuotaReceipt,
  type QuotaReceiptStatement,
  quotaReceiptSchema,
  verifyQuotaReceipt,
} from '#protocol/pay/quota'
import type { QuotaKind } from '#protocol/pay/tiers'
import { type TrustedKeys, trustedKeyOf } from '../discovery/trusted-keys.ts'
import { randomId } from '../transport/random-id.ts'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'
import { QuotaLease } from './lease.ts'

export interface ConsumeOptions {
  /** Units; default 1. */
  readonly amount?: number
  /** Idempotency key: the same key counts nothing more. Keep it to retry, and to reverse the use. */
  readonly key?: string
}

/** Metered use. Every receipt is verified. */
export class Quota {
  readonly #transport: Transport
  readonly #pay: string
  readonly #owner: { readonly did: string }
  readonly #receiptKeys: TrustedKeys

  constructor(transport: Transport, pay: string, owner: { readonly did: string }, receiptKeys: TrustedKeys) {
    this.#transport = transport
    this.#pay = pay
    this.#owner = owner
    this.#receiptKeys = receiptKeys
  }

  /** Every meter of this month. */
  async meters(): Promise<readonly Meter[]> {
    return (await this.#read()).meters
  }

  /**
   * What the identity keeps at core, in bytes and records, and the most that its tier allows. The vault of notes leases
   * its part in steps of 8 MiB and 500 records. Null if the service could not ask core.
   */
  async stored(): Promise<StoredAmounts | null> {
    return (await this.#read()).stored
  }

  #read(): Promise<Meters> {
    const call = { method: 'GET', url: `${this.#pay}/quota`, audience: 'provenance' } as const
    return this.#transport.data(call, metersSchema)
  }

  /** Counts a use if the tier allows it; otherwise throws a `ServiceError` `quota_exhausted` with the meter in `details`. */
  consume(kind: QuotaKind, { amount = 1, key = randomId() }: ConsumeOptions = {}): Promise<QuotaReceipt> {
    return this.#move('consume', { kind, amount, key }, { operation: 'consume', kind, amount, key })
  }

  /**
   * Counts many units by one signed request, for a program that spends them by itself: see `QuotaLease`. The same key
   * takes the same units once, so a program that restarts with it must know what it has spent. Throws as `consume` does.
   */
  lease(kind: QuotaKind, amount: number, { key = randomId() }: Pick<ConsumeOptions, 'key'> = {}): Promise<QuotaLease> {
    return QuotaLease.take(this, { kind, amount, key }, () => this.#transport.now())
  }

  /** Reverses a consumption. */
  refund(key: string): Promise<QuotaReceipt> {
    return this.#move('refund', { key }, { operation: 'refund', key })
  }

  /** Reverses part of a consumption, by units. */
  reduce(kind: QuotaKind, key: string, amount: number): Promise<QuotaReceipt> {
    return this.#move('delta', { kind, key, delta: -amount }, { operation: 'delta', kind, amount, key })
  }

  async #move(path: string, body: object, expected: Partial<QuotaReceiptStatement>): Promise<QuotaReceipt> {
    // Without a key, nothing is spent whose receipt could not be verified.
    await this.#receiptKeys(this.#transport.now())
    const call = { method: 'POST', url: `${this.#pay}/quota/${path}`, audience: 'provenance', body } as const
    const receipt = await this.#transport.data(call, quotaReceiptSchema)
    const { statement } = receipt
    const isOurs = Object.entries({ ...expected, did: this.#owner.did }).every(
      ([name, value]) => statement[name as keyof QuotaReceiptStatement] === value,
    )
    if (!isOurs)
      throw unverified('receipt', 'different_answer', 'The receipt is for another use', { evidence: receipt })
    const key = await trustedKeyOf(receipt, this.#receiptKeys, 'receipt')
    if (!(await verifyQuotaReceipt(receipt, key, this.#transport.realms)))
      throw unverified('receipt', 'invalid_signature', 'The receipt is invalid', { evidence: receipt })
    return receipt
  }
}
