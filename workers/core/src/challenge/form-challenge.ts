import type { BotChallenge } from '@svc/service'

/** What a widget was put up for. A token of one form opens no other. */
export type ChallengeAction = 'contact' | 'invite'

/** The challenge of the forms that strangers fill in, on the pages of these origins. */
export class FormChallenge {
  readonly siteKey: string
  readonly #challenge: BotChallenge
  readonly #hostnames: readonly string[]

  constructor(challenge: BotChallenge, { siteKey, origins }: { siteKey: string; origins: readonly string[] }) {
    this.siteKey = siteKey
    this.#challenge = challenge
    this.#hostnames = origins.flatMap((origin) => URL.parse(origin)?.hostname ?? [])
  }

  /** Whether the page stands in for the widget, without a script of Turnstile's. */
  get isEmbedded(): boolean {
    return this.#challenge.isEmbedded
  }

  /** Whether a person passed it for this form, on a page of ours, just now. A service that does not answer is a fault. */
  async passes(token: string, action: ChallengeAction, address: string, now: number): Promise<boolean> {
    return (await this.#challenge.verify(token, address, { action, hostnames: this.#hostnames }, now)).ok
  }
}
