import { reaching } from '@svc/protocol/base/dependency-fault'
import { hashHexAsync } from '@svc/protocol/base/hash'
import { jcs, jcsBytes } from '@svc/protocol/base/jcs'
import { err, ok, type Result } from '@svc/protocol/base/result'
import {
  type CodeResent,
  type ContactDelivered,
  type ContactOpened,
  type ContactRequest,
  MAX_CODE_SENDS,
  RESEND_DELAY_MS,
  type VerifyContact,
} from '@svc/protocol/inbox/inbox'
import type { CounterService, FormChallenge, Window } from '@svc/service'
import { drawCode } from '@svc/service/mail-code'
import type { InboxObject } from '../inbox/object.ts'
import type { RecipientResolver } from '../inbox/recipient-resolver.ts'
import type { DeliveryRefusal, OpeningRefusal, ResendRefusal } from '../inbox/rules.ts'
import type { CodeState } from '../inbox/store.ts'
import type { ContactMail } from './mail.ts'
import { DOMAIN_CODES, MAILBOX_CODES } from './mail-limits.ts'
import type { ContactSecrets } from './secrets.ts'

export type ContactRefusal = OpeningRefusal | { readonly reason: 'challenge_failed' | 'owner_unresolvable' }

export interface ContactParts {
  readonly inboxes: DurableObjectNamespace<InboxObject>
  readonly counters: CounterService
  readonly challenge: FormChallenge<'contact'>
  readonly recipients: RecipientResolver
  readonly secrets: ContactSecrets
  readonly mail: ContactMail
}

/** How a stranger reaches an owner: a challenge, a code by mail, and a message that this service cannot read. */
export class ContactService {
  readonly #parts: ContactParts

  constructor(parts: ContactParts) {
    this.#parts = parts
  }

  /**
   * Counts against the recipient's limit after the challenge, in the recipient's own object. The count is taken back if no
   * code goes out. A crash in between costs the recipient one of thirty until the request expires.
   */
  async open(
    { assetId, fromEmail, challengeToken }: ContactRequest,
    caller: { readonly address: string; readonly now: number },
  ): Promise<Result<ContactOpened, ContactRefusal>> {
    const { challenge, recipients, secrets } = this.#parts
    if (!(await challenge.passes(challengeToken, 'contact', caller.address, caller.now))) {
      return err({ reason: 'challenge_failed' })
    }
    const recipient = await recipients.ofAsset(assetId)
    if (!recipient) return err({ reason: 'owner_unresolvable' })
    const { did, kemKeyId, keyAgreement, rootPublicKeyB64u, rootEpoch } = recipient
    const requestId = await secrets.mint(did)
    const code = drawCode()
    const codeHash = await secrets.codeHash(requestId, code)
    const contact = { requestId, assetId, kemKeyId, address: fromEmail, codeHash }
    const opened = await this.#ask(did, async (inbox) => inbox.open(contact))
    if (!opened.ok) return opened
    const mailed = await this.#mail({ to: fromEmail, code, assetId }, () =>
      this.#ask(did, async (inbox) => inbox.withdraw(requestId)),
    )
    if (!mailed.ok) return mailed
    const { publicKeyB64u: kemPublicB64u, x25519B64u } = keyAgreement.statement
    const key = { kemPublicB64u, x25519B64u, kemKeyId, keyAgreement, rootPublicKeyB64u, rootEpoch }
    return ok({ ...timesOf(requestId, opened.value), ...key })
  }

  /** Sends another code to the same address. If it cannot be mailed, the previous code is valid again. */
  async resend(requestId: string): Promise<Result<CodeResent, ResendRefusal>> {
    const { secrets } = this.#parts
    const did = await secrets.ownerOf(requestId)
    if (did === null) return err({ reason: 'code_unusable' })
    const code = drawCode()
    const codeHash = await secrets.codeHash(requestId, code)
    const resent = await this.#ask(did, async (inbox) => inbox.resend(requestId, codeHash))
    if (!resent.ok) return resent
    const { address, assetId, previous } = resent.value
    const mailed = await this.#mail({ to: address, code, assetId }, () =>
      this.#ask(did, async (inbox) => inbox.restore(requestId, codeHash, previous)),
    )
    return mailed.ok ? ok(timesOf(requestId, resent.value.code)) : mailed
  }

  /**
   * Checks owner and key again: a message that was sealed to another key could not be opened, and one to somebody who
   * does not own the asset any more, or whose claim to it was displaced, is not delivered.
   */
  async verify({ requestId, code, envelope }: VerifyContact): Promise<Result<ContactDelivered, DeliveryRefusal>> {
    const { secrets, recipients } = this.#parts
    const did = await secrets.ownerOf(requestId)
    const assetId = did === null ? null : await this.#ask(did, async (inbox) => inbox.assetOf(requestId))
    if (did === null || assetId === null) return err({ reason: 'code_unusable' })
    const [codeHash, inForce] = await Promise.all([
      secrets.codeHash(requestId, code),
      recipients.keyOfOwner(assetId, did),
    ])
    const attempt = {
      did,
      requestId,
      codeHash,
      kemKeyId: envelope.kemKeyId,
      kemKeyIdInForce: inForce?.kemKeyId ?? null,
      envelope: { json: jcs(envelope), hash: await hashHexAsync(jcsBytes(envelope)) },
    }
    const delivered = await this.#ask(did, async (inbox) => inbox.deliver(attempt))
    return delivered.ok ? ok({ requestId, deliveredAt: delivered.value }) : delivered
  }

  /** Mails a code within the limits of its address and domain, or undoes what was done for it. */
  async #mail(
    mail: { readonly to: string; readonly code: string; readonly assetId: string },
    takeBack: () => Promise<void>,
  ): Promise<Result<void, { readonly reason: 'rate_limited'; readonly retryAfterSeconds: number }>> {
    const { counters, secrets } = this.#parts
    const marks: { window: Window; name: string; mark: string }[] = []
    const releaseAll = () => Promise.all(marks.map(({ window, name, mark }) => counters.release(window, name, mark)))
    try {
      const { mailbox, domain } = await secrets.countedNames(mail.to)
      const counted = [
        ...mailbox.map((name) => ({ window: MAILBOX_CODES, name })),
        ...domain.map((name) => ({ window: DOMAIN_CODES, name })),
      ]
      for (const { window, name } of counted) {
        const mark = await counters.mark(window, name)
        if (!mark.ok) {
          await releaseAll()
          await takeBack()
          return err({ reason: 'rate_limited', retryAfterSeconds: mark.error.retryAfterSeconds })
        }
        marks.push({ window, name, mark: mark.value })
      }
      await this.#parts.mail.send(mail)
      return ok(undefined)
    } catch (fault) {
      // If the count cannot be taken back, the address has one code less for a day.
      await releaseAll().catch(() => {})
      await takeBack()
      throw fault
    }
  }

  #ask<T>(did: string, work: (inbox: DurableObjectStub<InboxObject>) => Promise<T>): Promise<T> {
    return reaching('inbox', () => work(this.#parts.inboxes.getByName(did)))
  }
}

function timesOf(requestId: string, { expiresAt, sentAt, sends }: CodeState): CodeResent {
  return { requestId, expiresAt, resendAfter: sentAt + RESEND_DELAY_MS, sendsLeft: MAX_CODE_SENDS - sends }
}
