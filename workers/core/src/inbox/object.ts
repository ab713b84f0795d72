import type { Result } from '@svc/protocol/base/result'
import type { InboxSettings } from '@svc/protocol/inbox/inbox'
import { doneOrDelayed, objectsIn } from '@svc/service'
import { RecordedObject } from '@svc/service/recorded-object'
import type { DeliveryRefusal, OpeningRefusal, ResendRefusal } from './rules.ts'
import { INBOX, INBOX_RECORDS } from './schema.ts'
import type { CodeState, NewContact } from './store.ts'
import { type Attempt, InboxTransaction, type MessagePage, type Resent } from './transaction.ts'

/**
 * The inbox of one owner, named by DID, with its open contact requests. Only requests minted by this deployment reach
 * it. Once it holds neither messages, nor settings, nor anything that counts towards a limit, it is as if it had never existed.
 */
export class InboxObject extends RecordedObject<Env> {
  static override readonly schemas = [INBOX]
  static override readonly records = { objects: 'inboxes', plan: INBOX_RECORDS } as const
  readonly #inbox = new InboxTransaction(this.stored)

  async open(contact: NewContact): Promise<Result<CodeState, OpeningRefusal>> {
    const opened = this.#inbox.open(contact, Date.now())
    if (opened.ok) await this.#scheduleForgetting()
    return opened
  }

  /** Removes a request whose code could not be mailed, and its count. */
  async withdraw(requestId: string): Promise<void> {
    this.#inbox.withdraw(requestId)
    await this.#scheduleForgetting()
  }

  /** Replaces the code, which invalidates the old one. Returns the address to mail it to. */
  async resend(requestId: string, codeHash: string): Promise<Result<Resent, ResendRefusal>> {
    const resent = this.#inbox.resend(requestId, codeHash, Date.now())
    if (resent.ok) await this.#scheduleForgetting()
    return resent
  }

  /** Restores the previous code after its replacement could not be mailed, unless another has replaced that one. */
  async restore(requestId: string, codeHash: string, previous: CodeState): Promise<void> {
    this.#inbox.restore(requestId, codeHash, previous)
    await this.#scheduleForgetting()
  }

  /** The asset that a request is about; null if there is no such request. */
  assetOf(requestId: string): string | null {
    return this.#inbox.assetOf(requestId)
  }

  async deliver(attempt: Attempt): Promise<Result<number, DeliveryRefusal>> {
    const delivered = this.#inbox.deliver(attempt, Date.now())
    if (delivered.ok) await this.#scheduleForgetting()
    return delivered
  }

  settings(): InboxSettings {
    return this.#inbox.settings()
  }

  async configure(settings: InboxSettings): Promise<void> {
    this.#inbox.configure(settings)
    await this.#scheduleForgetting()
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
    this.stored.alarm.wentOff()
    this.#inbox.forget(Date.now())
    await this.#report()
    await this.#scheduleForgetting()
    await this.keepRecords()
  }

  /** Tells the owner's event feed, which takes a message once. */
  async #report(): Promise<void> {
    const waiting = this.#inbox.unreported(Date.now())
    const [first] = waiting
    if (!first) return
    const reports = waiting.map(({ id }) => ({ kind: 'inbox.message', ref: id, id }) as const)
    const work = { service: 'core', delayed: 'inbox events', waiting: waiting.length }
    const haveArrived = await doneOrDelayed(work, async () =>
      objectsIn(this.env, this.env.IDENTITIES).getByName(first.item).reportEvents(reports),
    )
    this.#inbox.settleReports(waiting, haveArrived, Date.now())
  }

  async #scheduleForgetting(): Promise<void> {
    if (!this.stored.exists) return
    const due = this.#inbox.nextForgetting()
    if (due === 'empty') await this.end(() => this.#inbox.nextForgetting() === 'empty')
    else if (due !== 'never') await this.stored.alarm.by(due)
  }
}
