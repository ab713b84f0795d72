import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { raiseAlarm } from '@svc/service'
import type { DeadLetterService } from '../dead-letters/service.ts'
import { paymentEventOf } from '../payments/event.ts'
import type { PaymentEvent } from '../payments/news.ts'
import type { EventLister, EventPage } from '../payments/provider.ts'
import type { PaymentService } from '../payments/service.ts'
import { type Span, spansOf } from './rules.ts'
import type { ReconciliationStore } from './store.ts'

/** Requests of one run: it ends in time, and the next one continues. */
const MAX_PAGES = 300

export interface ReconciliationDependencies {
  readonly store: ReconciliationStore
  readonly payments: PaymentService
  readonly deadLetters: DeadLetterService
  readonly lister: EventLister
  readonly expectedLive: boolean
}

/** Compares the provider's list of events with what was applied, and applies what never arrived. */
export class Reconciliation {
  readonly #deps: ReconciliationDependencies
  #pages = 0

  constructor(deps: ReconciliationDependencies) {
    this.#deps = deps
  }

  /** Each span is recorded once all its events were taken; after a failure the next run begins there. */
  async run(now: number): Promise<void> {
    let missed = 0
    this.#pages = 0
    try {
      for (const span of spansOf(await this.#deps.store.comparedUntil(), now)) {
        missed += await this.#compare(span, now)
        await this.#deps.store.advance(span.until)
      }
    } catch (error) {
      if (!(error instanceof DependencyFault)) throw error
      raiseAlarm({ service: 'pay', alarm: 'reconciliation_incomplete', reason: error.message })
    }
    if (missed > 0) raiseAlarm({ service: 'pay', alarm: 'payment_events_missed', count: missed })
    await this.#deps.deadLetters.remind()
  }

  /** How many events had not arrived and changed something. */
  async #compare(span: Span, now: number): Promise<number> {
    let missed = 0
    for (const event of (await this.#eventsOf(span)).toReversed()) {
      if ((await this.#deps.payments.take(event, now)) === 'applied') missed += 1
    }
    return missed
  }

  async #eventsOf(span: Span): Promise<PaymentEvent[]> {
    const { lister, expectedLive } = this.#deps
    const found: PaymentEvent[] = []
    for (let after: string | null = null; ; ) {
      if (++this.#pages > MAX_PAGES) throw new DependencyFault('payments')
      const asked: string | null = after
      const { events, next }: EventPage = await reaching('payments', () => lister.listEvents(span, asked))
      found.push(...events.flatMap((event) => paymentEventOf(event, expectedLive) ?? []))
      if (next === null) return found
      after = next
    }
  }
}
