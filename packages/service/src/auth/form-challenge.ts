import type { BotChallenge } from './bot-challenge.ts'

/** The bot challenge of public forms, on the pages of these origins. A token for one action is valid for no other. */
export class FormChallenge<Action extends string> {
  readonly #challenge: BotChallenge
  readonly #hostnames: readonly string[]

  constructor(challenge: BotChallenge, origins: readonly string[]) {
    this.#challenge = challenge
    this.#hostnames = origins.flatMap((origin) => URL.parse(origin)?.hostname ?? [])
  }

  /** Whether a page embeds a testing token instead of the widget and its script. */
  get isEmbedded(): boolean {
    return this.#challenge.isEmbedded
  }

  /**
   * Whether a person just passed it for this action on one of our pages. Throws if the challenge service is unavailable.
   */
  async passes(token: string, action: Action, address: string, now: number): Promise<boolean> {
    return (await this.#challenge.verify(token, address, { action, hostnames: this.#hostnames }, now)).ok
  }
}
