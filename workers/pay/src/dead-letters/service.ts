import { raiseAlarm } from '@svc/service'
import type { PaymentEvent } from '../payments/news.ts'
import type { DeadLetterStore } from './store.ts'

/** Keeps events that are ours and are not understood, and tells the operator. */
export class DeadLetterService {
  readonly #store: DeadLetterStore

  constructor(store: DeadLetterStore) {
    this.#store = store
  }

  async keep(event: PaymentEvent, reason: string, now: number): Promise<void> {
    const { id: eventId, type, occurredAt, payload } = event
    const kept = { eventId, type, occurredAt, reason, payload: JSON.stringify(payload), receivedAt: now }
    const attempts = await this.#store.keep(kept)
    if (attempts !== 1) return
    raiseAlarm({ service: 'pay', alarm: 'payment_event_not_understood', subject: eventId, reason })
  }

  /** Once a day, while any are waiting. */
  async remind(): Promise<void> {
    const count = await this.#store.count()
    if (count > 0) raiseAlarm({ service: 'pay', alarm: 'payment_events_waiting', count })
  }
}
