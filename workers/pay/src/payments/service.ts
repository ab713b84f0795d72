import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { raiseAlarm } from '@svc/service'
import type { DeadLetterService } from '../dead-letters/service.ts'
import { isSubscribed } from '../entitlements/purchase.ts'
import type { StoredGrant } from '../entitlements/rules.ts'
import type { EntitlementListener } from '../entitlements/service.ts'
import type { EntitlementStore } from '../entitlements/store.ts'
import type { EventChange, PaymentEventStore } from './event-store.ts'
import type { PaymentEvent } from './news.ts'
import type { NewsReader } from './news-reader.ts'

/** Concurrent writers of one grant are a few events of one subscription. */
const ATTEMPTS = 5

export type EventOutcome = 'applied' | 'duplicate' | 'ignored' | 'no change' | 'not understood'

export interface PaymentDependencies {
  readonly events: PaymentEventStore
  readonly news: NewsReader
  readonly grants: EntitlementStore
  readonly deadLetters: DeadLetterService
  readonly changed: EntitlementListener
}

/** Applies provider events, each once and in whatever order they arrive. */
export class PaymentService {
  readonly #deps: PaymentDependencies

  constructor(deps: PaymentDependencies) {
    this.#deps = deps
  }

  async take(event: PaymentEvent, now: number): Promise<EventOutcome> {
    if (!event.news) return 'ignored'
    const { events, news } = this.#deps
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (await events.has(event.id)) return 'duplicate'
      const read = await news.changeOf(event.news, event)
      if (!read) return 'ignored'
      if (read.about === 'unread') {
        await this.#deps.deadLetters.keep(event, read.reason, now)
        return 'not understood'
      }
      const outcome = await events.apply(event, read.change, now)
      if (outcome === 'duplicate') return 'duplicate'
      if (outcome === 'applied') return this.#told(read, now)
    }
    // The provider will send it again.
    throw new DependencyFault('payment events')
  }

  /** Two pages were paid at the same time, or a slow payment came after another: somebody pays twice. */
  async #warnOfSecond({ id, did, source, version }: StoredGrant, now: number): Promise<void> {
    if (source !== 'subscription' || version !== 1) return
    const running = (await this.#deps.grants.current(did, now)).filter((grant) => isSubscribed(grant, now))
    if (running.length > 1) raiseAlarm({ service: 'pay', alarm: 'second_subscription', subject: id })
  }

  wasApplied(eventId: string): Promise<boolean> {
    return this.#deps.events.has(eventId)
  }

  async #told(
    { change, did }: { readonly change: EventChange; readonly did: string | null },
    now: number,
  ): Promise<EventOutcome> {
    if (change.grant) await this.#warnOfSecond(change.grant, now)
    if (did !== null && (change.grant || change.reversal)) await this.#deps.changed(did)
    return change.grant || change.intent || change.reversal ? 'applied' : 'no change'
  }
}
