import { bytesOf } from '@svc/protocol/base64url'
import { didOf, userIdOfKey } from '@svc/protocol/identity'
import {
  type CodeResent,
  type ContactDelivered,
  type ContactEnvelope,
  type ContactOpened,
  codeResentSchema,
  contactDeliveredSchema,
  contactOpenedSchema,
} from '@svc/protocol/inbox'
import { kemKeyId } from '@svc/protocol/key-agreement'
import { verifyStatement } from '@svc/protocol/statement'
import { sealContact } from './contact-sealing.ts'
import type { KeyHistory } from './key-history.ts'
import type { Transport } from './transport.ts'

/** A contact request under way. The owner's key in it has been verified. */
export interface OpenContact {
  readonly requestId: string
  readonly assetId: string
  /** DID of the owner, to whose root key the KEM key was traced. */
  readonly owner: string
  /** 32 characters that name the KEM key. */
  readonly kemKeyId: string
  /** ML-KEM-768 public key, 1,184 bytes as base64url. */
  readonly kemPublicB64u: string
  /** When the mailed code stops serving, epoch milliseconds. */
  readonly expiresAt: number
  /** From when on another code may be asked for, epoch milliseconds. */
  readonly resendAfter: number
  /** How many more codes may be asked for. */
  readonly sendsLeft: number
}

/** What a person writes; the asset is put in with it. */
export interface ContactDraft {
  readonly name: string
  /** Where the owner can answer; need not be the address that the code went to. */
  readonly email: string
  readonly subject: string
  readonly message: string
  /** The sender's clock, epoch milliseconds. */
  readonly sentAt?: number
}

/**
 * Writing to the owner of an asset (document 1 section 4.5). Needs no identity. Nothing that is written leaves this
 * program but sealed to the owner's key.
 */
export class Contact {
  readonly #transport: Transport
  readonly #base: string
  readonly #keys: KeyHistory

  constructor(transport: Transport, core: string, keys: KeyHistory) {
    this.#transport = transport
    this.#base = `${core}/api/inbox`
    this.#keys = keys
  }

  /**
   * Has a six-digit code mailed to `fromEmail` and gives the owner's key. `challengeToken` is the bot challenge's, for
   * the action `contact`; `owner` is a DID that the caller knows from elsewhere, and nobody else is then written to.
   *
   * Throws `ServiceError` (400 `challenge_failed`, 404 `owner_unresolvable`, 429 `rate_limited`, 409 `inbox_full`), and
   * an Error when the key is not vouched for by the owner's root key: then nothing may be sealed to it.
   */
  async request(request: {
    readonly assetId: string
    readonly fromEmail: string
    readonly challengeToken: string
    readonly owner?: string
  }): Promise<OpenContact> {
    const { owner, ...body } = request
    const call = { method: 'POST', url: `${this.#base}/contact-request`, body } as const
    const opened = await this.#transport.data(call, contactOpenedSchema)
    const did = await this.#ownerOf(opened)
    if (owner !== undefined && owner !== did) throw new Error('the asset belongs to another owner than expected')
    const { requestId, kemPublicB64u, expiresAt, resendAfter, sendsLeft } = opened
    return {
      requestId,
      assetId: request.assetId,
      owner: did,
      kemKeyId: opened.kemKeyId,
      kemPublicB64u,
      expiresAt,
      resendAfter,
      sendsLeft,
    }
  }

  /**
   * Seals a message for one request. The same draft sealed twice differs, and only one of the two can be delivered: to
   * try again after a lost answer, send the same envelope. Throws a RangeError above 65,535 bytes.
   */
  static seal(contact: OpenContact, draft: ContactDraft): Promise<ContactEnvelope> {
    const { requestId, assetId } = contact
    const { name, email, subject, message, sentAt } = draft
    const plaintext = { name, email, subject, message, assetId, ...(sentAt === undefined ? {} : { sentAt }) }
    return sealContact(plaintext, contact.kemPublicB64u, { requestId, assetId, kemKeyId: contact.kemKeyId })
  }

  /**
   * Has another code mailed to the same address; the old one dies. At least 30 seconds apart (429 `rate_limited`), three
   * codes for a request (409 `resend_limit`).
   */
  async resend(contact: OpenContact): Promise<OpenContact> {
    const body = { requestId: contact.requestId }
    const call = { method: 'POST', url: `${this.#base}/resend-otp`, body } as const
    const times: CodeResent = await this.#transport.data(call, codeResentSchema)
    if (times.requestId !== contact.requestId) throw new Error('core answered for another request')
    return { ...contact, ...times }
  }

  /**
   * Shows the code and delivers the envelope. Again with the same code and envelope is safe. Throws `ServiceError`: 403
   * `code_rejected` (`details.attemptsLeft`), 404 `code_unusable` (used up, expired), 409 `key_agreement_changed` (begin
   * again with `request`), 409 `inbox_full`.
   */
  async verify(contact: OpenContact, code: string, envelope: ContactEnvelope): Promise<ContactDelivered> {
    const { requestId } = contact
    const call = { method: 'POST', url: `${this.#base}/verify-otp`, body: { requestId, code, envelope } } as const
    const delivered = await this.#transport.data(call, contactDeliveredSchema)
    if (delivered.requestId !== requestId) throw new Error('core answered for another request')
    return delivered
  }

  /** The DID whose root key states this KEM key. Core's word for any of it is not enough. */
  async #ownerOf(opened: ContactOpened): Promise<string> {
    const { keyAgreement, kemPublicB64u, rootPublicKeyB64u, rootEpoch } = opened
    const { did, scope, publicKeyB64u } = keyAgreement.statement
    if (kemPublicB64u !== publicKeyB64u || opened.kemKeyId !== kemKeyId(publicKeyB64u)) {
      throw new Error('the key is not the one that the owner states')
    }
    if (scope !== (await this.#scopeOf(did, rootPublicKeyB64u, rootEpoch)) || didOf(scope) !== did) {
      throw new Error('the root key is not of this owner')
    }
    if (!(await verifyStatement(keyAgreement, bytesOf(rootPublicKeyB64u)))) {
      throw new Error('the owner has not signed this key')
    }
    return did
  }

  /** A genesis key names its DID itself; a later one has to descend from it, and to be the current one. */
  async #scopeOf(did: string, rootPublicKeyB64u: string, rootEpoch: number): Promise<string | null> {
    if (rootEpoch === 0) return userIdOfKey(rootPublicKeyB64u)
    const keys = await this.#keys.of(did)
    const current = keys.at(-1)
    const isCurrent = current?.epoch === rootEpoch && current.publicKeyB64u === rootPublicKeyB64u
    return isCurrent ? keys[0].userId : null
  }
}
