import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'

export interface RegistrationMail {
  /** A normalized identifier: one address, without white space or line breaks. */
  readonly to: string
  /** Completes the registration; null if the address signs in to an account already. */
  readonly code: string | null
}

/** Tells the owner of an address about a registration under it. The address is the only caller input in the mail. */
export class AddressMail {
  readonly #binding: SendEmail | undefined
  readonly #from: { readonly email: string; readonly name: string }
  readonly #site: string

  constructor(binding: SendEmail | undefined, from: { readonly email: string; readonly name: string }, site: string) {
    this.#binding = binding
    this.#from = from
    this.#site = site
  }

  /** Without it, addresses are not verified. */
  get isOn(): boolean {
    return this.#binding !== undefined && this.#from.email !== ''
  }

  async send({ to, code }: RegistrationMail): Promise<void> {
    const binding = this.#binding
    if (!binding) throw new DependencyFault('mail', { cause: new Error('no sender') })
    const subject = code === null ? 'You have an account already' : 'Your code to confirm this address'
    const text = code === null ? existingText(this.#site) : newText(this.#site, to, code)
    await reaching('mail', () => binding.send({ from: this.#from, to, subject, text }))
  }
}

function newText(site: string, to: string, code: string): string {
  return `Your code is ${code}

It confirms ${to}. Enter it on the page of ${site} where you chose a password. It is valid for ten
minutes, once.

Give it to nobody. If you did not choose a password there, ignore this mail: without the code nothing happens.
`
}

function existingText(site: string): string {
  return `Somebody, probably you, tried to register this address at ${site}. It signs in to an account there already.

Sign in with your password or a passkey. If you have lost them, continue with Google or Microsoft, if you used one of
them when you created the account, and set a new password or add a passkey.

If it was not you, you need not do anything: nothing has changed, and nobody else was told that the account exists.
`
}
