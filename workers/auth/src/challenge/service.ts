import type { CHALLENGE_ACTIONS } from '@svc/protocol/auth/sign-in'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import type { BotChallenge } from '@svc/service'
import type { Begun, CeremonyService } from '../ceremony/service.ts'
import type { Names } from '../keyring.ts'
import { trustScore } from './trust.ts'

type Action = (typeof CHALLENGE_ACTIONS)[number]

export interface Judged {
  readonly trustScore: number
  /** Allows one account. */
  readonly grant: Begun | null
}

export interface ChallengeOptions {
  readonly hostnames: readonly string[]
  readonly isOpen: boolean
}

/** Below this, a passed challenge gives no account: the token is old and the person had to interact. */
const MIN_TRUST = 0.6

/** Bot challenges: a verdict, a trust score and, with open registration, a grant for one account. */
export class ChallengeService {
  readonly #challenge: BotChallenge
  readonly #ceremonies: CeremonyService
  readonly #options: ChallengeOptions

  constructor(challenge: BotChallenge, ceremonies: CeremonyService, options: ChallengeOptions) {
    this.#challenge = challenge
    this.#ceremonies = ceremonies
    this.#options = options
  }

  /** Whether a token was passed here, now, for this action. */
  async isPassed(token: string, action: Action, address: string, now: number): Promise<boolean> {
    const { hostnames } = this.#options
    return (await this.#challenge.verify(token, address, { action, hostnames }, now)).ok
  }

  /** Null for a token that was not passed here, now, for this action. */
  async judge(token: string, action: Action, address: string, now: number): Promise<Judged | null> {
    const { hostnames, isOpen } = this.#options
    const verdict = await this.#challenge.verify(token, address, { action, hostnames }, now)
    if (!verdict.ok) return null
    const score = trustScore(verdict.value, now)
    const gives = isOpen && action === 'register' && score >= MIN_TRUST
    return { trustScore: score, grant: gives ? await beginAccount(this.#ceremonies, null, now) : null }
  }
}

/** A grant for an account that is created with its first credential. */
export function beginAccount(ceremonies: CeremonyService, subject: Names | null, now: number): Promise<Begun> {
  const accountId = encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
  return ceremonies.beginGrant({ accountId, standing: null, subject }, now)
}
