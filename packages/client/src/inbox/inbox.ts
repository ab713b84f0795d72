import { kemKeyId } from '#protocol/base/key-agreement'
import {
  type ContactMessage,
  type InboxMessage,
  type InboxPage,
  type InboxSettings,
  inboxPageSchema,
  inboxSettingsSchema,
  messageDeletedSchema,
  messageReadSchema,
} from '#protocol/inbox/inbox'
import type { ContactReply } from '#protocol/inbox/reply'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { everyItem } from '../transport/pages.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import { openContact } from './contact-sealing.ts'

/** All messages of an inbox as stored, encrypted. */
export interface InboxExport {
  readonly format: 'svc/inbox-export/v1'
  readonly did: string
  /** RFC 3339. */
  readonly exportedAt: string
  /** Newest first. */
  readonly messages: readonly InboxMessage[]
}

/** A message in plaintext. */
export interface OpenedMessage extends ContactMessage {
  /**
   * What it was encrypted with. `ml-kem-768` is a client that does not know the X25519 key: the message is as secret as that
   * algorithm alone keeps it.
   */
  readonly sealedWith: 'x-wing' | 'ml-kem-768'
}

/**
 * The inbox of an identity. A device with `inbox:read` can list and mark, with `inbox:delete` delete; decrypting needs
 * the identity's KEM key, which devices do not have.
 */
export class Inbox {
  // As results: see `safely`.
  readonly safeList = safeTwin(this, 'list')
  readonly safeOpen = safeTwin(this, 'open')

  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device
  readonly #holders: ReadonlyMap<string, Identity>

  /** `former` are earlier keys of the same identity: only they open messages encrypted before a rotation. */
  constructor(transport: Transport, core: string, owner: Identity | Device, former: readonly Identity[]) {
    this.#transport = transport
    this.#base = `${core}/api/inbox`
    this.#owner = owner
    const holders = owner instanceof Identity ? [owner, ...former] : former
    this.#holders = new Map(holders.map((holder) => [kemKeyId(holder.kemPublicKeyB64u), holder]))
  }

  /**
   * One page, newest first: at most `limit` messages (default 50, at most 100), fewer if they are large. `cursor` is
   * `next` of the previous page; new messages do not shift later pages.
   */
  async list(options: { readonly cursor?: string; readonly limit?: number } = {}): Promise<InboxPage> {
    const query = new URLSearchParams()
    if (options.cursor !== undefined) query.set('cursor', options.cursor)
    if (options.limit !== undefined) query.set('limit', String(options.limit))
    const url = `${this.#base}/${this.#owner.did}${query.size === 0 ? '' : `?${query.toString()}`}`
    const page = await this.#transport.data({ method: 'GET', url, audience: 'chain' }, inboxPageSchema)
    if (page.did !== this.#owner.did)
      throw unverified('inbox', 'different_answer', 'Core answered for a different inbox')
    return page
  }

  /**
   * Decrypts a message. Throws a `VerificationError` if none of this client's identities has its key, or if it was modified. The
   * sender has proved only that they read mail at an address.
   */
  async open({ requestId, assetId, envelope }: InboxMessage): Promise<OpenedMessage> {
    const { kemKeyId: keyId, ephemeralB64u } = envelope
    const holder = this.#holders.get(keyId)
    if (!holder)
      throw unverified(
        'inbox',
        'modified',
        'The message is encrypted to a key that this client does not have. After a rotation, only the key before opens it',
      )
    const message = await openContact(envelope, holder, { requestId, assetId, kemKeyId: keyId })
    return { ...message, sealedWith: ephemeralB64u === undefined ? 'ml-kem-768' : 'x-wing' }
  }

  /**
   * Signs an answer with the root key, and encrypts it to the key that the message carries. Nothing is sent: give the
   * result to the sender, by mail for example. Throws a TypeError for a device, and for a message without such a key.
   */
  async reply(
    { requestId, assetId }: InboxMessage,
    { replyKeyB64u }: ContactMessage,
    text: string,
  ): Promise<ContactReply> {
    const owner = this.#owner
    if (!(owner instanceof Identity)) throw new TypeError('Only the root key can sign a reply')
    if (replyKeyB64u === undefined) throw new TypeError('The message has no key for a reply: answer by mail')
    const { realm } = this.#transport
    const now = this.#transport.now()
    const [signed, { sealReply }] = await Promise.all([
      owner.signMessage({ realm, audience: requestId, content: text, now }),
      import('./reply.ts'),
    ])
    return sealReply(signed, replyKeyB64u, { requestId, assetId })
  }

  /** Marks a message as read and returns when it first was, epoch milliseconds. 404 `not_found` if it was deleted. */
  async read(msgId: string): Promise<number> {
    const url = `${this.#base}/${this.#owner.did}/${msgId}/read`
    return (await this.#transport.data({ method: 'POST', url, audience: 'chain' }, messageReadSchema)).readAt
  }

  /** Every message as stored, newest first. */
  all(): AsyncGenerator<InboxMessage> {
    return everyItem(async (cursor) => {
      const page = await this.list({ limit: 100, ...(cursor === undefined ? {} : { cursor }) })
      return { items: page.messages, cursor: page.next }
    })
  }

  /** Permanently deletes a message. 404 `not_found` if it was deleted already. */
  async delete(msgId: string): Promise<void> {
    const url = `${this.#base}/${this.#owner.did}/${msgId}`
    await this.#transport.data({ method: 'DELETE', url, audience: 'chain' }, messageDeletedSchema)
  }

  /** Who may write: `anyone`, or `contacts` only. */
  async acceptsFrom(): Promise<InboxSettings['acceptsFrom']> {
    const call = { method: 'GET', url: `${this.#base}/${this.#owner.did}/settings`, audience: 'chain' } as const
    return (await this.#transport.data(call, inboxSettingsSchema)).acceptsFrom
  }

  /**
   * Says who may write. With `contacts`, contact requests of strangers are answered as if you could not be found, also
   * those whose code was sent before. Needs the root key: 403 `forbidden` for a device. Idempotent.
   */
  async acceptFrom(acceptsFrom: InboxSettings['acceptsFrom']): Promise<void> {
    const url = `${this.#base}/${this.#owner.did}/settings`
    await this.#transport.data({ method: 'PUT', url, audience: 'chain', body: { acceptsFrom } }, inboxSettingsSchema)
  }

  /** Every message as stored, encrypted. Messages that arrive in the meantime are not included. */
  async export(): Promise<InboxExport> {
    const messages: InboxMessage[] = []
    for await (const message of this.all()) messages.push(message)
    const exportedAt = new Date(this.#transport.now()).toISOString()
    return { format: 'svc/inbox-export/v1', did: this.#owner.did, exportedAt, messages }
  }
}
