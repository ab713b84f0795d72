import { encodeBase64url } from '@svc/protocol/base64url'
import { CONTACT_CODE_LIFETIME_MS, type InboxMessage } from '@svc/protocol/inbox'
import { err, ok, type Result } from '@svc/protocol/result'
import { equalSecrets } from '@svc/service'
import {
  checkDelivery,
  checkOpening,
  checkResend,
  type DeliveryRefusal,
  type OpeningRefusal,
  type ResendRefusal,
} from './inbox.ts'
import { type CodeState, InboxStore, type NewContact } from './inbox-store.ts'

/** Messages of a page come to at most this and one more: an answer stays small whatever its count. */
const PAGE_BYTES = 1024 * 1024

export interface Attempt {
  readonly requestId: string
  readonly codeHash: string
  readonly kemKeyId: string
  readonly kemKeyIdInForce: string | null
  /** The envelope as it is kept, and what tells it from another. */
  readonly envelope: { readonly json: string; readonly hash: string }
}

export interface Resent {
  readonly address: string
  readonly assetId: string
  readonly code: CodeState
  readonly previous: CodeState
}

export interface MessagePage {
  readonly messages: readonly InboxMessage[]
  readonly next: string | null
  readonly total: number
  readonly unread: number
}

/** What can be done with one inbox: each step judged by the law and written in one transaction. */
export class InboxSession {
  readonly #storage: DurableObjectStorage
  readonly #store: InboxStore

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#store = new InboxStore(storage.sql)
  }

  /** Counts a request against the recipient's limit and keeps it, both or neither. */
  open(contact: NewContact, now: number): Result<CodeState, OpeningRefusal> {
    const code = { codeHash: contact.codeHash, sentAt: now, expiresAt: now + CONTACT_CODE_LIFETIME_MS, sends: 1 }
    return this.#storage.transactionSync((): Result<CodeState, OpeningRefusal> => {
      const isNew = !this.#store.exists()
      const checked = isNew ? ok(undefined) : checkOpening(this.#store.admissions(), this.#store.counts().total, now)
      if (!checked.ok) return checked
      if (isNew) this.#store.createTables()
      this.#store.putRequest(contact, code)
      return ok(code)
    })
  }

  withdraw(requestId: string): void {
    this.#storage.transactionSync(() => {
      if (!this.#store.request(requestId)) return
      this.#store.dropRequest(requestId)
      this.#store.dropAdmission(requestId)
    })
  }

  resend(requestId: string, codeHash: string, now: number): Result<Resent, ResendRefusal> {
    return this.#storage.transactionSync((): Result<Resent, ResendRefusal> => {
      const checked = checkResend(this.#store.request(requestId), now)
      if (!checked.ok) return checked
      const { address, assetId, sends, sentAt, expiresAt } = checked.value
      const code = { codeHash, sentAt: now, expiresAt: now + CONTACT_CODE_LIFETIME_MS, sends: sends + 1 }
      this.#store.putCode(requestId, code)
      return ok({ address, assetId, code, previous: { codeHash: checked.value.codeHash, sentAt, expiresAt, sends } })
    })
  }

  restore(requestId: string, codeHash: string, previous: CodeState): void {
    this.#storage.transactionSync(() => {
      if (this.#store.request(requestId)?.codeHash === codeHash) this.#store.putCode(requestId, previous)
    })
  }

  /** Attempt, delivery and the end of the address are one transaction. Gives the time of the delivery. */
  deliver(attempt: Attempt, now: number): Result<number, DeliveryRefusal> {
    const { requestId, codeHash, kemKeyId, kemKeyIdInForce, envelope } = attempt
    return this.#storage.transactionSync((): Result<number, DeliveryRefusal> => {
      const row = this.#store.request(requestId)
      if (!row) return err({ reason: 'code_unusable' })
      const presented = {
        isCodeRight: equalSecrets(codeHash, row.codeHash),
        isSameEnvelope: row.delivered !== null && equalSecrets(envelope.hash, row.delivered.envelopeHash),
        kemKeyId,
        kemKeyIdInForce,
        messages: this.#store.counts().total,
      }
      const checked = checkDelivery(row, presented, now)
      if (!checked.ok) {
        if (checked.error.reason === 'code_rejected') this.#countWrong(requestId, checked.error.attemptsLeft)
        return checked
      }
      if (checked.value === 'again') return ok(row.delivered?.at ?? now)
      this.#store.deliver(row, envelope, encodeBase64url(crypto.getRandomValues(new Uint8Array(16))), now)
      return ok(now)
    })
  }

  list(before: number, limit: number): MessagePage {
    if (!this.#store.exists()) return { messages: [], next: null, total: 0, unread: 0 }
    const messages: InboxMessage[] = []
    let bytes = 0
    let last = before
    for (const { seq, message } of this.#store.messages(before, limit + 1)) {
      if (messages.length === limit || bytes > PAGE_BYTES) {
        return { messages, next: String(last), ...this.#store.counts() }
      }
      messages.push(message)
      bytes += message.envelope.ciphertextB64u.length
      last = seq
    }
    return { messages, next: null, ...this.#store.counts() }
  }

  markRead(msgId: string, now: number): number | null {
    return this.#store.exists() ? this.#store.markRead(msgId, now) : null
  }

  delete(msgId: string): boolean {
    return this.#store.exists() && this.#store.deleteMessage(msgId)
  }

  forget(now: number): void {
    if (this.#store.exists()) this.#storage.transactionSync(() => this.#store.forget(now))
  }

  nextForgetting(): number | 'never' | 'empty' {
    return this.#store.exists() ? this.#store.nextForgetting() : 'empty'
  }

  /** The last wrong code ends the request, and the address with it. */
  #countWrong(requestId: string, attemptsLeft: number): void {
    if (attemptsLeft === 0) this.#store.dropRequest(requestId)
    else this.#store.countAttempt(requestId)
  }
}
