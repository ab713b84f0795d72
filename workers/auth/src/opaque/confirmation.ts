import { encodeBase64url } from '@svc/protocol/base/base64url'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { type CounterService, equalSecrets, networkKey, type Window } from '@svc/service'
import { drawCode } from '@svc/service/mail-code'
import { mailboxOf } from '@svc/service/mailbox'
import type { Beneficiary, CeremonyStates } from '../ceremony/rules.ts'
import type { CeremonyService } from '../ceremony/service.ts'
import type { Keyring, Names } from '../keyring.ts'
import type { AddressMail } from './mail.ts'
import { CODE_GUESSES, REGISTRATION_MAIL } from './mail-limits.ts'

export type AskRefusal =
  | { readonly reason: 'code_unusable' }
  | { readonly reason: 'mail_limited'; readonly counter: string; readonly retryAfterSeconds: number }

export type CodeRefusal =
  | { readonly reason: 'code_unusable' }
  | { readonly reason: 'code_rejected'; readonly attemptsLeft: number }

export interface Asked {
  readonly beneficiary: Beneficiary
  /** The version of the seed that the record was made under. */
  readonly seed: number
  readonly identifier: Names
  /** Normalized. It is sent to, and not stored. */
  readonly address: string
  /** Whether the address signs in to an account. Its owner is told; the caller is not. */
  readonly isTaken: boolean
  readonly record: Uint8Array
  /** Of the caller, as the edge sees it. */
  readonly callerAddress: string
}

interface Mark {
  readonly window: Window
  readonly name: string
  readonly mark: string
}

/**
 * Confirms addresses by a code that only their owner gets. It works with the grant alone, which only the browser that
 * began the registration has, so the owner cannot complete somebody else's registration by mistake.
 */
export class ConfirmationService {
  readonly #mail: AddressMail
  readonly #ceremonies: CeremonyService
  readonly #counters: CounterService
  readonly #keyring: Keyring

  constructor(mail: AddressMail, ceremonies: CeremonyService, counters: CounterService, keyring: Keyring) {
    this.#mail = mail
    this.#ceremonies = ceremonies
    this.#counters = counters
    this.#keyring = keyring
  }

  get isOn(): boolean {
    return this.#mail.isOn
  }

  /**
   * The same steps for an address with and without an account; of the first, no code is right. If the mail is not sent,
   * the grant is spent and the counts are taken back.
   */
  async ask(grant: string, asked: Asked, now: number): Promise<Result<void, AskRefusal>> {
    const { beneficiary, seed, identifier, address, isTaken, record } = asked
    const marked = await this.#count(address, asked.callerAddress)
    if (!marked.ok) return marked
    try {
      const code = drawCode()
      const awaited = isTaken ? encodeBase64url(crypto.getRandomValues(new Uint8Array(32))) : code
      const state = {
        ...beneficiary,
        seed,
        identifier,
        recordB64u: encodeBase64url(record),
        codeHash: this.#keyring.newest.codeHash(grant, awaited),
      }
      if (!(await this.#ceremonies.turnIntoConfirmation(grant, state, now))) {
        await this.#release(marked.value)
        return err({ reason: 'code_unusable' })
      }
      await this.#mail.send({ to: address, code: isTaken ? null : code })
      return ok(undefined)
    } catch (fault) {
      // If a count cannot be taken back, the address has one mail less for a day.
      await this.#release(marked.value).catch(() => {})
      throw fault
    }
  }

  /** Returns the registration to one caller with the right code, of five that are tried. */
  async confirm(grant: string, code: string): Promise<Result<CeremonyStates['confirmation'], CodeRefusal>> {
    const pending = await this.#ceremonies.look('confirmation', grant)
    if (!pending) return err({ reason: 'code_unusable' })
    const attempt = await this.#counters.attempt(CODE_GUESSES, grant)
    if (!attempt.ok) return err({ reason: 'code_unusable' })
    if (!this.#keyring.all.some((keys) => equalSecrets(keys.codeHash(grant, code), pending.codeHash)))
      return err({ reason: 'code_rejected', attemptsLeft: attempt.value.left })
    const taken = await this.#ceremonies.take('confirmation', grant)
    return taken ? ok(taken) : err({ reason: 'code_unusable' })
  }

  async #count(address: string, callerAddress: string): Promise<Result<readonly Mark[], AskRefusal>> {
    const mailbox = mailboxOf(address)
    const keys = this.#keyring.newest
    const counted = [
      { window: REGISTRATION_MAIL.caller, name: networkKey(callerAddress) },
      { window: REGISTRATION_MAIL.mailbox, name: keys.mailName('mailbox', mailbox.name) },
      ...(mailbox.domain === null
        ? []
        : [{ window: REGISTRATION_MAIL.domain, name: keys.mailName('domain', mailbox.domain) }]),
    ]
    const marks: Mark[] = []
    for (const { window, name } of counted) {
      const mark = await this.#counters.mark(window, name)
      if (!mark.ok) {
        await this.#release(marks)
        const { retryAfterSeconds } = mark.error
        return err({ reason: 'mail_limited', counter: window.counter, retryAfterSeconds })
      }
      marks.push({ window, name, mark: mark.value })
    }
    return ok(marks)
  }

  async #release(marks: readonly Mark[]): Promise<void> {
    for (const { window, name, mark } of marks) await this.#counters.release(window, name, mark)
  }
}
