import type { MailSender } from '../mail/sender.ts'

export interface CodeMail {
  /** Validated by its schema: one address, without white space or line breaks. */
  readonly to: string
  readonly code: string
  /** Of an existing asset: `asset:sha3-384:` and hex. */
  readonly assetId: string
}

/** Sends one-time codes by mail. The address is the only caller input in a header. */
export class ContactMail {
  readonly #sender: MailSender

  constructor(sender: MailSender) {
    this.#sender = sender
  }

  send({ to, code, assetId }: CodeMail): Promise<void> {
    return this.#sender.send({ to, subject: 'Your code to send a message', text: textOf(code, assetId) })
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
