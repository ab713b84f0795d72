import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'

export interface CodeMail {
  /** Validated by its schema: one address, without white space or line breaks. */
  readonly to: string
  readonly code: string
  /** Of an existing asset: `asset:sha3-384:` and hex. */
  readonly assetId: string
}

/** Sends one-time codes by mail. The address is the only caller input in a header. */
export class ContactMail {
  readonly #binding: SendEmail | undefined
  readonly #from: { readonly email: string; readonly name: string }

  constructor(binding: SendEmail | undefined, from: { readonly email: string; readonly name: string }) {
    this.#binding = binding
    this.#from = from
  }

  async send({ to, code, assetId }: CodeMail): Promise<void> {
    const binding = this.#binding
    if (!binding || this.#from.email === '') throw new DependencyFault('mail', { cause: new Error('no sender') })
    await reaching('mail', () =>
      binding.send({ from: this.#from, to, subject: 'Your code to send a message', text: textOf(code, assetId) }),
    )
  }
}

function textOf(code: string, assetId: string): string {
  return `Your code is ${code}

Enter it on the page where you wrote to the owner of

${assetId}

It serves for ten minutes, once. Nobody but you needs it.

If you wrote to nobody, ignore this mail: without the code nothing is sent, and your address is forgotten.
`
}
