import type { BotChallenge } from '@svc/service'

/** The form that a widget belongs to. Its token is valid for no other form. */
export type ChallengeAction = 'contact' | 'invite'

/** The bot challenge of public forms, on the pages of these origins. */
export class FormChallenge {
  readonly siteKey: string
  readonly #challenge: BotChallenge
  readonly #hostnames: readonly string[]

  constructor(challenge: BotChallenge, { siteKey, origins }: { siteKey: string; origins: readonly string[] }) {
    this.siteKey = siteKey
    this.#challenge = challenge
    this.#hostnames = origins.flatMap((origin) => URL.parse(origin)?.hostname ?? [])
  }

  /** Whether the page embeds a testing token instead of the widget and its script. */
  get isEmbedded(): boolean {
    return this.#challenge.isEmbedded
  }

  /**
   * Whether a person just passed it for this form on one of our pages. Throws if the challenge service is unavailable.
   */
  async passes(token: string, action: ChallengeAction, address: string, now: number): Promise<boolean> {
    return (await this.#challenge.verify(token, address, { action, hostnames: this.#hostnames }, now)).ok
  }
}
