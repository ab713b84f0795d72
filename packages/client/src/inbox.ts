import {
  type ContactMessage,
  type InboxMessage,
  type InboxPage,
  inboxPageSchema,
  messageDeletedSchema,
  messageReadSchema,
} from '@svc/protocol/inbox'
import { kemKeyId } from '@svc/protocol/key-agreement'
import { openContact } from './contact-sealing.ts'
import type { Device } from './device.ts'
import { Identity } from './identity.ts'
import type { Transport } from './transport.ts'

/** Every message of an inbox as it lies there, sealed. */
export interface InboxExport {
  readonly format: 'svc/inbox-export/v1'
  readonly did: string
  /** RFC 3339. */
  readonly exportedAt: string
  /** Newest first. */
  readonly messages: readonly InboxMessage[]
}

/**
 * The inbox of an identity (document 1 section 4.5). A device with `inbox:read` lists and marks, with `inbox:delete`
 * deletes; opening takes the identity's KEM key, which devices do not have.
 */
export class Inbox {
  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device
  readonly #holders: ReadonlyMap<string, Identity>

  /** `former` are earlier keys of the same identity: messages sealed before a rotation open with them alone. */
  constructor(transport: Transport, core: string, owner: Identity | Device, former: readonly Identity[]) {
    this.#transport = transport
    this.#base = `${core}/api/inbox`
    this.#owner = owner
    const holders = owner instanceof Identity ? [owner, ...former] : former
    this.#holders = new Map(holders.map((holder) => [kemKeyId(holder.kemPublicKeyB64u), holder]))
  }

  /**
   * One page, newest first: at most `limit` messages (50 unless told, 100 at most), fewer where they are large. `cursor`
   * is `next` of the page before; messages that come in later do not move what follows it.
   */
  async list(options: { readonly cursor?: string; readonly limit?: number } = {}): Promise<InboxPage> {
    const query = new URLSearchParams()
    if (options.cursor !== undefined) query.set('cursor', options.cursor)
    if (options.limit !== undefined) query.set('limit', String(options.limit))
    const url = `${this.#base}/${this.#owner.did}${query.size === 0 ? '' : `?${query.toString()}`}`
    const page = await this.#transport.data({ method: 'GET', url, audience: 'chain' }, inboxPageSchema)
    if (page.did !== this.#owner.did) throw new Error('core answered for another inbox')
    return page
  }

  /**
   * What somebody wrote. Throws an Error when none of this client's identities has the key that it was sealed to, or
   * when it was changed. Whoever wrote it has shown no more than a mail address and the wish to write.
   */
  open({ requestId, assetId, envelope }: InboxMessage): Promise<ContactMessage> {
    const holder = this.#holders.get(envelope.kemKeyId)
    if (!holder) return Promise.reject(new Error('the message was sealed to a key that this client does not have'))
    return openContact(envelope, holder, { requestId, assetId, kemKeyId: envelope.kemKeyId })
  }

  /** Marks a message as read and gives the time that it first was, epoch milliseconds. 404 `not_found` when it is gone. */
  async read(msgId: string): Promise<number> {
    const url = `${this.#base}/${this.#owner.did}/${msgId}/read`
    return (await this.#transport.data({ method: 'POST', url, audience: 'chain' }, messageReadSchema)).readAt
  }

  /** Deletes a message for good. 404 `not_found` when it is gone already. */
  async delete(msgId: string): Promise<void> {
    const url = `${this.#base}/${this.#owner.did}/${msgId}`
    await this.#transport.data({ method: 'DELETE', url, audience: 'chain' }, messageDeletedSchema)
  }

  /** Every message, sealed as it lies there. What comes in meanwhile is not in it. */
  async export(): Promise<InboxExport> {
    const messages: InboxMessage[] = []
    for (let cursor: string | undefined; ; ) {
      const page: InboxPage = await this.list({ limit: 100, ...(cursor === undefined ? {} : { cursor }) })
      messages.push(...page.messages)
      if (page.next === null) break
      if (cursor !== undefined && !(Number(page.next) < Number(cursor)))
        throw new Error('the service answers in a circle')
      cursor = page.next
    }
    const exportedAt = new Date(this.#transport.now()).toISOString()
    return { format: 'svc/inbox-export/v1', did: this.#owner.did, exportedAt, messages }
  }
}
