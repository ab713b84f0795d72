import { reaching } from '@svc/protocol/base/dependency-fault'
import type { InboxPage, InboxSettings } from '@svc/protocol/inbox/inbox'
import type { InboxObject } from './object.ts'

/** The owner's side of an inbox. The route has verified the owner. */
export class InboxService {
  readonly #inboxes: DurableObjectNamespace<InboxObject>

  constructor(inboxes: DurableObjectNamespace<InboxObject>) {
    this.#inboxes = inboxes
  }

  async list(did: string, before: number, limit: number): Promise<InboxPage> {
    const { messages, ...page } = await this.#ask(did, async (inbox) => inbox.list(before, limit))
    return { did, messages: [...messages], ...page }
  }

  /** When the message was first marked as read; null if there is no such message. */
  markRead(did: string, msgId: string): Promise<number | null> {
    return this.#ask(did, async (inbox) => inbox.markRead(msgId))
  }

  delete(did: string, msgId: string): Promise<boolean> {
    return this.#ask(did, async (inbox) => inbox.delete(msgId))
  }

  settings(did: string): Promise<InboxSettings> {
    return this.#ask(did, async (inbox) => inbox.settings())
  }

  /** In effect when this returns: also for requests whose code was sent before. */
  async configure(did: string, settings: InboxSettings): Promise<InboxSettings> {
    await this.#ask(did, async (inbox) => inbox.configure(settings))
    return settings
  }

  #ask<T>(did: string, work: (inbox: DurableObjectStub<InboxObject>) => Promise<T>): Promise<T> {
    return reaching('inbox', () => work(this.#inboxes.getByName(did)))
  }
}
