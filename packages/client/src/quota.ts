import {
  type Meter,
  metersSchema,
  payBannerSchema,
  type QuotaReceipt,
  type QuotaReceiptStatement,
  quotaReceiptSchema,
  verifyQuotaReceipt,
} from '@svc/protocol/quota'
import type { QuotaKind } from '@svc/protocol/tiers'
import { randomId } from './random-id.ts'
import type { Transport } from './transport.ts'

export interface ConsumeOptions {
  /** Units; 1 unless given. */
  readonly amount?: number
  /** Names the use: the same key again counts nothing. Keep it to try again, and to take the use back. */
  readonly key?: string
}

/** Metered use (document 2 section 4.6). Every receipt is checked against the key that the service publishes. */
export class Quota {
  readonly #transport: Transport
  readonly #pay: string
  readonly #owner: { readonly did: string }
  #receiptKey: Promise<string> | undefined

  constructor(transport: Transport, pay: string, owner: { readonly did: string }) {
    this.#transport = transport
    this.#pay = pay
    this.#owner = owner
  }

  /** Every meter in this month. */
  async meters(): Promise<readonly Meter[]> {
    const call = { method: 'GET', url: `${this.#pay}/quota`, audience: 'provenance' } as const
    return (await this.#transport.data(call, metersSchema)).meters
  }

  /** Counts a use, if the tier allows it; else throws a `ServiceError` `quota_exhausted` with the meter in `details`. */
  consume(kind: QuotaKind, { amount = 1, key = randomId() }: ConsumeOptions = {}): Promise<QuotaReceipt> {
    return this.#move('consume', { kind, amount, key }, { operation: 'consume', kind, amount, key })
  }

  /** Takes a consumption back. */
  refund(key: string): Promise<QuotaReceipt> {
    return this.#move('refund', { key }, { operation: 'refund', key })
  }

  /** Takes so many units of a consumption back. */
  reduce(kind: QuotaKind, key: string, amount: number): Promise<QuotaReceipt> {
    return this.#move('delta', { kind, key, delta: -amount }, { operation: 'delta', kind, amount, key })
  }

  async #move(path: string, body: object, expected: Partial<QuotaReceiptStatement>): Promise<QuotaReceipt> {
    const call = { method: 'POST', url: `${this.#pay}/quota/${path}`, audience: 'provenance', body } as const
    const receipt = await this.#transport.data(call, quotaReceiptSchema)
    const { statement } = receipt
    const isOurs = Object.entries({ ...expected, did: this.#owner.did }).every(
      ([name, value]) => statement[name as keyof QuotaReceiptStatement] === value,
    )
    if (!isOurs || !(await verifyQuotaReceipt(receipt, await this.#publishedKey()))) {
      throw new Error('the receipt does not hold')
    }
    return receipt
  }

  /** Asked for once: a service that changes its key is met by a client of its own. */
  #publishedKey(): Promise<string> {
    this.#receiptKey ??= this.#readKey().catch((error: unknown) => {
      this.#receiptKey = undefined
      throw error
    })
    return this.#receiptKey
  }

  async #readKey(): Promise<string> {
    const { receiptKeyB64u } = await this.#transport.data({ method: 'GET', url: `${this.#pay}/` }, payBannerSchema)
    if (receiptKeyB64u === null) throw new Error('the service publishes no key for its receipts')
    return receiptKeyB64u
  }
}
