import { type QuotaReceipt, quotaReceiptSchema } from '@svc/protocol/quota'
import type { Planned } from '../planned.ts'
import type { Sealer } from '../sealer.ts'
import { Book, dataOf, saying } from './book.ts'

const KIND = 'search'

/** Uses that one meter has counted. */
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
   * The meter has counted every acknowledged use once, and at most those that nobody heard of besides. Under the same keys
   * again nothing more is counted but what was not yet.
   */
  async faults(): Promise<string[]> {
    const found: string[] = []
    const [least, most] = [this.heard.length, this.heard.length + this.unheard.length]
    const before = await this.#used()
    if (before < least || before > most) found.push(`quota: ${before} uses are counted, of ${least} to ${most}`)
    // Which of them is not told, only how many.
    for (const key of this.unheard.slice(0, Math.max(0, before - least))) this.wasTaken(key)
    for (const { claim: key, answer } of this.heard) found.push(...(await this.#again(key, answer)))
    found.push(
      ...(await this.tryAgain(async (key) => ({ data: await this.#sealer.client.quota.consume(KIND, { key }) }))),
    )
    const after = await this.#used()
    if (after !== most) found.push(`quota: ${after} uses are counted after ${most} keys were used again`)
    return found
  }

  async #again(key: string, answer: unknown): Promise<string[]> {
    const first: QuotaReceipt = dataOf(answer, quotaReceiptSchema)
    try {
      const { statement } = await this.#sealer.client.quota.consume(KIND, { key })
      const isSame = statement.period === first.statement.period && statement.amount === first.statement.amount
      return isSame ? [] : [`quota: the use ${key} is another one now`]
    } catch (error) {
      return [saying(`quota: the use ${key} again`, error)]
    }
  }

  async #used(): Promise<number> {
    const meters = await this.#sealer.client.quota.meters()
    return meters.find(({ kind }) => kind === KIND)?.used ?? 0
  }
}
