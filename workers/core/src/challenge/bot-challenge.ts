import { DependencyFault, reaching } from '@svc/protocol/dependency-fault'
import * as z from 'zod'
import { isTestingSecret, testingSiteverify } from './testing-siteverify.ts'

const VERIFY_URL = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'
/** Document of Turnstile: a token has at most 2,048 characters and serves for 300 seconds, once. */
const MAX_TOKEN_CHARS = 2_048
const MAX_AGE_MS = 300_000
const TIMEOUT_MS = 5_000

const verdictSchema = z.looseObject({
  success: z.boolean(),
  'error-codes': z.array(z.string()).default([]),
  challenge_ts: z.string().optional(),
  hostname: z.string().optional(),
  action: z.string().optional(),
})
type Verdict = z.infer<typeof verdictSchema>
/** What Turnstile says of a token; its other codes are about this service or its own. */
const ABOUT_THE_TOKEN: readonly string[] = ['missing-input-response', 'invalid-input-response', 'timeout-or-duplicate']

/** What a widget was put up for. A token of one form opens no other. */
export type ChallengeAction = 'contact' | 'invite'

export interface ChallengeConfig {
  readonly siteKey: string
  readonly secret: string | undefined
  readonly isLocal: boolean
  /** Origins of the pages that may carry the widget. */
  readonly origins: readonly string[]
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
}

/** Turnstile's verdict on a token. Locally its testing secrets are answered here, the way Turnstile documents them. */
export class BotChallenge {
  readonly siteKey: string
  readonly #config: ChallengeConfig
  readonly #hostnames: readonly string[]

  constructor(config: ChallengeConfig) {
    this.siteKey = config.siteKey
    this.#config = config
    this.#hostnames = config.origins.flatMap((origin) => URL.parse(origin)?.hostname ?? [])
  }

  /** Whether the page stands in for the widget, without a script of Turnstile's. */
  get isEmbedded(): boolean {
    return this.#config.isLocal && isTestingSecret(this.#config.secret)
  }

  /**
   * False for a token that was not passed, was used before, is too old, or was made for another form or on a page of
   * somebody else's; a service that does not answer is a fault.
   */
  async passes(token: string, action: ChallengeAction, address: string, now: number): Promise<boolean> {
    const { secret } = this.#config
    // A testing secret lets every token through: only a local deployment may have one.
    if (!secret || (isTestingSecret(secret) && !this.isEmbedded)) {
      throw new DependencyFault('bot challenge', { cause: new Error('no secret') })
    }
    if (token === '' || token.length > MAX_TOKEN_CHARS) return false
    return reaching('bot challenge', async () => {
      const verdict = verdictSchema.parse(
        this.isEmbedded
          ? testingSiteverify(secret, token, { action, hostname: this.#hostnames[0] ?? '', now })
          : await this.#ask(secret, token, address),
      )
      const { success, 'error-codes': codes } = verdict
      if (!success && codes.some((code) => !ABOUT_THE_TOKEN.includes(code))) throw new Error('not about the token')
      return success && this.#isOurs(verdict, action, now)
    })
  }

  #isOurs({ action, hostname, challenge_ts }: Verdict, expected: ChallengeAction, now: number): boolean {
    const age = now - Date.parse(challenge_ts ?? '')
    return action === expected && hostname !== undefined && this.#hostnames.includes(hostname) && age <= MAX_AGE_MS
  }

  /** A network that failed is tried once more: the key keeps the second question from counting as a second use. */
  async #ask(secret: string, token: string, address: string): Promise<unknown> {
    const question = new URLSearchParams({
      secret,
      response: token,
      idempotency_key: crypto.randomUUID(),
      ...(address === '' ? {} : { remoteip: address }),
    })
    const once = async () =>
      this.#config.fetch(VERIFY_URL, { method: 'POST', body: question, signal: AbortSignal.timeout(TIMEOUT_MS) })
    const response = await once().catch(once)
    if (!response.ok) throw new Error(`status ${response.status}`)
    return response.json()
  }
}
