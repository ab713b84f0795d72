import { bytesOf } from '#protocol/base/base64url'
import { didOf, userIdOfKey } from '#protocol/base/identity'
import { kemKeyId } from '#protocol/base/key-agreement'
import { verifyStatement } from '#protocol/base/statement'
import {
  type CodeResent,
  type ContactDelivered,
  type ContactEnvelope,
  type ContactOpened,
  codeResentSchema,
  contactDeliveredSchema,
  contactOpenedSchema,
} from '#protocol/inbox/inbox'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Activated } from '../chain/root-keys.ts'
import { KnownAgreements } from '../did/known-agreements.ts'
import type { LoggedAgreements } from '../did/logged-agreements.ts'
import { KnownLogs } from '../memory/known-logs.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import { sealContact } from './contact-sealing.ts'
import type { OpenedReply, ReplyKey } from './reply.ts'

/** An open contact request. The owner's key in it is verified. */
export interface OpenContact {
  readonly requestId: string
  readonly assetId: string
  /** DID whose root key states the KEM key. This identity can read the message, and nobody else. */
  readonly owner: string
  /**
   * `pinned` if you named this owner yourself. Otherwise `claimed`: core says that this identity owns the asset. Show the
   * DID to the person who writes before anything is sent.
   */
  readonly ownerIs: 'pinned' | 'claimed'
  /**
   * `proved` if the log of the key directory has the key as the newest of the owner. Otherwise `claimed`: the owner signed
   * it less than a day ago, or the directory is unavailable, and then core may be showing a key that was replaced.
   */
  readonly keyIs: Activated
  /** 32 characters that identify the KEM key. */
  readonly kemKeyId: string
  /** ML-KEM-768 public key, 1,184 bytes as base64url. */
  readonly kemPublicB64u: string
  /** X25519 public key, 32 bytes as base64url. */
  readonly x25519B64u: string
  /** When the mailed code expires, epoch milliseconds. */
  readonly expiresAt: number
  /** When another code can be requested, epoch milliseconds. */
  readonly resendAfter: number
  /** How many more codes can be requested. */
  readonly sendsLeft: number
}

/** What a person writes; the asset is added. */
export interface ContactDraft {
  readonly name: string
  /** Where the owner can reply; may differ from the address that got the code. */
  readonly email: string
  readonly subject: string
  readonly message: string
  /** The sender's clock, epoch milliseconds. */
  readonly sentAt?: number
  /** The `publicKeyB64u` of a `replyKey`, if the owner can seal an answer. */
  readonly replyKeyB64u?: string
}

type LoadLogged = () => Promise<LoggedAgreements | null>
const none: LoadLogged = () => Promise.resolve(null)

/**
 * Messages to the owner of an asset. Needs no identity. Everything is encrypted to the owner's key before it is sent.
 */
export class Contact {
  // As results: see `safely`.
  readonly safeRequest = safeTwin(this, 'request')
  readonly safeResend = safeTwin(this, 'resend')
  readonly safeVerify = safeTwin(this, 'verify')
  readonly safeOpenReply = safeTwin(this, 'openReply')

  readonly #transport: Transport
  readonly #base: string
  readonly #keys: KeyHistory
  readonly #memory: KnownLogs
  readonly #logged: LoadLogged

  /** Without `logged`, as for a deployment without a key directory, every key is `claimed`. */
  constructor(
    transport: Transport,
    core: string,
    keys: KeyHistory,
    memory = new KnownLogs(),
    logged: LoadLogged = none,
  ) {
    this.#transport = transport
    this.#base = `${core}/api/inbox`
    this.#keys = keys
    this.#memory = memory
    this.#logged = logged
  }

  /**
   * Requests a six-digit code by mail to `fromEmail` and returns the owner's key. `challengeToken` is from the bot
   * challenge, for the action `contact`. If you know the owner's DID from another source, pass it as `owner`; another
   * owner then throws. Without it, the key is verified to be that of the DID, but only core says that this DID owns the
   * asset: `ownerIs` is `claimed`.
   *
   * Throws `ServiceError` (400 `challenge_failed`, 404 `owner_unresolvable`, 429 `rate_limited`, 409 `inbox_full`), an
   * Error if the owner's root key does not vouch for the key, a `HistoryError` if core has shown a newer key or root key
   * before or the log of the key directory has a newer key, and a `VerificationError` if the log does not have this key: do
   * not encrypt anything to it.
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
    const { did, keyIs } = await this.#ownerOf(opened)
    if (owner !== undefined && owner !== did)
      throw unverified('contact', 'wrong_identity', 'The asset belongs to a different owner than expected')
    const { requestId, kemPublicB64u, x25519B64u, expiresAt, resendAfter, sendsLeft } = opened
    return {
      requestId,
      assetId: request.assetId,
      owner: did,
      ownerIs: owner === undefined ? 'claimed' : 'pinned',
      keyIs,
      kemKeyId: opened.kemKeyId,
      kemPublicB64u,
      x25519B64u,
      expiresAt,
      resendAfter,
      sendsLeft,
    }
  }

  /**
   * Encrypts a message for one request. Encrypting the same draft twice gives different envelopes, and only one can be
   * delivered: after a lost answer, send the same envelope. Throws a RangeError above 65,535 bytes.
   */
  async seal(contact: OpenContact, draft: ContactDraft): Promise<ContactEnvelope> {
    const { requestId, assetId, kemPublicB64u: kemPublicKeyB64u, x25519B64u } = contact
    const { name, email, subject, message, sentAt, replyKeyB64u } = draft
    const optional = { ...(sentAt !== undefined && { sentAt }), ...(replyKeyB64u !== undefined && { replyKeyB64u }) }
    const plaintext = { name, email, subject, message, assetId, ...optional }
    const context = { requestId, assetId, kemKeyId: contact.kemKeyId }
    return sealContact(plaintext, { kemPublicKeyB64u, x25519B64u }, context)
  }

  /**
   * Requests another code by mail to the same address; the old one becomes invalid. At least 30 seconds apart (429
   * `rate_limited`), three codes per request (409 `resend_limit`).
   */
  async resend(contact: OpenContact): Promise<OpenContact> {
    const body = { requestId: contact.requestId }
    const call = { method: 'POST', url: `${this.#base}/resend-otp`, body } as const
    const times: CodeResent = await this.#transport.data(call, codeResentSchema)
    if (times.requestId !== contact.requestId)
      throw unverified('contact', 'different_answer', 'Core answered for a different request')
    return { ...contact, ...times }
  }

  /**
   * Submits the code and delivers the envelope. Idempotent for the same code and envelope. Throws `ServiceError`: 403
   * `code_rejected` (`details.attemptsLeft`), 404 `code_unusable` (used up, expired), 409 `key_agreement_changed` (start
   * again with `request`), 409 `inbox_full`.
   */
  async verify(contact: OpenContact, code: string, envelope: ContactEnvelope): Promise<ContactDelivered> {
    const { requestId } = contact
    const call = { method: 'POST', url: `${this.#base}/verify-otp`, body: { requestId, code, envelope } } as const
    const delivered = await this.#transport.data(call, contactDeliveredSchema)
    if (delivered.requestId !== requestId)
      throw unverified('contact', 'different_answer', 'Core answered for a different request')
    return delivered
  }

  /**
   * A key for one message, to which its owner can seal an answer: pass its `publicKeyB64u` as `replyKeyB64u` of the draft.
   * Keep all of it until the answer is there; nobody else has it.
   */
  async replyKey({ requestId, assetId, owner }: OpenContact): Promise<ReplyKey> {
    return (await import('./reply.ts')).newReplyKey({ requestId, assetId, owner })
  }

  /**
   * Opens the owner's answer, which came by mail or another way, with the kept key. Throws a `VerificationError` if it is
   * for another message, was modified, or the owner's current root key did not sign it.
   */
  async openReply(reply: unknown, kept: ReplyKey): Promise<OpenedReply> {
    const [{ openReply }, keys] = await Promise.all([import('./reply.ts'), this.#keys.of(kept.owner)])
    return openReply(reply, kept, { keys, realms: this.#transport.realms })
  }

  /** The DID whose root key states this KEM key. Core's claim alone is not enough. */
  async #ownerOf(opened: ContactOpened): Promise<{ readonly did: string; readonly keyIs: Activated }> {
    const { keyAgreement, kemPublicB64u, rootPublicKeyB64u, rootEpoch } = opened
    const { did, scope, publicKeyB64u, x25519B64u } = keyAgreement.statement
    const isStated = kemPublicB64u === publicKeyB64u && opened.x25519B64u === x25519B64u
    if (!isStated || opened.kemKeyId !== kemKeyId(publicKeyB64u)) {
      throw unverified('contact', 'mismatch', 'The key does not match the owner’s statement')
    }
    if (scope !== (await this.#scopeOf(did, rootPublicKeyB64u, rootEpoch)) || didOf(scope) !== did) {
      throw unverified('contact', 'wrong_key', 'The root key does not match the owner')
    }
    if (!(await verifyStatement(keyAgreement, bytesOf(rootPublicKeyB64u), this.#transport.realms))) {
      throw unverified('contact', 'invalid_signature', 'The owner did not sign this key')
    }
    await this.#keys.refuseOlder(did, { epoch: rootEpoch, userId: userIdOfKey(rootPublicKeyB64u) })
    await (await KnownAgreements.of(this.#memory, did)).accept(rootEpoch, keyAgreement)
    const logged = await this.#logged()
    return { did, keyIs: (await logged?.check(did, { signed: keyAgreement, since: 0 })) ?? 'claimed' }
  }

  /** The DID derives from a genesis key; a later key must descend from it and be the current one. */
  async #scopeOf(did: string, rootPublicKeyB64u: string, rootEpoch: number): Promise<string | null> {
    if (rootEpoch === 0) return userIdOfKey(rootPublicKeyB64u)
    const keys = await this.#keys.of(did)
    const current = keys.at(-1)
    const isCurrent = current?.epoch === rootEpoch && current.publicKeyB64u === rootPublicKeyB64u
    return isCurrent ? keys[0].userId : null
  }
}
