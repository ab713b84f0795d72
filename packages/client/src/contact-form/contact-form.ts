/**
 * `<svc-contact-form>`: a form to write to the owner of an asset. The message is encrypted here and never leaves the
 * browser in plaintext.
 *
 * The attributes are `core`, `asset` and `site-key`; `owner` and `reply-page` are optional. With `owner` the message is
 * encrypted to that identity or not at all; without it, the form shows whose key the service named before it sends. With
 * `reply-page` the sender can ask for a sealed reply, and gets a private link that opens it on that page.
 *
 * @module
 */
import type { ContactEnvelope } from '#protocol/inbox/inbox'
import { checkCall } from '../arguments/check.ts'
import { KeyHistory } from '../chain/key-history.ts'
import { Contact, type OpenContact } from '../inbox/contact.ts'
import { ConnectionError } from '../transport/connection-error.ts'
import { ServiceError } from '../transport/service-error.ts'
import { Transport } from '../transport/transport.ts'
import { Challenge } from './challenge.ts'
import { paint } from './markup.ts'
import { PrivateLink } from './private-link.ts'
import { FIELDS, type Field, View } from './view.ts'

/** Node has no elements, but must be able to import this module. */
const Base = globalThis.HTMLElement ?? (Object as unknown as typeof HTMLElement)

const MISSING: Readonly<Record<(typeof FIELDS)[number], string>> = {
  name: 'Enter your name',
  email: 'Enter your e-mail address',
  subject: 'Enter a subject',
  message: 'Write a message',
}
const ADDRESS = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/

/** Dispatches `svc-contact-delivered` with `detail.requestId` when a message is in the inbox. */
export class ContactFormElement extends Base {
  static readonly observedAttributes = ['owner', 'reply-page']
  readonly #view: View
  readonly #challenge: Challenge
  readonly #privateLink: PrivateLink
  #open: OpenContact | null = null
  /** Kept until it is delivered: a retry after a lost answer must send the same envelope. */
  #sealed: ContactEnvelope | null = null
  #isBusy = false

  constructor() {
    super()
    const root = this.attachShadow({ mode: 'open' })
    paint(root)
    this.#view = new View(root)
    this.#challenge = new Challenge(this, () => this.getAttribute('site-key') ?? '')
    this.#privateLink = new PrivateLink(this.#view)
    this.#on('form-step', 'submit', () => this.#begin())
    this.#on('code-step', 'submit', () => this.#deliver())
    this.#on('resend', 'click', () => this.#resend())
    this.#on('back', 'click', async () => this.#restart())
    this.#on('copy-link', 'click', () => this.#privateLink.copy())
    this.#on('save-link', 'click', async () => this.#privateLink.save())
  }

  connectedCallback(): void {
    this.attributeChangedCallback()
    this.#challenge.prepare()
  }

  attributeChangedCallback(): void {
    this.#view.expect(this.getAttribute('owner'))
    this.#privateLink.offer(this.getAttribute('reply-page'))
  }

  /** Runs one action at a time, shows any error, and keeps what the person wrote. */
  #on(id: string, event: 'submit' | 'click', act: () => Promise<void>): void {
    this.#view.part(id).addEventListener(event, (happened) => {
      happened.preventDefault()
      if (this.#isBusy) return
      this.#setBusy(true)
      void act()
        .catch((error: unknown) => this.#explain(error))
        .finally(() => this.#setBusy(false))
    })
  }

  #setBusy(isBusy: boolean): void {
    this.#isBusy = isBusy
    for (const button of this.shadowRoot?.querySelectorAll('button') ?? []) {
      button.setAttribute('aria-disabled', String(isBusy))
    }
  }

  async #begin(): Promise<void> {
    const errors = this.#errors()
    const challengeToken = errors.size > 0 ? '' : this.#challenge.take()
    if (errors.size > 0) this.#view.mend(errors)
    else if (challengeToken === '') this.#view.problem('Please finish the check that you are a person, then try again.')
    else await this.#request(challengeToken)
  }

  async #request(challengeToken: string): Promise<void> {
    this.#view.clear()
    this.#view.say('Asking for a code…')
    const owner = this.getAttribute('owner')
    const fromEmail = this.#view.value('email')
    const request = { assetId: this.getAttribute('asset') ?? '', fromEmail, challengeToken }
    try {
      this.#open = await this.#contact().request(owner === null ? request : { ...request, owner })
      this.#view.address(this.#open.owner, this.#open.ownerIs)
    } finally {
      this.#challenge.renew()
    }
    this.#sealed = null
    this.#view.part('sent-to').textContent = fromEmail
    this.#view.part<HTMLInputElement>('code').value = ''
    this.#view.show('code')
  }

  async #deliver(): Promise<void> {
    const code = this.#view.value('code')
    if (!/^[0-9]{6}$/.test(code)) this.#view.mend(new Map([['code', 'Enter the six digits from the mail']]))
    else if (this.#open) await this.#send(this.#open, code)
  }

  async #send(contact: OpenContact, code: string): Promise<void> {
    this.#view.clear()
    this.#view.say('Encrypting and sending…')
    this.#sealed ??= await this.#seal(contact)
    const { requestId } = await this.#contact().verify(contact, code, this.#sealed)
    this.#open = null
    this.#sealed = null
    for (const field of [...FIELDS, 'code'] as const) this.#view.part<HTMLInputElement>(field).value = ''
    this.#view.show('done')
    this.dispatchEvent(
      new CustomEvent('svc-contact-delivered', { bubbles: true, composed: true, detail: { requestId } }),
    )
  }

  async #seal(contact: OpenContact): Promise<ContactEnvelope> {
    const key = this.#privateLink.isWanted ? await this.#contact().replyKey(contact) : null
    this.#privateLink.forget()
    if (key) await this.#privateLink.keep(key)
    return this.#contact().seal(contact, {
      name: this.#view.value('name'),
      email: this.#view.value('email'),
      subject: this.#view.value('subject'),
      message: this.#view.value('message'),
      sentAt: Date.now(),
      ...(key && { replyKeyB64u: key.publicKeyB64u }),
    })
  }

  async #resend(): Promise<void> {
    if (!this.#open) return
    this.#view.clear()
    this.#view.say('Asking for another code…')
    this.#open = await this.#contact().resend(this.#open)
    this.#view.say('Another code is on its way. The old one serves no more.')
  }

  /** The fields keep what was written. */
  #restart(): void {
    this.#open = null
    this.#sealed = null
    this.#view.show('form')
  }

  #contact(): Contact {
    const core = this.getAttribute('core') ?? ''
    const realm = this.getAttribute('realm') ?? (URL.canParse(core) ? new URL(core).origin : core)
    const transport = new Transport({ realm })
    return new Contact(transport, core, new KeyHistory(transport, core))
  }

  #errors(): ReadonlyMap<Field, string> {
    const missing = FIELDS.filter((field) => this.#view.value(field) === '')
    const errors = new Map<Field, string>(missing.map((field) => [field, MISSING[field]]))
    if (!errors.has('email') && !ADDRESS.test(this.#view.value('email'))) {
      errors.set('email', 'Enter an address like name@example.org')
    }
    return errors
  }

  #explain(error: unknown): void {
    const isRefusal = error instanceof ServiceError
    const left = isRefusal && error.error === 'code_rejected' ? Number(error.details['attemptsLeft']) : 0
    if (left > 0) {
      const attempts = left === 1 ? 'One attempt is left' : `${left} attempts are left`
      this.#view.mend(new Map([['code', `That is not the code. ${attempts}`]]))
      return
    }
    if (isRefusal && RESTARTS.has(error.error)) this.#restart()
    this.#view.problem(sentenceOf(error))
  }
}

/** Errors after which the request is gone: a new one starts with the same text. */
const RESTARTS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  'code_rejected',
  'code_unusable',
  'key_agreement_changed',
])

const SENTENCES: Readonly<Record<string, string>> = {
  challenge_failed: 'We could not tell that a person sent this. Please try again.',
  owner_unresolvable: 'The owner of this cannot be reached here.',
  missing_asset: 'This form was set up without an asset.',
  inbox_full: 'The owner’s inbox is full. Please try again another day.',
  code_rejected: 'That was not the code, and no attempt is left. Please ask for a new one.',
  code_unusable: 'The code has expired or was used up. Please ask for a new one.',
  key_agreement_changed: 'The owner or the owner’s key has changed in the meantime. Please ask for a new code.',
  resend_limit: 'No further code can be sent for this message. Use the last one, or go back and begin again.',
  cors_denied: 'This site is not allowed to send messages here.',
  invalid_request: 'Something in the form cannot be sent. Please look at the address.',
}

function sentenceOf(error: unknown): string {
  if (error instanceof ServiceError) {
    const wait = error.retryAfterSeconds ?? 60
    const time = wait <= 90 ? `${wait} seconds` : `${Math.ceil(wait / 60)} minutes`
    if (error.status === 429) return `That was too often. Please try again in ${time}.`
    return SENTENCES[error.error] ?? 'The service cannot do this now. Please try again later.'
  }
  if (error instanceof RangeError) return 'The message is too long.'
  // A browser reports a rejected Origin as a network error, without details.
  if (error instanceof ConnectionError) {
    return 'This page cannot reach the service. You may be offline, or this site is not allowed to send messages here.'
  }
  return 'The key of the owner could not be verified, so nothing was sent.'
}

/** Defines the element under a name. Idempotent. */
export function defineContactForm(name = 'svc-contact-form'): void {
  checkCall('defineContactForm', [name], ['name?'])
  if (!customElements.get(name)) customElements.define(name, class extends ContactFormElement {})
}
