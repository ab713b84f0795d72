import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'

export interface Mail {
  /** Validated by its schema: one address, without white space or line breaks. */
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Sends mail. The address is the only input of a stranger in a header. */
export class MailSender {
  readonly #binding: SendEmail | undefined
  readonly #from: { readonly email: string; readonly name: string }

  constructor(binding: SendEmail | undefined, from: { readonly email: string; readonly name: string }) {
    this.#binding = binding
    this.#from = from
  }

  /** Throws where `send` would because there is no sender: what would need a mail is then not begun. */
  requireSender(): SendEmail {
    const binding = this.#binding
    if (!binding || this.#from.email === '') throw new DependencyFault('mail', { cause: new Error('no sender') })
    return binding
  }

  async send(mail: Mail): Promise<void> {
    const binding = this.requireSender()
    await reaching('mail', () => binding.send({ from: this.#from, ...mail }))
  }
}
