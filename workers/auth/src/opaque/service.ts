import { bytesToHex } from '@noble/hashes/utils.js'
import { isEmailIdentifier, normalizeIdentifier } from '@svc/protocol/auth/sign-in'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { AccountStore } from '../accounts/store.ts'
import type { Beneficiary } from '../ceremony/rules.ts'
import type { CeremonyService } from '../ceremony/service.ts'
import type { Keyring } from '../keyring.ts'
import type { AskRefusal, CodeRefusal, ConfirmationService } from './confirmation.ts'
import { type Guesser, isKnownDevice, mintKnownDevice } from './known-device.ts'
import type { KnownDeviceStore } from './known-device-store.ts'
import { isFinish, type OpaqueRefusal, type OpaqueServer, splitRecord } from './rules.ts'
import type { OpaqueStore } from './store.ts'

/** RFC 9807 section 10.1: empty, because the published browser client cannot set one. */
const CONTEXT = new Uint8Array()

export type RegistrationRefusal = { readonly reason: 'code_unusable' | 'account_exists' } | AskRefusal | OpaqueRefusal
export type ConfirmationRefusal = { readonly reason: 'account_exists' } | CodeRefusal

/** What a caller wants to register, and from where it asks. */
export interface RegistrationFinish {
  readonly grant: string
  readonly identifier: string
  readonly upload: string
  readonly callerAddress: string
}

export interface LoginStart {
  readonly ceremonyId: string
  readonly loginResponse: string
  readonly expiresAt: number
}

export interface OpaqueStores {
  readonly store: OpaqueStore
  readonly accounts: AccountStore
  readonly devices: KnownDeviceStore
  readonly confirmations: ConfirmationService
}

/** Registration and login with OPAQUE: passwords never reach the server. */
export class OpaqueService {
  readonly #server: OpaqueServer
  readonly #store: OpaqueStore
  readonly #accounts: AccountStore
  readonly #ceremonies: CeremonyService
  readonly #keyring: Keyring
  readonly #devices: KnownDeviceStore
  readonly #confirmations: ConfirmationService

  constructor(
    server: OpaqueServer,
    { store, accounts, devices, confirmations }: OpaqueStores,
    ceremonies: CeremonyService,
    keyring: Keyring,
  ) {
    this.#server = server
    this.#store = store
    this.#devices = devices
    this.#confirmations = confirmations
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
    const answered = this.#server.registrationResponse(this.#keyring.opaque, this.#hash(identifier), bytesOf(request))
    return answered.ok ? ok(encodeBase64url(answered.value)) : answered
  }

  /**
   * The same answer for a free and a taken identifier; only the first changes anything. An address is confirmed by mail
   * first, unless it is that of the account already, or the deployment sends no mail.
   */
  async finishRegistration(
    { grant, identifier, upload, callerAddress }: RegistrationFinish,
    now: number,
  ): Promise<Result<'done' | 'mailed', RegistrationRefusal>> {
    const record = bytesOf(upload)
    const parsed = this.#server.parseRecord(record)
    if (!parsed.ok) return parsed
    const identifierHash = bytesToHex(this.#hash(identifier))
    if (!this.#confirmations.isOn || !isEmailIdentifier(identifier)) {
      return this.#spend(grant, identifierHash, record, now)
    }
    const beneficiary = await this.#ceremonies.look('grant', grant)
    if (!beneficiary) return err({ reason: 'code_unusable' })
    const owner = (await this.#store.find(identifierHash))?.accountId ?? null
    if (owner === beneficiary.accountId) return this.#spend(grant, identifierHash, record, now)
    const { accountId, standing, subjectHash } = beneficiary
    if (subjectHash !== null && (await this.#accounts.hasSubject(subjectHash))) return err({ reason: 'account_exists' })
    const asked = await this.#confirmations.ask(
      grant,
      {
        beneficiary: { accountId, standing, subjectHash },
        identifierHash,
        address: normalizeIdentifier(identifier) ?? '',
        isTaken: owner !== null,
        record,
        callerAddress,
      },
      now,
    )
    return asked.ok ? ok('mailed') : asked
  }

  /** Completes the registration under an address. Its owner has proved to be one, and is told if it is taken. */
  async confirmRegistration(grant: string, code: string, now: number): Promise<Result<void, ConfirmationRefusal>> {
    const confirmed = await this.#confirmations.confirm(grant, code)
    if (!confirmed.ok) return confirmed
    const { identifierHash, recordB64u, ...beneficiary } = confirmed.value
    const outcome = await this.#register(beneficiary, identifierHash, bytesOf(recordB64u), now)
    switch (outcome) {
      case 'done':
        return ok(undefined)
      case 'ended':
        return err({ reason: 'code_unusable' })
      case 'taken':
      case 'account_exists':
        return err({ reason: 'account_exists' })
    }
  }

  async #spend(
    grant: string,
    identifierHash: string,
    record: Uint8Array,
    now: number,
  ): Promise<Result<'done', RegistrationRefusal>> {
    const allowed = await this.#ceremonies.take('grant', grant)
    if (!allowed) return err({ reason: 'code_unusable' })
    const outcome = await this.#register(allowed, identifierHash, record, now)
    switch (outcome) {
      case 'done':
      case 'taken':
        return ok('done')
      case 'ended':
        return err({ reason: 'code_unusable' })
      case 'account_exists':
        return err({ reason: 'account_exists' })
    }
  }

  async #register(
    { accountId, standing, subjectHash }: Beneficiary,
    identifierHash: string,
    record: Uint8Array,
    now: number,
  ): Promise<'done' | 'taken' | 'ended' | 'account_exists'> {
    if (standing !== null) {
      const outcome = await this.#store.replace({ accountId, standing }, identifierHash, record, now)
      return outcome === 'replaced' ? 'done' : outcome
    }
    if (subjectHash !== null && (await this.#accounts.hasSubject(subjectHash))) return 'account_exists'
    const isCreated = await this.#store.create({ accountId, subjectHash }, identifierHash, record, now)
    return isCreated ? 'done' : 'taken'
  }

  /** With and without a record: the same reads, the same multiplications, an answer of the same form. */
  async beginLogin(
    identifier: string,
    request: string,
    guesser: Guesser,
    now: number,
  ): Promise<Result<LoginStart, OpaqueRefusal>> {
    const identifierBytes = this.#hash(identifier)
    const stored = await this.#store.find(bytesToHex(identifierBytes))
    const fake = this.#keyring.fakeRecord(identifierBytes)
    const answered = this.#server.answerLogin(
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
    const state = {
      accountId: stored?.accountId ?? null,
      name,
      clientMacB64u: encodeBase64url(expectedClientMac),
      shown: guesser.kind === 'known' ? guesser.name : null,
    }
    const { ceremonyId, expiresAt } = await this.#ceremonies.begin('login', state, now)
    return ok({ ceremonyId, loginResponse: encodeBase64url(ke2), expiresAt })
  }

  /**
   * Returns the account to one caller with the right last message. Any other message also ends the login. A device that is
   * known stays known by what it shows, so the list has one entry for it.
   */
  async finishLogin(
    ceremonyId: string,
    message: string,
    label: string | null,
    now: number,
  ): Promise<{ readonly accountId: string; readonly knownDevice: string } | null> {
    const state = await this.#ceremonies.take('login', ceremonyId)
    if (!state || !isFinish(bytesOf(message), bytesOf(state.clientMacB64u))) return null
    const { accountId, name, shown } = state
    if (accountId === null) return null
    if (shown !== null && (await this.#devices.renew(shown, accountId, label, now))) {
      return { accountId, knownDevice: shown }
    }
    const knownDevice = mintKnownDevice(this.#keyring.knownDeviceKey, name)
    await this.#devices.add(knownDevice, accountId, label, now)
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
