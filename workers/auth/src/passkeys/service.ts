import { generateAuthenticationOptions, generateRegistrationOptions } from '@simplewebauthn/server'
import type { LocallyWrapped } from '@svc/protocol/auth/local-wrap'
import {
  PASSKEY_ALGORITHMS,
  type Passkey,
  type PasskeyAuthenticationResponse,
  type PasskeyRegistrationResponse,
} from '@svc/protocol/auth/passkeys'
import { LOGIN_LIFETIME_MS, MAX_PASSKEYS, type NewSession } from '@svc/protocol/auth/sign-in'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { AccountStore } from '../accounts/store.ts'
import type { Beneficiary, CeremonyStates } from '../ceremony/rules.ts'
import type { Begun, CeremonyService } from '../ceremony/service.ts'
import type { SessionService } from '../sessions/service.ts'
import type { SessionStore } from '../sessions/store.ts'
import { counterAdvances, DEFAULT_LABEL, mayBeCopied, type PasskeyFault } from './rules.ts'
import type { KeptSecret, PasskeyStore } from './store.ts'
import { type RelyingParty, verifyRegistration, verifySignature } from './verification.ts'

export type PasskeyOptions = Begun & { readonly options: Record<string, unknown> }

export type RegistrationRefusal =
  | { readonly reason: 'passkey_rejected'; readonly code: PasskeyFault }
  | { readonly reason: 'code_unusable' | 'passkey_exists' | 'passkey_limit' | 'account_exists' }
/** One answer to the caller; the reason is for the log. */
export type AuthenticationRefusal = { readonly reason: 'ceremony' | 'unknown' | 'handle' | 'counter' | PasskeyFault }

export interface Registered {
  readonly passkey: Passkey
  readonly accountId: string
  /** A new account, or one that was recovered. */
  readonly needsSession: boolean
}

const CHALLENGE_BYTES = 32

/** Passkeys: discoverable, with user verification, up to a limit per account. */
export class PasskeyService {
  readonly #store: PasskeyStore
  readonly #accounts: AccountStore
  readonly #ceremonies: CeremonyService
  readonly #sessions: SessionStore
  readonly #openings: Pick<SessionService, 'openingAfter'>
  readonly #party: RelyingParty

  constructor(
    store: PasskeyStore,
    accounts: AccountStore,
    ceremonies: CeremonyService,
    sessions: { readonly store: SessionStore; readonly service: Pick<SessionService, 'openingAfter'> },
    party: RelyingParty,
  ) {
    this.#store = store
    this.#accounts = accounts
    this.#sessions = sessions.store
    this.#openings = sessions.service
    this.#ceremonies = ceremonies
    this.#party = party
  }

  /** The grant is the ceremony. After dismissing the prompt, options can be requested again; the last challenge counts. */
  async registrationOptions(
    grant: string,
    name: string,
    label: string | undefined,
    now: number,
  ): Promise<Result<PasskeyOptions, RegistrationRefusal>> {
    const state = await this.#ceremonies.look('grant', grant)
    if (!state || !(await this.#isLive(state, now))) return err({ reason: 'code_unusable' })
    const existing = state.standing === null ? [] : await this.#store.list(state.accountId)
    if (existing.length >= MAX_PASSKEYS) return err({ reason: 'passkey_limit' })
    const challenge = freshChallenge()
    const options = await generateRegistrationOptions({
      rpID: this.#party.id,
      rpName: this.#party.name,
      userID: buffered(bytesOf(state.accountId)),
      userName: name,
      userDisplayName: name,
      challenge: buffered(bytesOf(challenge)),
      attestationType: 'none',
      timeout: LOGIN_LIFETIME_MS,
      excludeCredentials: existing.map(({ passkeyId }) => ({ id: passkeyId })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: [...PASSKEY_ALGORITHMS],
      extensions: { credProps: true, prf: {} },
    })
    const passkey = { challenge, label: label ?? DEFAULT_LABEL }
    const amended = await this.#ceremonies.amend('grant', grant, { ...state, passkey })
    if (!amended) return err({ reason: 'code_unusable' })
    return ok({ ceremonyId: grant, expiresAt: now + LOGIN_LIFETIME_MS, options: { ...options } })
  }

  async register(
    grant: string,
    response: PasskeyRegistrationResponse,
    now: number,
  ): Promise<Result<Registered, RegistrationRefusal>> {
    const state = await this.#ceremonies.take('grant', grant)
    if (!state?.passkey) return err({ reason: 'code_unusable' })
    const verified = await verifyRegistration(response, state.passkey.challenge, this.#party)
    if (!verified.ok) return err({ reason: 'passkey_rejected', code: verified.error })
    const passkey = { ...verified.value, label: state.passkey.label }
    const { accountId, standing } = state
    if (!(await this.#store.add(state, passkey, now))) {
      return err({ reason: await this.#whyNotAdded(passkey.credentialId, state, now) })
    }
    const { credentialId: passkeyId, label, isBackedUp } = passkey
    const added = { passkeyId, label, createdAt: now, lastUsedAt: null, isBackedUp, counterWentBackAt: null }
    return ok({ passkey: added, accountId, needsSession: standing?.by !== 'session' })
  }

  /** For any passkey: names none, so it reveals nothing. */
  async authenticationOptions(now: number): Promise<PasskeyOptions> {
    const challenge = freshChallenge()
    const options = await generateAuthenticationOptions({
      rpID: this.#party.id,
      challenge: buffered(bytesOf(challenge)),
      timeout: LOGIN_LIFETIME_MS,
      userVerification: 'required',
      extensions: { prf: {} },
    })
    const begun = await this.#ceremonies.begin('passkey-login', { challenge }, now)
    return { ...begun, options: { ...options } }
  }

  /** Opens a session for one caller with a valid signature. Any other answer also ends the ceremony. */
  async authenticate(
    ceremonyId: string,
    response: PasskeyAuthenticationResponse,
    now: number,
  ): Promise<Result<NewSession, AuthenticationRefusal>> {
    const state = await this.#ceremonies.take('passkey-login', ceremonyId)
    if (!state) return err({ reason: 'ceremony' })
    const stored = await this.#store.find(response.id)
    if (!stored) return err({ reason: 'unknown' })
    const verified = await verifySignature(response, state.challenge, stored.publicKey, this.#party)
    if (!verified.ok) return err({ reason: verified.error })
    const { credentialId, accountId } = stored
    if (response.response.userHandle !== accountId) return err({ reason: 'handle' })
    if (counterAdvances(stored.counter, verified.value.counter)) {
      const { session, statements } = this.#openings.openingAfter(accountId, 'passkey', now)
      const isBackupEligible = mayBeCopied(stored.isBackupEligible, verified.value.isBackupEligible)
      const used = { credentialId, ...verified.value, isBackupEligible }
      if (await this.#store.use(used, statements, now)) return ok(session)
    }
    await this.#store.reportCounter(stored.credentialId, now)
    return err({ reason: 'counter' })
  }

  list(accountId: string): Promise<Passkey[]> {
    return this.#store.list(accountId)
  }

  rename(accountId: string, passkeyId: string, label: string): Promise<Passkey | null> {
    return this.#store.rename(accountId, passkeyId, label)
  }

  async remove(
    accountId: string,
    passkeyId: string,
    sessionHash: string,
  ): Promise<Result<void, { reason: 'not_found' | 'last_credential' }>> {
    if (await this.#store.remove(accountId, passkeyId, sessionHash)) return ok(undefined)
    const stored = await this.#store.find(passkeyId)
    return err({ reason: stored?.accountId === accountId ? 'last_credential' : 'not_found' })
  }

  /** Null if the account has no such passkey, or the passkey keeps no secret. */
  secretOf(accountId: string, passkeyId: string): Promise<KeptSecret | null> {
    return this.#store.secretOf(accountId, passkeyId)
  }

  /** Null removes it. False if the account has no such passkey. */
  keepSecret(accountId: string, passkeyId: string, wrapped: LocallyWrapped | null, now: number): Promise<boolean> {
    return this.#store.keepSecret(accountId, passkeyId, wrapped, now)
  }

  /** The grant of a session ends with it, and that of a recovery with the next one. */
  async #isLive({ standing, accountId }: Beneficiary, now: number): Promise<boolean> {
    if (standing === null) return true
    if (standing.by === 'session') return this.#sessions.isLive(standing.sessionHash, accountId, now)
    return this.#accounts.awaitsRecovery(accountId, standing.recoveries)
  }

  async #whyNotAdded(
    credentialId: string,
    state: CeremonyStates['grant'],
    now: number,
  ): Promise<Exclude<RegistrationRefusal['reason'], 'passkey_rejected'>> {
    const { subject } = state
    if (!(await this.#isLive(state, now))) return 'code_unusable'
    if (await this.#store.find(credentialId)) return 'passkey_exists'
    if (subject !== null && (await this.#accounts.hasSubject(subject))) return 'account_exists'
    return 'passkey_limit'
  }
}

function freshChallenge(): string {
  return encodeBase64url(crypto.getRandomValues(new Uint8Array(CHALLENGE_BYTES)))
}

/** The library requires bytes that own their buffer. */
function buffered(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}
