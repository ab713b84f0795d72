import { MAX_REPORTS } from '@svc/protocol/internal/events'
import { doneOrDelayed, type InternalClient, reportEvents } from '@svc/service'
import type { OwnerEventStore, WaitingEvent } from './store.ts'

/** Tells the event feeds of owners what happened here. After an act at once; the cron trigger repeats what failed. */
export class OwnerEventService {
  readonly #store: OwnerEventStore
  readonly #core: InternalClient

  constructor(store: OwnerEventStore, core: InternalClient) {
    this.#store = store
    this.#core = core
  }

  /** Never rejects: the act is done, and what was not told stays where it is. */
  async deliver(now: number): Promise<void> {
    await doneOrDelayed({ service: 'pay', delayed: 'payment events' }, async () => {
      const waiting = await this.#store.due(now)
      for (const did of new Set(waiting.map((event) => event.did))) {
        const own = waiting.filter((event) => event.did === did).slice(0, MAX_REPORTS)
        await this.#tell(did, own, now)
      }
    })
  }

  async #tell(did: string, events: readonly WaitingEvent[], now: number): Promise<void> {
    const reports = events.map(({ id, kind, ref }) => ({ id, kind, ref }))
    if (await reportEvents(this.#core, did, reports)) await this.#store.delivered(events)
    else await this.#store.failed(events, now)
  }
}
