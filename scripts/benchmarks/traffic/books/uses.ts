import { type QuotaReceipt, quotaReceiptSchema } from '@svc/protocol/pay/quota'
import type { Planned } from '../planned.ts'
import type { Sealer } from '../sealer.ts'
import { Book, dataOf, saying } from './book.ts'

const KIND = 'search'

/** The uses that one meter has counted. */
export class UseBook extends Book<string> {
  readonly #sealer: Sealer

  constructor(sealer: Sealer) {
    super()
    this.#sealer = sealer
  }

  async next(): Promise<Planned> {
    const key = crypto.randomUUID()
    const request = await this.#sealer.seal('POST', ({ quota }) => quota.consume(KIND, { key }))
    return this.planned(request, 200, key)
  }

  /**
   * The meter has counted every acknowledged use once, and at most the unanswered ones besides. Repeating all keys counts
   * only what was not counted yet.
   */
  async faults(): Promise<string[]> {
    const found: string[] = []
    const [least, most] = [this.heard.length, this.heard.length + this.unheard.length]
    const before = await this.#used()
    if (before < least || before > most) found.push(`quota: ${before} uses were counted, expected ${least} to ${most}`)
    // The meter reports only how many.
    for (const key of this.unheard.slice(0, Math.max(0, before - least))) this.wasTaken(key)
    for (const { claim: key, answer } of this.heard) found.push(...(await this.#again(key, answer)))
    found.push(
      ...(await this.tryAgain(async (key) => ({ data: await this.#sealer.client.quota.consume(KIND, { key }) }))),
    )
    const after = await this.#used()
    if (after !== most) found.push(`quota: ${after} uses were counted after ${most} keys were repeated`)
    return found
  }

  async #again(key: string, answer: unknown): Promise<string[]> {
    const first: QuotaReceipt = dataOf(answer, quotaReceiptSchema)
    try {
      const { statement } = await this.#sealer.client.quota.consume(KIND, { key })
      const isSame = statement.period === first.statement.period && statement.amount === first.statement.amount
      return isSame ? [] : [`quota: the use ${key} has changed`]
    } catch (error) {
      return [saying(`quota: the use ${key}, repeated`, error)]
    }
  }

  async #used(): Promise<number> {
    const meters = await this.#sealer.client.quota.meters()
    return meters.find(({ kind }) => kind === KIND)?.used ?? 0
  }
}
