import { type ObjectStorage, Outbox, type Persisted, persist, type Waiting } from '@svc/objects'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { CONTACT_CODE_LIFETIME_MS, type InboxMessage, type InboxSettings } from '@svc/protocol/inbox/inbox'
import { equalSecrets } from '@svc/service'
import {
  type ContactRow,
  checkDelivery,
  checkOpening,
  checkResend,
  type DeliveryRefusal,
  type OpeningRefusal,
  type ResendRefusal,
} from './rules.ts'
import { INBOX } from './schema.ts'
import { type CodeState, DEFAULT_SETTINGS, InboxStore, type NewContact } from './store.ts'

/** A page stops at the message that exceeds this: answers stay small whatever the number of messages. */
const PAGE_BYTES = 1024 * 1024

/** Of one owner, whose object takes them one after another. */
const MAX_REPORTS = 16

export interface Attempt {
  /** The owner. */
  readonly did: string
  readonly requestId: string
  readonly codeHash: string
  readonly kemKeyId: string
  readonly kemKeyIdInForce: string | null
  /** The envelope as stored, and the hash that identifies it. */
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

/** The operations on one inbox: each checked by the rules and written in one transaction. */
export class InboxTransaction {
  readonly #stored: ObjectStorage
  readonly #store: InboxStore
  readonly #unreported: Outbox

  constructor(stored: ObjectStorage) {
    this.#stored = stored
    this.#store = new InboxStore(stored.sql)
    this.#unreported = new Outbox(stored.sql, 'unreported')
  }

  /** Counts a request against the recipient's limit and stores it, both or neither. */
  open(contact: NewContact, now: number): Result<CodeState, OpeningRefusal> {
    const code = { codeHash: contact.codeHash, sentAt: now, expiresAt: now + CONTACT_CODE_LIFETIME_MS, sends: 1 }
    return this.#stored.transact((): Result<CodeState, OpeningRefusal> => {
      this.#stored.create(INBOX)
      const checked = checkOpening(this.#store.admissions(), this.#store.counts().total, now)
      if (!checked.ok) return checked
      this.#store.putRequest(contact, code)
      return ok(code)
    })
  }

  withdraw(requestId: string): void {
    this.#stored.transact(() => {
      if (!this.#request(requestId)) return
      this.#store.dropRequest(requestId)
      this.#store.dropAdmission(requestId)
    })
  }

  resend(requestId: string, codeHash: string, now: number): Result<Resent, ResendRefusal> {
    return this.#stored.transact((): Result<Resent, ResendRefusal> => {
      const checked = checkResend(this.#request(requestId), now)
      if (!checked.ok) return checked
      const { address, assetId, sends, sentAt, expiresAt } = checked.value
      const code = { codeHash, sentAt: now, expiresAt: now + CONTACT_CODE_LIFETIME_MS, sends: sends + 1 }
      this.#store.putCode(requestId, code)
      return ok({ address, assetId, code, previous: { codeHash: checked.value.codeHash, sentAt, expiresAt, sends } })
    })
  }

  restore(requestId: string, codeHash: string, previous: CodeState): void {
    this.#stored.transact(() => {
      if (this.#request(requestId)?.codeHash === codeHash) this.#store.putCode(requestId, previous)
    })
  }

  assetOf(requestId: string): string | null {
    return this.#request(requestId)?.assetId ?? null
  }

  /** Counts the attempt, delivers and deletes the address in one transaction. Returns the time of delivery. */
  deliver(attempt: Attempt, now: number): Result<number, DeliveryRefusal> {
    const { did, requestId, codeHash, kemKeyId, kemKeyIdInForce, envelope } = attempt
    return this.#stored.transact((): Result<number, DeliveryRefusal> | Persisted<Result<number, DeliveryRefusal>> => {
      const row = this.#request(requestId)
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
        if (checked.error.reason !== 'code_rejected') return checked
        this.#countWrong(requestId, checked.error.attemptsLeft)
        return persist(checked)
      }
      if (checked.value === 'again') return ok(row.delivered?.at ?? now)
      const msgId = encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
      this.#store.deliver(row, envelope, msgId, now)
      this.#unreported.add({ id: msgId, item: did }, now)
      return ok(now)
    })
  }

  list(before: number, limit: number): MessagePage {
    if (!this.#stored.exists) return { messages: [], next: null, total: 0, unread: 0 }
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
    return this.#stored.exists ? this.#store.markRead(msgId, now) : null
  }

  delete(msgId: string): boolean {
    return this.#stored.exists && this.#store.deleteMessage(msgId)
  }

  forget(now: number): void {
    if (this.#stored.exists) this.#stored.transact(() => this.#store.forget(now))
  }

  /** Messages that the event feed of the owner does not have yet: `item` is the DID. */
  unreported(now: number): Waiting[] {
    return this.#stored.exists ? this.#unreported.due(now, MAX_REPORTS) : []
  }

  settleReports(reports: readonly Waiting[], haveArrived: boolean, now: number): void {
    this.#stored.transact(() => this.#unreported.settle(reports, haveArrived, now))
  }

  settings(): InboxSettings {
    return this.#stored.exists ? this.#store.settings() : DEFAULT_SETTINGS
  }

  /** The settings of a new inbox make nothing exist. */
  configure(settings: InboxSettings): void {
    if (!this.#stored.exists && settings.acceptsFrom === DEFAULT_SETTINGS.acceptsFrom) return
    this.#stored.transact(() => {
      this.#stored.create(INBOX)
      this.#store.putSettings(settings)
    })
  }

  nextForgetting(): number | 'never' | 'empty' {
    return this.#stored.exists ? this.#store.nextForgetting() : 'empty'
  }

  #request(requestId: string): ContactRow | null {
    return this.#stored.exists ? this.#store.request(requestId) : null
  }

  /** The last allowed wrong code ends the request and deletes its address. */
  #countWrong(requestId: string, attemptsLeft: number): void {
    if (attemptsLeft === 0) this.#store.dropRequest(requestId)
    else this.#store.countAttempt(requestId)
  }
}
