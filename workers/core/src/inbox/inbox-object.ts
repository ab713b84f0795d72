import { DurableObject } from 'cloudflare:workers'
import type { Result } from '@svc/protocol/result'
import type { DeliveryRefusal, OpeningRefusal, ResendRefusal } from './inbox.ts'
import { type Attempt, InboxSession, type MessagePage, type Resent } from './inbox-session.ts'
import type { CodeState, NewContact } from './inbox-store.ts'

/**
 * The inbox of one owner, named by DID, with the contact requests that may yet come into it. Only requests that this
 * deployment has minted reach it. When it holds neither messages nor anything that counts, it is as if it had never been.
 */
export class InboxObject extends DurableObject {
  readonly #inbox = new InboxSession(this.ctx.storage)

  async open(contact: NewContact): Promise<Result<CodeState, OpeningRefusal>> {
    const opened = this.#inbox.open(contact, Date.now())
    if (opened.ok) await this.#scheduleForgetting()
    return opened
  }

  /** Takes back a request whose code could not be mailed, and what it counted. */
  async withdraw(requestId: string): Promise<void> {
    this.#inbox.withdraw(requestId)
    await this.#scheduleForgetting()
  }

  /** A new code takes the place of the old one, which dies. Gives the address it goes to. */
  async resend(requestId: string, codeHash: string): Promise<Result<Resent, ResendRefusal>> {
    const resent = this.#inbox.resend(requestId, codeHash, Date.now())
    if (resent.ok) await this.#scheduleForgetting()
    return resent
  }

  /** The code of before serves again, unless another has come since: the new one could not be mailed. */
  async restore(requestId: string, codeHash: string, previous: CodeState): Promise<void> {
    this.#inbox.restore(requestId, codeHash, previous)
    await this.#scheduleForgetting()
  }

  deliver(attempt: Attempt): Result<number, DeliveryRefusal> {
    return this.#inbox.deliver(attempt, Date.now())
  }

  list(before: number, limit: number): MessagePage {
    return this.#inbox.list(before, limit)
  }

  markRead(msgId: string): number | null {
    return this.#inbox.markRead(msgId, Date.now())
  }

  async delete(msgId: string): Promise<boolean> {
    const isDeleted = this.#inbox.delete(msgId)
    if (isDeleted) await this.#scheduleForgetting()
    return isDeleted
  }

  override async alarm(): Promise<void> {
    this.#inbox.forget(Date.now())
    await this.#scheduleForgetting()
  }

  /** Tables and alarm go in one: a crash leaves either everything, with its alarm, or nothing. */
  async #scheduleForgetting(): Promise<void> {
    const { storage } = this.ctx
    const due = this.#inbox.nextForgetting()
    if (due === 'empty') await storage.deleteAll()
    else if (due === 'never') await storage.deleteAlarm()
    else await storage.setAlarm(due)
  }
}
