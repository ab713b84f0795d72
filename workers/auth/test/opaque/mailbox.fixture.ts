import type { Prober } from '@svc/service/testing'
import { isolateWith } from '../harness.ts'

export interface Mail {
  readonly from: { readonly email: string; readonly name: string }
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** A mail binding that records its messages; `fails` makes it reject them. */
export class Mailbox {
  readonly kept: Mail[] = []
  fails = false
  readonly prober: Prober = isolateWith({
    MAIL: {
      send: async (mail: Mail) => {
        if (this.fails) throw new Error('the mail server is down: canary')
        this.kept.push(mail)
        return { messageId: `<${this.kept.length}@mail.test>` }
      },
    },
  })

  get code(): string {
    return /code is (\d{6})\n/.exec(this.kept.at(-1)?.text ?? '')?.[1] ?? 'no mail'
  }
}

/** A code that is not this one. */
export const otherThan = (code: string) => (code === '000000' ? '000001' : '000000')
