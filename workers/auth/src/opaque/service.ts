import { hexToBytes } from '@noble/hashes/utils.js'
import { isEmailIdentifier, normalizeIdentifier } from '@svc/protocol/auth/sign-in'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { AccountStore } from '../accounts/store.ts'
import type { Beneficiary } from '../ceremony/rules.ts'
import type { CeremonyService } from '../ceremony/service.ts'
import type { Keyring, Names } from '../keyring.ts'
import type { SeedKeys } from '../seed-keys.ts'
import type { AskRefusal, CodeRefusal, ConfirmationService } from './confirmation.ts'
import { type Guesser, isKnownDevice, mintKnownDevice } from './known-device.ts'
import type { KnownDeviceStore } from './known-device-store.ts'
import { isFinish, type OpaqueRefusal, type OpaqueServer, splitRecord } from './rules.ts'
import type { NewRecord, OpaqueStore } from './store.ts'

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

  /** The keys that answer a registration with the grant; null if it allows none. It is not spent. */
  async keysOf(grant: string): Promise<SeedKeys | null> {
    const state = await this.#ceremonies.look('grant', grant)
    return state && this.#keyring.of(state.seed)
  }

  /** Does not depend on whether the identifier is taken, and does not look it up. */
  beginRegistration(keys: SeedKeys, identifier: string, request: string): Result<string, OpaqueRefusal> {
    const identifierHash = keys.identifierHash(normalized(identifier))
    const answered = this.#server.registrationResponse(keys.opaque, identifierHash, bytesOf(request))
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
    const names = this.#names(identifier)
    if (!this.#confirmations.isOn || !isEmailIdentifier(identifier)) return this.#spend(grant, names, record, now)
    const granted = await this.#ceremonies.look('grant', grant)
    if (!granted) return err({ reason: 'code_unusable' })
    const { accountId, standing, subject, seed } = granted
    const owner = (await this.#store.find(names)).stored?.accountId ?? null
    if (owner === accountId) return this.#spend(grant, names, record, now)
    if (subject !== null && (await this.#accounts.hasSubject(subject))) return err({ reason: 'account_exists' })
    const asked = await this.#confirmations.ask(
      grant,
      {
        beneficiary: { accountId, standing, subject },
        seed,
        identifier: names,
        address: normalized(identifier),
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
    const { identifier, recordB64u, ...granted } = confirmed.value
    const outcome = await this.#register(granted, identifier, bytesOf(recordB64u), now)
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
    identifier: Names,
    record: Uint8Array,
    now: number,
  ): Promise<Result<'done', RegistrationRefusal>> {
    const granted = await this.#ceremonies.take('grant', grant)
    if (!granted) return err({ reason: 'code_unusable' })
    const outcome = await this.#register(granted, identifier, record, now)
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

  /** Under the version of the seed that answered the first message, also if there is a newer one by now. */
  async #register(
    { accountId, standing, subject, seed }: Beneficiary & { readonly seed: number },
    identifier: Names,
    record: Uint8Array,
    now: number,
  ): Promise<'done' | 'taken' | 'ended' | 'account_exists'> {
    const name = identifier.find(({ version }) => version === seed)
    if (!name) return 'ended'
    const made: NewRecord = { identifier, name, record }
    if (standing !== null) {
      const outcome = await this.#store.replace({ accountId, standing }, made, now)
      return outcome === 'replaced' ? 'done' : outcome
    }
    if (subject !== null && (await this.#accounts.hasSubject(subject))) return 'account_exists'
    return (await this.#store.create({ accountId, subject }, made, now)) ? 'done' : 'taken'
  }

  /** With and without a record: the same reads, the same multiplications, an answer of the same form. */
  async beginLogin(
    identifier: string,
    request: string,
    guesser: Guesser,
    now: number,
  ): Promise<Result<LoginStart, OpaqueRefusal>> {
    const names = this.#names(identifier)
    const { name, stored } = await this.#store.find(names)
    const keys = this.#keyring.of(name.version) ?? this.#keyring.newest
    const identifierBytes = hexToBytes(name.hash)
    const fake = keys.fakeRecord(identifierBytes)
    const answered = this.#server.answerLogin(
      keys.opaque,
      identifierBytes,
      stored ? splitRecord(stored.record) : fake,
      bytesOf(request),
      { maskingNonce: random(), serverNonce: random(), keyshareSeed: random() },
      { context: CONTEXT },
    )
    if (!answered.ok) return answered
    const { ke2, expectedClientMac } = answered.value
    const [newest] = names
    const state = {
      accountId: stored?.accountId ?? null,
      name: newest.hash,
      seed: newest.version,
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
    const { accountId, name, seed, shown } = state
    if (accountId === null) return null
    if (shown !== null && (await this.#devices.renew(shown, accountId, label, now))) {
      return { accountId, knownDevice: shown }
    }
    const { knownDeviceKey } = this.#keyring.of(seed) ?? this.#keyring.newest
    const knownDevice = mintKnownDevice(knownDeviceKey, name)
    await this.#devices.add(knownDevice, accountId, label, now)
    return { accountId, knownDevice }
  }

  /**
   * Names the attempt for counting, and for nothing else. Without proof, or with proof that is made up, expired or for
   * another identifier, it counts with everyone else's.
   */
  async guesserOf(identifier: string, shown: string | undefined, now: number): Promise<Guesser> {
    const names = this.#names(identifier)
    const isMinted = (token: string) =>
      this.#keyring.all.some(({ knownDeviceKey }, index) =>
        isKnownDevice(knownDeviceKey, names[index]?.hash ?? '', token),
      )
    if (shown === undefined || !isMinted(shown) || !(await this.#devices.isKnown(shown, now)))
      return { kind: 'unknown', name: names[0].hash }
    return { kind: 'known', name: shown }
  }

  #names(identifier: string): Names {
    return this.#keyring.identifierNames(normalized(identifier))
  }
}

/** The schema of the route has validated it, so normalization succeeds. */
function normalized(identifier: string): string {
  return normalizeIdentifier(identifier) ?? ''
}

function random(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32))
}
