import { DependencyFault, reaching } from '@svc/protocol/dependency-fault'
import * as z from 'zod'

/** Turnstile's documented testing keys: the secret that always passes, and the token that its widget gives. */
export const DUMMY_SITE_KEY = '1x00000000000000000000AA'
const DUMMY_SECRET = '1x0000000000000000000000000000000AA'
export const DUMMY_TOKEN = 'XXXX.DUMMY.TOKEN.XXXX'

const VERIFY_URL = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'
/** Document of Turnstile: a token has at most 2,048 characters. */
const MAX_TOKEN_CHARS = 2_048
const TIMEOUT_MS = 5_000

const verdictSchema = z.looseObject({ success: z.boolean(), 'error-codes': z.array(z.string()).default([]) })
/** What Turnstile says of a token; its other codes are about this service or its own. */
const ABOUT_THE_TOKEN: readonly string[] = ['missing-input-response', 'invalid-input-response', 'timeout-or-duplicate']

export interface ChallengeConfig {
  readonly siteKey: string
  readonly secret: string | undefined
  readonly isLocal: boolean
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
}

/** Turnstile's verdict on a token. Locally its testing secret is answered here, the way Turnstile documents it. */
export class BotChallenge {
  readonly siteKey: string
  readonly #config: ChallengeConfig

  constructor(config: ChallengeConfig) {
    this.siteKey = config.siteKey
    this.#config = config
  }

  /** Whether the page stands in for the widget, without a script of Turnstile's. */
  get isDummy(): boolean {
    return this.#config.isLocal && this.#config.secret === DUMMY_SECRET
  }

  /** False for a token that was not passed or was used before; a service that does not answer is a fault. */
  async passes(token: string, address: string): Promise<boolean> {
    const { secret } = this.#config
    // The testing secret lets every token through: only a local deployment may have it.
    if (!secret || (secret === DUMMY_SECRET && !this.isDummy)) {
      throw new DependencyFault('bot challenge', { cause: new Error('no secret') })
    }
    if (token === '' || token.length > MAX_TOKEN_CHARS) return false
    if (this.isDummy) return token === DUMMY_TOKEN
    return reaching('bot challenge', async () => {
      const response = await this.#config.fetch(VERIFY_URL, {
        method: 'POST',
        body: new URLSearchParams({ secret, response: token, ...(address === '' ? {} : { remoteip: address }) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      if (!response.ok) throw new Error(`status ${response.status}`)
      const { success, 'error-codes': codes } = verdictSchema.parse(await response.json())
      if (!success && codes.some((code) => !ABOUT_THE_TOKEN.includes(code))) throw new Error('not about the token')
      return success
    })
  }
}
