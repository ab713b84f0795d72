import type { Tier } from '@svc/protocol/pay/tiers'
import type { Mail, MailSender } from '../mail/sender.ts'
import { DECIDED_DAYS } from './rules.ts'

export interface Invitation {
  readonly to: string
  readonly code: string
  readonly tier: Tier
  readonly days: number
  readonly redeemableUntil: number
}

/**
 * What a person who asked for an invitation is told. Nothing that they wrote is in it: somebody else may have given their
 * address, and would choose the words that we send them.
 */
export class InviteMail {
  readonly #sender: MailSender
  readonly #origin: string

  /** `origin` has the page that takes codes. */
  constructor(sender: MailSender, origin: string) {
    this.#sender = sender
    this.#origin = origin
  }

  /** Throws if mail cannot be sent at all, so that no decision is taken that could not be carried out. */
  requireSender(): void {
    this.#sender.requireSender()
  }

  sendCode(invitation: Invitation): Promise<void> {
    return this.#sender.send(codeMail(invitation, this.#origin))
  }

  sendDecline(to: string): Promise<void> {
    return this.#sender.send(declineMail(to))
  }
}

function codeMail({ to, code, tier, days, redeemableUntil }: Invitation, origin: string): Mail {
  const until = new Date(redeemableUntil).toISOString().slice(0, 10)
  const text = `Your activation code is ${code}

Enter it on this page:

${origin}/activation

It gives one identity the tier "${tier}" for ${days} ${days === 1 ? 'day' : 'days'} from then on. You can enter it until ${until}, once.
Anyone who has the code can use it, so keep it to yourself.

You get this mail because somebody asked for an invitation with your address. If it was not you, ignore it.
`
  return { to, subject: 'Your invitation', text }
}

function declineMail(to: string): Mail {
  const text = `You asked for an invitation. We cannot give you one at the moment.

What you wrote to us is deleted ${DECIDED_DAYS} days from now. You can ask again after that.

If somebody else gave your address, ignore this mail.
`
  return { to, subject: 'Your request for an invitation', text }
}
