import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Provider } from '@svc/protocol/auth/sign-in'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { equalSecrets } from '@svc/service'
import type { AccountStore } from '../accounts/store.ts'
import type { Begun, CeremonyService } from '../ceremony/service.ts'
import { beginAccount } from '../challenge/service.ts'
import type { Keyring } from '../keyring.ts'
import type { ProviderClient } from './client.ts'
import { isReturnUrl, vouchesForEmail } from './rules.ts'

export type Providers = Readonly<Record<Provider, ProviderClient | null>>

export type StartRefusal = { readonly reason: 'provider_disabled' | 'return_url' }
export type CallbackRefusal =
  | { readonly reason: 'provider_disabled' | 'code_unusable' }
  | { readonly reason: 'provider_rejected'; readonly detail: string }

export interface Redirect {
  readonly url: string
  /** For the cookie that binds the redirect to this browser; null if none is to be set. */
  readonly browser: string | null
  /** For the log, if the provider reported an error. */
  readonly failure?: string
}

export interface Onboarding {
  readonly provider: Provider
  readonly subjectHash: string
  readonly emailVerified: boolean
  readonly hasAccount: boolean
  readonly grant: Begun
}

/**
 * Identifies a person at a provider: a redirect there and back, which ends in a ticket. Three things bind the ends:
 * `state` names the ceremony, a cookie the browser, and the page keeps the preimage of `challenge`.
 */
export class OnboardingService {
  readonly #providers: Providers
  readonly #returnUrls: readonly string[]
  readonly #ceremonies: CeremonyService
  readonly #accounts: AccountStore
  readonly #keyring: Keyring

  constructor(
    providers: Providers,
    returnUrls: readonly string[],
    ceremonies: CeremonyService,
    accounts: AccountStore,
    keyring: Keyring,
  ) {
    this.#providers = providers
    this.#returnUrls = returnUrls
    this.#ceremonies = ceremonies
    this.#accounts = accounts
    this.#keyring = keyring
  }

  async start(
    provider: Provider,
    returnTo: string,
    challenge: string,
    now: number,
  ): Promise<Result<Redirect, StartRefusal>> {
    const client = this.#providers[provider]
    if (!client) return err({ reason: 'provider_disabled' })
    if (!isReturnUrl(this.#returnUrls, returnTo)) return err({ reason: 'return_url' })
    const [browser, nonce, codeVerifier] = [secret(), secret(), secret()]
    const state = { provider, nonce, codeVerifier, browserHash: hash(browser), returnTo, challenge }
    const { ceremonyId } = await this.#ceremonies.begin('redirect', state, now)
    return ok({ url: await client.authorizationUrl(ceremonyId, nonce, codeVerifier, now), browser })
  }

  /** Any callback spends the ceremony, unless it comes from another browser, which cannot end it for this one. */
  async callback(
    provider: Provider,
    parameters: URLSearchParams,
    browser: string | null,
    now: number,
  ): Promise<Result<Redirect, CallbackRefusal>> {
    const client = this.#providers[provider]
    if (!client) return err({ reason: 'provider_disabled' })
    const id = parameters.get('state') ?? ''
    const seen = await this.#ceremonies.look('redirect', id)
    if (!seen || seen.provider !== provider) return err({ reason: 'code_unusable' })
    if (browser === null || !equalSecrets(hash(browser), seen.browserHash)) return err({ reason: 'code_unusable' })
    const state = await this.#ceremonies.take('redirect', id)
    if (!state) return err({ reason: 'code_unusable' })
    const { nonce, codeVerifier, returnTo, challenge } = state
    const claims = await client.exchange({ parameters, state: id, nonce, codeVerifier }, now)
    if (!claims.ok) {
      const { error } = claims
      if (error.reason === 'declined') return ok({ url: `${returnTo}#error=declined`, browser: null })
      if (error.reason === 'failed') {
        return ok({ url: `${returnTo}#error=failed`, browser: null, failure: error.detail })
      }
      return err({ reason: 'provider_rejected', detail: error.detail })
    }
    const subject = this.#keyring.subjectNames(claims.value.iss, claims.value.sub)
    const emailVerified = vouchesForEmail(provider, claims.value)
    const ticket = { provider, subject, emailVerified, challenge }
    const { ceremonyId } = await this.#ceremonies.begin('ticket', ticket, now)
    return ok({ url: `${returnTo}#ticket=${ceremonyId}`, browser: null })
  }

  /** Spends the ticket, even with a wrong verifier: a stolen ticket is worthless. */
  async verifyTicket(ticket: string, verifier: string, now: number): Promise<Onboarding | null> {
    const state = await this.#ceremonies.take('ticket', ticket)
    if (!state || !equalSecrets(challengeOf(verifier), state.challenge)) return null
    const { provider, subject, emailVerified } = state
    await this.#accounts.renameSubject(subject)
    const account = await this.#accounts.ofSubject(subject)
    const grant = account ? await this.#beginRecovery(account, now) : await beginAccount(this.#ceremonies, subject, now)
    return { provider, subjectHash: subject[0].hash, emailVerified, hasAccount: account !== null, grant }
  }

  /** For a credential of the account that the person has. One grant of those given out since the last recovery is used. */
  #beginRecovery({ accountId, recoveries }: { accountId: string; recoveries: number }, now: number): Promise<Begun> {
    const standing = { by: 'recovery' as const, recoveries }
    return this.#ceremonies.beginGrant({ accountId, standing, subject: null }, now)
  }
}

/** Base64url of the SHA-256 of the verifier's bytes. */
function challengeOf(verifier: string): string {
  return encodeBase64url(sha256(bytesOf(verifier)))
}

function secret(): string {
  return encodeBase64url(crypto.getRandomValues(new Uint8Array(32)))
}

function hash(text: string): string {
  return bytesToHex(sha256(new TextEncoder().encode(text)))
}
