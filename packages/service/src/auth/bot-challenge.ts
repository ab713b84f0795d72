/**
 * Cloudflare Turnstile: what `siteverify` says about a token, and whether that is for this form, on this host, just now.
 * Otherwise a token that passed elsewhere would pass here.
 *
 * @module
 */
import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { foreignObject } from '@svc/protocol/http/foreign'
import * as z from 'zod'

/** Turnstile's documented test secrets. The first passes every token, the second none, the third reports all as spent. */
export const TESTING_SECRETS = {
  passes: '1x0000000000000000000000000000000AA',
  fails: '2x0000000000000000000000000000000AA',
  spent: '3x0000000000000000000000000000000AA',
} as const
/** The matching site key, and the token of its widget. */
export const TESTING_SITE_KEY = '1x00000000000000000000AA'
export const TESTING_TOKEN = 'XXXX.DUMMY.TOKEN.XXXX'

const VERIFY_URL = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'
/** From Turnstile's documentation: a token has at most 2,048 characters and is valid for 300 seconds. */
const MAX_TOKEN_CHARS = 2_048
export const CHALLENGE_LIFETIME_MS = 300_000
/** Between Cloudflare's clock and this one. */
const MAX_LEAD_MS = 30_000
const TIMEOUT_MS = 5_000
/** The retry has the idempotency key of the first try, so that a token spent by a lost answer is not reported as spent. */
const ATTEMPTS = 2

export const challengeVerdictSchema = foreignObject({
  success: z.boolean(),
  'error-codes': z
    .array(z.string())
    .nullish()
    .transform((codes) => codes ?? []),
  hostname: z.string().nullish(),
  action: z.string().nullish(),
  challenge_ts: z.string().nullish(),
  metadata: foreignObject({
    interactive: z.unknown().optional(),
    result_with_testing_key: z.unknown().optional(),
  }).nullish(),
})
export type ChallengeVerdict = z.output<typeof challengeVerdictSchema>

/** Codes about a token; all others are about this service or Turnstile itself. */
const ABOUT_THE_TOKEN: readonly string[] = ['missing-input-response', 'invalid-input-response', 'timeout-or-duplicate']

export interface ExpectedChallenge {
  /** What the widget was rendered for. */
  readonly action: string
  readonly hostnames: readonly string[]
}

export interface ChallengeFacts {
  readonly hostname: string
  readonly action: string
  readonly challengedAt: number
  /** Whether the person had to interact, which Turnstile asks for when it is unsure. */
  readonly isInteractive: boolean
}

export type ChallengeRefusal = { readonly reason: 'token' | 'hostname' | 'action' | 'age' | 'testing_key' }

/** Pure. What Turnstile does not state is not proved: a verdict without hostname, action or time is rejected. */
export function judgeVerdict(
  verdict: ChallengeVerdict,
  expected: ExpectedChallenge,
  now: number,
): Result<ChallengeFacts, ChallengeRefusal> {
  const { success, hostname, action, challenge_ts: time, metadata } = verdict
  if (!success) return err({ reason: 'token' })
  if ((metadata?.result_with_testing_key ?? false) !== false) return err({ reason: 'testing_key' })
  if (hostname == null || !expected.hostnames.includes(hostname)) return err({ reason: 'hostname' })
  if (action !== expected.action) return err({ reason: 'action' })
  const challengedAt = Date.parse(time ?? '')
  const age = now - challengedAt
  // An unreadable time is NaN, which compares false.
  if (!(age >= -MAX_LEAD_MS && age <= CHALLENGE_LIFETIME_MS)) return err({ reason: 'age' })
  return ok({ hostname, action, challengedAt, isInteractive: metadata?.interactive === true })
}

export interface BotChallengeConfig {
  readonly secret: string | undefined
  /** Only a local deployment may use a test secret, and it is handled here: no request leaves the machine. */
  readonly isLocal: boolean
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
}

export class BotChallenge {
  readonly #config: BotChallengeConfig

  constructor(config: BotChallengeConfig) {
    this.#config = config
  }

  /** Whether a test secret is handled here, so that no page needs Turnstile's script. */
  get isEmbedded(): boolean {
    return this.#config.isLocal && isTesting(this.#config.secret ?? '')
  }

  /** Throws a `DependencyFault` if there is no verdict, so that no caller mistakes silence for a pass. */
  async verify(
    token: string,
    address: string,
    expected: ExpectedChallenge,
    now: number,
  ): Promise<Result<ChallengeFacts, ChallengeRefusal>> {
    const { secret, isLocal } = this.#config
    if (!secret) throw unavailable('no secret')
    if (isTesting(secret)) {
      if (!isLocal) throw unavailable('a testing secret outside of a local deployment')
      return testingVerdict(secret, token, expected, now)
    }
    if (token === '' || token.length > MAX_TOKEN_CHARS) return err({ reason: 'token' })
    return judgeVerdict(await this.#ask(secret, token, address), expected, now)
  }

  async #ask(secret: string, token: string, address: string): Promise<ChallengeVerdict> {
    const body = new URLSearchParams({ secret, response: token, idempotency_key: crypto.randomUUID() })
    if (address !== '') body.set('remoteip', address)
    for (let attempt = 1; ; attempt++) {
      try {
        return await reaching('bot challenge', () => this.#once(body))
      } catch (fault) {
        if (attempt === ATTEMPTS) throw fault
      }
    }
  }

  async #once(body: URLSearchParams): Promise<ChallengeVerdict> {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await this.#config.fetch(VERIFY_URL, { method: 'POST', body, signal })
    if (!response.ok) throw new Error(`status ${response.status}`)
    const verdict = challengeVerdictSchema.parse(await response.json())
    const isAboutToken = verdict['error-codes'].every((code) => ABOUT_THE_TOKEN.includes(code))
    if (!verdict.success && !isAboutToken) throw new Error('not about the token')
    return verdict
  }
}

function testingVerdict(
  secret: string,
  token: string,
  { action, hostnames }: ExpectedChallenge,
  now: number,
): Result<ChallengeFacts, ChallengeRefusal> {
  const [hostname = 'localhost'] = hostnames
  if (secret !== TESTING_SECRETS.passes || token !== TESTING_TOKEN) return err({ reason: 'token' })
  return ok({ hostname, action, challengedAt: now, isInteractive: false })
}

function isTesting(secret: string): boolean {
  return Object.values<string>(TESTING_SECRETS).includes(secret)
}

function unavailable(why: string): DependencyFault {
  return new DependencyFault('bot challenge', { cause: new Error(why) })
}
