import { bytesToHex } from '@noble/hashes/utils.js'
import { normalizeIdentifier } from '@svc/protocol/auth/sign-in'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { AccountStore } from '../accounts/store.ts'
import type { CeremonyService } from '../ceremony/service.ts'
import type { Keyring } from '../keyring.ts'
import { type Guesser, guesserOf, mintKnownDevice } from './known-device.ts'
import { answerLogin, isFinish, type OpaqueRefusal, parseRecord, registrationResponse, splitRecord } from './rules.ts'
import type { OpaqueStore } from './store.ts'

/** RFC 9807 section 10.1: empty, because the published browser client cannot set one. */
const CONTEXT = new Uint8Array()

export type RegistrationRefusal = { readonly reason: 'code_unusable' | 'account_exists' } | OpaqueRefusal

export interface LoginStart {
  readonly ceremonyId: string
  readonly loginResponse: string
  readonly expiresAt: number
}

/** Registration and login with OPAQUE: passwords never reach the server. */
export class OpaqueService {
  readonly #store: OpaqueStore
  readonly #accounts: AccountStore
  readonly #ceremonies: CeremonyService
  readonly #keyring: Keyring

  constructor(store: OpaqueStore, accounts: AccountStore, ceremonies: CeremonyService, keyring: Keyring) {
    this.#store = store
    this.#accounts = accounts
    this.#ceremonies = ceremonies
    this.#keyring = keyring
  }

  /** Does not depend on whether the identifier is taken, and does not look it up. */
  async beginRegistration(
    grant: string,
    identifier: string,
    request: string,
  ): Promise<Result<string, RegistrationRefusal>> {
    if (!(await this.#ceremonies.look('grant', grant))) return err({ reason: 'code_unusable' })
    const answered = registrationResponse(this.#keyring.opaque, this.#hash(identifier), bytesOf(request))
    return answered.ok ? ok(encodeBase64url(answered.value)) : answered
  }

  /** The same answer for a free and a taken identifier; only the first changes anything. */
  async finishRegistration(
    grant: string,
    identifier: string,
    upload: string,
    now: number,
  ): Promise<Result<void, RegistrationRefusal>> {
    const bytes = bytesOf(upload)
    const record = parseRecord(bytes)
    if (!record.ok) return record
    const allowed = await this.#ceremonies.take('grant', grant)
    if (!allowed) return err({ reason: 'code_unusable' })
    const { accountId, sessionHash, subjectHash } = allowed
    const identifierHash = bytesToHex(this.#hash(identifier))
    if (sessionHash !== null) {
      const isReplaced = await this.#store.replace({ accountId, sessionHash }, identifierHash, bytes, now)
      return isReplaced ? ok(undefined) : err({ reason: 'code_unusable' })
    }
    if (subjectHash !== null && (await this.#accounts.hasSubject(subjectHash))) return err({ reason: 'account_exists' })
    await this.#store.create({ accountId, subjectHash }, identifierHash, bytes, now)
    return ok(undefined)
  }

  /** With and without a record: the same reads, the same multiplications, an answer of the same form. */
  async beginLogin(identifier: string, request: string, now: number): Promise<Result<LoginStart, OpaqueRefusal>> {
    const identifierBytes = this.#hash(identifier)
    const stored = await this.#store.find(bytesToHex(identifierBytes))
    const fake = this.#keyring.fakeRecord(identifierBytes)
    const answered = answerLogin(
      this.#keyring.opaque,
      identifierBytes,
      stored ? splitRecord(stored.record) : fake,
      bytesOf(request),
      { maskingNonce: random(), serverNonce: random(), keyshareSeed: random() },
      { context: CONTEXT },
    )
    if (!answered.ok) return answered
    const { ke2, expectedClientMac } = answered.value
    const name = bytesToHex(identifierBytes)
    const state = { accountId: stored?.accountId ?? null, name, clientMacB64u: encodeBase64url(expectedClientMac) }
    const { ceremonyId, expiresAt } = await this.#ceremonies.begin('login', state, now)
    return ok({ ceremonyId, loginResponse: encodeBase64url(ke2), expiresAt })
  }

  /** Returns the account to one caller with the right last message. Any other message also ends the login. */
  async finishLogin(
    ceremonyId: string,
    message: string,
  ): Promise<{ readonly accountId: string; readonly knownDevice: string } | null> {
    const state = await this.#ceremonies.take('login', ceremonyId)
    if (!state || !isFinish(bytesOf(message), bytesOf(state.clientMacB64u))) return null
    const { accountId, name } = state
    return accountId === null ? null : { accountId, knownDevice: mintKnownDevice(this.#keyring.knownDeviceKey, name) }
  }

  /** Names the attempt for counting, and for nothing else. */
  guesserOf(identifier: string, knownDevice: string | undefined): Guesser {
    return guesserOf(this.#keyring.knownDeviceKey, bytesToHex(this.#hash(identifier)), knownDevice)
  }

  #hash(identifier: string): Uint8Array {
    // The schema of the route has validated it, so normalization succeeds.
    return this.#keyring.identifierHash(normalizeIdentifier(identifier) ?? '')
  }
}

function random(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32))
}
