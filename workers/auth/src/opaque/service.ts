import { bytesToHex } from '@noble/hashes/utils.js'
import { normalizeIdentifier } from '@svc/protocol/auth/sign-in'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { AccountStore } from '../accounts/store.ts'
import type { CeremonyService } from '../ceremony/service.ts'
import type { Keyring } from '../keyring.ts'
import { type Guesser, isKnownDevice, mintKnownDevice } from './known-device.ts'
import type { KnownDeviceStore } from './known-device-store.ts'
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

export interface OpaqueStores {
  readonly store: OpaqueStore
  readonly accounts: AccountStore
  readonly devices: KnownDeviceStore
}

/** Registration and login with OPAQUE: passwords never reach the server. */
export class OpaqueService {
  readonly #store: OpaqueStore
  readonly #accounts: AccountStore
  readonly #ceremonies: CeremonyService
  readonly #keyring: Keyring
  readonly #devices: KnownDeviceStore

  constructor({ store, accounts, devices }: OpaqueStores, ceremonies: CeremonyService, keyring: Keyring) {
    this.#store = store
    this.#devices = devices
    this.#accounts = accounts
    this.#ceremonies = ceremonies
    this.#keyring = keyring
  }

  /** Whether the grant allows a registration. It is not spent. */
  async allows(grant: string): Promise<boolean> {
    return (await this.#ceremonies.look('grant', grant)) !== null
  }

  /** Does not depend on whether the identifier is taken, and does not look it up. */
  beginRegistration(identifier: string, request: string): Result<string, OpaqueRefusal> {
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
    now: number,
  ): Promise<{ readonly accountId: string; readonly knownDevice: string } | null> {
    const state = await this.#ceremonies.take('login', ceremonyId)
    if (!state || !isFinish(bytesOf(message), bytesOf(state.clientMacB64u))) return null
    const { accountId, name } = state
    if (accountId === null) return null
    const knownDevice = mintKnownDevice(this.#keyring.knownDeviceKey, name)
    await this.#devices.add(knownDevice, accountId, now)
    return { accountId, knownDevice }
  }

  /**
   * Names the attempt for counting, and for nothing else. Without proof, or with proof that is made up, expired or for
   * another identifier, it counts with everyone else's.
   */
  async guesserOf(identifier: string, shown: string | undefined, now: number): Promise<Guesser> {
    const name = bytesToHex(this.#hash(identifier))
    const isMinted = shown !== undefined && isKnownDevice(this.#keyring.knownDeviceKey, name, shown)
    if (!isMinted || !(await this.#devices.isKnown(shown, now))) return { kind: 'unknown', name }
    return { kind: 'known', name: shown }
  }

  #hash(identifier: string): Uint8Array {
    // The schema of the route has validated it, so normalization succeeds.
    return this.#keyring.identifierHash(normalizeIdentifier(identifier) ?? '')
  }
}

function random(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32))
}
