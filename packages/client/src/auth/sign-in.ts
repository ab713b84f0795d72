/**
 * Human sign-in from a browser, or from Node if no passkey is needed: passwords with OPAQUE, passkeys, and onboarding
 * through an identity provider. A separate entry because it includes WebAssembly, which the first password loads.
 *
 * Sessions work only at the sign-in service.
 *
 * @module
 */
import { browserSupportsWebAuthnAutofill, startAuthentication, startRegistration } from '@simplewebauthn/browser'
import * as z from 'zod'
import { type Passkey, passkeyOptionsSchema, passkeyRegisteredSchema } from '#protocol/auth/passkeys'
import {
  challengeAnswerSchema,
  type NewSession,
  newSessionSchema,
  onboardingSchema,
  opaqueConfirmedSchema,
  opaqueLoginSchema,
  opaqueReceivedSchema,
  opaqueRegistrationSchema,
  type Provider,
  passwordSessionSchema,
} from '#protocol/auth/sign-in'
import { bytesOf, encodeBase64url } from '#protocol/base/base64url'
import { checkCall, optionsFor } from '../arguments/check.ts'
import { chosenSecretOf } from '../text/chosen-secret.ts'
import { secretOf } from '../text/secret.ts'
import { originOf } from '../transport/origin.ts'
import { TRANSPORT_OPTIONS, Transport } from '../transport/transport.ts'
import { beginLogin, beginRegistration } from './opaque.ts'
import { type Challenge, offerPasskeys } from './passkey-autofill.ts'
import { splitPrf, withPrfInput } from './passkey-prf.ts'
import type { PasskeyLogin } from './passkey-secret.ts'
import { SignInSession } from './session.ts'
import {
  ATTEMPT,
  type AttemptOptions,
  type LoggedIn,
  type OnboardingStart,
  OPTIONS,
  type PasskeyUse,
  type Registered,
  type SignedIn,
  type SignInOptions,
} from './sign-in-shapes.ts'

export { ServiceError } from '../transport/service-error.ts'
export { type LocallyWrapped, unwrapLocal, wrapLocal } from './local-wrap.ts'
export { keepSecret, type PasskeyLogin, readSecret } from './passkey-secret.ts'
export { SignInSession } from './session.ts'
export type {
  AttemptOptions,
  LoggedIn,
  OnboardingStart,
  PasskeyUse,
  Registered,
  SignedIn,
  SignInOptions,
} from './sign-in-shapes.ts'

export class SignIn {
  readonly #transport: Transport
  readonly #base: string
  /** The last grant that has set a password: it is spent. */
  #spent: string | null = null

  constructor(options: SignInOptions) {
    checkCall('new SignIn', [options], [['options', OPTIONS]])
    // Sign-in signs and verifies no statement, so any realm will do.
    const auth = originOf('auth', options.auth)
    this.#transport = new Transport(optionsFor(TRANSPORT_OPTIONS, { ...options, realm: auth }))
    this.#base = `${options.auth}/api/auth`
  }

  /** Submits a token of the bot challenge; returns the verdict and, if the deployment allows it, a grant for one account. */
  async challenge(token: string, action: 'register' | 'login'): Promise<z.output<typeof challengeAnswerSchema>> {
    checkCall('signIn.challenge', [token, action], ['token', 'action'])
    return this.#post('turnstile/verify', { token, action }, challengeAnswerSchema)
  }

  /**
   * Registers a password as an OPAQUE record and signs in with it. `taken` if the user name belongs to another account,
   * which costs the grant; an address is confirmed by mail instead. With the grant of a session or of `verifyTicket` with
   * `hasAccount`, it sets the password of that account and ends the sessions before. If it throws, call it again with the
   * same grant: a password that was set is not set again, only the login is.
   */
  async register(
    grant: string,
    identifier: string,
    password: string,
    attempt: AttemptOptions = {},
  ): Promise<Registered> {
    checkCall(
      'signIn.register',
      [grant, identifier, password, attempt],
      ['grant', 'identifier', 'password', ['attempt?', ATTEMPT]],
    )
    const isSet = this.#spent === grant
    const confirmBy = isSet ? null : await this.setPassword(grant, identifier, password, attempt)
    // A token of the challenge is used once.
    const challengeToken = isSet ? attempt.challengeToken : undefined
    const logIn = () => this.logIn(identifier, password, { ...attempt, challengeToken })
    if (confirmBy === 'mail') {
      let isConfirmed = false
      const confirm = async (code: string) => {
        if (!isConfirmed) await this.confirmRegistration(grant, code)
        isConfirmed = true
        const entered = await logIn()
        if (!entered) throw new Error('The password was changed by another device: sign in with the new one')
        return entered
      }
      return { outcome: 'confirm-by-mail', confirm }
    }
    const entered = await logIn()
    return entered ? { outcome: 'signed-in', ...entered } : { outcome: 'taken' }
  }

  /**
   * The first half of `register`, for a program that goes on later: log in next, to find out whether the name was free.
   * Spends the grant; with `mail`, nothing changes before `confirmRegistration`.
   */
  async setPassword(
    grant: string,
    identifier: string,
    password: string,
    attempt: AttemptOptions = {},
  ): Promise<'mail' | null> {
    checkCall(
      'signIn.setPassword',
      [grant, identifier, password, attempt],
      ['grant', 'identifier', 'password', ['attempt?', ATTEMPT]],
    )
    const { deviceLabel: _, ...shown } = attempt
    const begun = await beginRegistration(chosenSecretOf(password, 'password'))
    const { registrationResponse } = await this.#post(
      'opaque/register/init',
      { grant, identifier, registrationRequest: begun.registrationRequest, ...shown },
      opaqueRegistrationSchema,
    )
    const body = { grant, identifier, registrationRecord: begun.finish(registrationResponse) }
    const { confirmBy = null } = await this.#post('opaque/register/finish', body, opaqueReceivedSchema)
    if (confirmBy === null) this.#spent = grant
    return confirmBy
  }

  /** Completes the registration of a grant with the code from the mail, for a page that was loaded again. Log in next. */
  async confirmRegistration(grant: string, code: string): Promise<void> {
    checkCall('signIn.confirmRegistration', [grant, code], ['grant', 'code'])
    await this.#post('opaque/register/confirm', { grant, code }, opaqueConfirmedSchema)
  }

  /** Null if the password is wrong or the identifier is unknown, which cannot be told apart. */
  async logIn(identifier: string, password: string, attempt: AttemptOptions = {}): Promise<LoggedIn | null> {
    checkCall('signIn.logIn', [identifier, password, attempt], ['identifier', 'password', ['attempt?', ATTEMPT]])
    const { deviceLabel, ...shown } = attempt
    const begun = await beginLogin(secretOf(password))
    const { ceremonyId, loginResponse } = await this.#post(
      'opaque/login/init',
      { identifier, startLoginRequest: begun.startLoginRequest, ...shown },
      opaqueLoginSchema,
    )
    const finished = begun.finish(loginResponse)
    if (!finished) return null
    const body = { ceremonyId, finishLoginRequest: finished.finishLoginRequest, deviceLabel }
    const session = await this.#post('opaque/login/finish', body, passwordSessionSchema)
    const exportKey = bytesOf(finished.exportKey)
    return { session: this.#session(session), exportKey, knownDevice: session.knownDevice }
  }

  /**
   * Creates a passkey on this device. With the grant of a session it is added to that account, and `session` is null. With
   * that of `verifyTicket` with `hasAccount` it is added too, all sessions of the account end, and `session` is a new one.
   */
  async registerPasskey(
    grant: string,
    names: { readonly name: string; readonly label?: string },
  ): Promise<{ readonly passkey: Passkey; readonly session: SignInSession | null }> {
    checkCall('signIn.registerPasskey', [grant, names], ['grant', ['names', { name: 1, label: 0 }]])
    const { ceremonyId, options } = await this.#post(
      'passkey/register',
      { step: 'options', grant, ...names },
      passkeyOptionsSchema,
    )
    const optionsJSON = options as unknown as Parameters<typeof startRegistration>[0]['optionsJSON']
    const { sent } = splitPrf(await startRegistration({ optionsJSON }))
    const body = { step: 'verify', ceremonyId, response: sent }
    const { passkey, session } = await this.#post('passkey/register', body, registeredSchema)
    return { passkey, session: session && this.#session(session) }
  }

  /**
   * Signs in with whichever passkey the person picks. `autofill` offers them in an input with
   * `autocomplete="username webauthn"` instead of a prompt, if `canAutofill` says that the browser supports it: call it
   * when the page opens. It waits until one is picked, and rejects with an `AbortError` if `signal` is aborted or another
   * prompt replaces it.
   */
  async usePasskey(use: PasskeyUse = {}): Promise<SignedIn & PasskeyLogin> {
    checkCall('signIn.usePasskey', [use], [['use?', { autofill: 0, signal: 0 }]])
    const { autofill = false, signal } = use
    const begin = () => this.#beginPasskey()
    const { ceremonyId, response } = autofill ? await offerPasskeys(begin, signal) : await prompted(await begin())
    const { sent, key } = splitPrf(response)
    const body = { step: 'verify', ceremonyId, response: sent }
    const { session } = await this.#post('passkey/authenticate', body, authenticatedSchema)
    return { session: this.#session(session), exportKey: key, passkeyId: sent.id }
  }

  /** Whether this browser offers passkeys in autofill. */
  static canAutofill(): Promise<boolean> {
    return browserSupportsWebAuthnAutofill()
  }

  /** Where to send the browser, and what to keep until it is back at `returnTo`. */
  async startOnboarding(provider: Provider, returnTo: string): Promise<OnboardingStart> {
    checkCall('signIn.startOnboarding', [provider, returnTo], ['provider', 'returnTo'])
    const verifier = crypto.getRandomValues(new Uint8Array(32))
    const challenge = encodeBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', verifier)))
    const query = new URLSearchParams({ returnTo, challenge })
    return { url: `${this.#base}/${provider}/start?${query.toString()}`, verifier: encodeBase64url(verifier) }
  }

  /**
   * Spends the ticket from the fragment of the return URL. The grant is for a new account or, with `hasAccount`, for the
   * account that the person has: to set another password or add a passkey.
   */
  async verifyTicket(ticket: string, verifier: string): Promise<z.output<typeof onboardingSchema>> {
    checkCall('signIn.verifyTicket', [ticket, verifier], ['ticket', 'verifier'])
    return this.#post('onboard/ticket/verify', { ticket, verifier }, onboardingSchema)
  }

  /** A session from a stored token, for as long as it is valid. */
  resume(token: string): SignInSession {
    checkCall('signIn.resume', [token], ['token'])
    return new SignInSession(this.#transport, this.#base, token)
  }

  async #beginPasskey(): Promise<Challenge> {
    const { ceremonyId, options } = await this.#post('passkey/authenticate', { step: 'options' }, passkeyOptionsSchema)
    return { ceremonyId, optionsJSON: (await withPrfInput(options)) as unknown as Challenge['optionsJSON'] }
  }

  #session({ token }: NewSession): SignInSession {
    return this.resume(token)
  }

  #post<S extends z.ZodType>(path: string, body: object, schema: S): Promise<z.output<S>> {
    return this.#transport.data({ method: 'POST', url: `${this.#base}/${path}`, body }, schema)
  }
}

async function prompted({ ceremonyId, optionsJSON }: Challenge) {
  return { ceremonyId, response: await startAuthentication({ optionsJSON }) }
}

const [, registeredSchema] = passkeyRegisteredSchema.options
const authenticatedSchema = /* @__PURE__ */ z.strictObject({ session: newSessionSchema })
