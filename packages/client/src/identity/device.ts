import { makeDeviceAssertion } from '#assertion'
import { randomSeed } from '#pqc'
import { bytesOf } from '#protocol/base/base64url'
import { CAPABILITIES, type Capability, deviceIdOf, type SignedDeviceAcceptance } from '#protocol/base/device'
import { didOf } from '#protocol/base/identity'
import { type InceptionHead, isOlderHead } from '#protocol/base/inception-head'
import type { KeyPurpose } from '#protocol/base/key-agreement'
import type { Realms } from '#protocol/base/realm'
import { signStatement } from '#protocol/base/statement'
import type { EpochKey } from '#protocol/chain/chain'
import type { SignedDeviceAgreement } from '#protocol/devices/agreement'
import { type AttestDevice, inceptionHeadAfter } from '#protocol/devices/inception'
import { verifyEventSignatures } from '#protocol/devices/verifier'
import type { SignedMessage } from '#protocol/statements/message'
import { checkCall, checkNames, type Members } from '../arguments/check.ts'
import type { Signer } from '../signers/signer.ts'
import { unverified } from '../verification/verification-error.ts'
import type { WatchToken } from '../watch/watch-token.ts'
import type { SignerOptions } from './identity.ts'
import type { NewMessage } from './message.ts'
import { type IdentitySeeds, keysOfSeeds, type OwnKeys } from './own-keys.ts'
import { MESSAGE, PURPOSE, placed, REQUEST, type RequestToSign, SEEDS, SIGNING, type Signing } from './signing.ts'
import { holdKey, signerOf } from './signing-key.ts'

export interface DeviceOptions {
  /** Where the device signs: a web origin like `https://app.example`, or `app:` and a name. */
  readonly origin: string
  /** What it asks for; the root key may grant less. */
  readonly capabilities: readonly Capability[]
}

const MEMBERS: Members<DeviceOptions> = { origin: 1, capabilities: 1 }

/** The device as described by an attestation of its identity. */
export interface Membership {
  readonly did: string
  readonly scope: string
  /** The userId of the root key that attested it. */
  readonly userId: string
  readonly rootEpoch: number
  readonly origin: string
  readonly capabilities: readonly Capability[]
  /** The event that attested it: the oldest that a device can know. */
  readonly inception: InceptionHead
}

/**
 * A device and its keys. It joins an identity with its acceptance and an attestation by the root key; after that it
 * makes version-2 assertions within its capabilities. A rotation of the root key ends the attestation.
 */
export class Device {
  /** 32 characters, derived from the public key. */
  readonly deviceId: string
  /** ML-DSA-65 public key, 1,952 bytes as base64url. */
  readonly devicePublicKeyB64u: string
  readonly #keys: OwnKeys
  readonly options: DeviceOptions
  /** What its attestation says; null before `attested`. */
  readonly membership: Membership | null

  private constructor(keys: OwnKeys, options: DeviceOptions, membership: Membership | null) {
    this.#keys = keys
    holdKey(this, (message, purpose) => keys.sign(message, purpose))
    this.options = options
    this.membership = membership
    this.devicePublicKeyB64u = keys.publicKeyB64u
    this.deviceId = deviceIdOf(keys.publicKeyB64u)
  }

  /** Generates new keys from the runtime's randomness. */
  static async create(options: DeviceOptions): Promise<Device> {
    checkCall('Device.create', [options], [['options', MEMBERS]])
    checkNames('Device.create', 'capabilities', options.capabilities, CAPABILITIES)
    return Device.fromSeeds({ signing: randomSeed(32), kem: randomSeed(32) }, options)
  }

  /**
   * Restores a device from its seeds (32 bytes each), which it copies. Without the `membership` that it had, it has no
   * identity until `attested`.
   */
  static async fromSeeds(
    seeds: IdentitySeeds,
    options: DeviceOptions,
    membership: Membership | null = null,
  ): Promise<Device> {
    checkCall('Device.fromSeeds', [seeds, options, membership], [['seeds', SEEDS], ['options', MEMBERS], 'membership?'])
    return new Device(await keysOfSeeds(seeds), options, membership)
  }

  /**
   * A device whose signing key is somewhere else: see `Signer`. Each signature is verified before it is used. To join an
   * identity it needs `keyAgreement` too. Throws a `ConfigurationError` for a public key that is none.
   */
  static async fromSigner(
    signer: Signer,
    options: SignerOptions & DeviceOptions & { readonly membership?: Membership | null },
  ): Promise<Device> {
    checkCall(
      'Device.fromSigner',
      [signer, options],
      ['signer', ['options', { ...MEMBERS, keyAgreement: 0, membership: 0 }]],
    )
    const { keyAgreement, membership = null, ...described } = options
    const { keysOfSigner } = await import('./later.ts')
    return new Device(keysOfSigner(signer, keyAgreement), described, membership)
  }

  /** ML-KEM-768 public key, 1,184 bytes as base64url. Throws a `ConfigurationError` for a signer without key agreement. */
  get kemPublicKeyB64u(): string {
    return this.#keys.kemPublicKeyB64u
  }

  /** X25519 public key, 32 bytes as base64url: what is encrypted needs both keys. Throws like `kemPublicKeyB64u`. */
  get x25519B64u(): string {
    return this.#keys.x25519B64u
  }

  /** The DID of the device's identity. Throws a TypeError before `attested`. */
  get did(): string {
    return this.#member.did
  }

  get scope(): string {
    return this.#member.scope
  }

  /** The userId of the root key that attested it. */
  get userId(): string {
    return this.#member.userId
  }

  /** The root epoch of its attestation. */
  get epoch(): number {
    return this.#member.rootEpoch
  }

  get #member(): Membership {
    if (!this.membership) throw new TypeError('The device has no identity yet: use the result of `attested`')
    return this.membership
  }

  /**
   * Signs a message of an application as a device of its identity, like `identity.signMessage`. Without `inception` it
   * names the event that attested the device.
   */
  async signMessage(message: NewMessage): Promise<SignedMessage> {
    checkCall('device.signMessage', [message], [['message', MESSAGE]])
    const { did, inception: attested } = this.#member
    const { messageBy } = await import('./later.ts')
    const known = message.inception ?? null
    const inception = isOlderHead(known, attested) ? attested : known
    return messageBy(this, { did, publicKeyB64u: this.devicePublicKeyB64u }, { ...message, inception })
  }

  /**
   * The key (32 bytes) of a ciphertext that was encapsulated to this device, for one purpose: `newKeyFor` makes both. The
   * ciphertext is one of X-Wing (1,120 bytes), or of ML-KEM-768 alone (1,088 bytes).
   */
  async unwrap(ciphertext: Uint8Array, purpose: KeyPurpose): Promise<Uint8Array> {
    checkCall('device.unwrap', [ciphertext, purpose], ['ciphertext', ['purpose', PURPOSE]])
    return this.#keys.unwrap(ciphertext, purpose)
  }

  /**
   * Signs the acceptance of the device to join an identity. It is valid for one attestation, within an hour: make a new one
   * each time. If the device was attested before, the acceptance must not be older than the newest event about it. By
   * default it names the event that attested the device. If another event has changed the device since, or if this
   * object has no membership, pass `inception`: `await client.devices.head()` of the root key.
   */
  async acceptance(did: string, signing: Signing): Promise<SignedDeviceAcceptance> {
    checkCall('device.acceptance', [did, signing], ['did', ['signing', SIGNING]])
    const { deviceId, devicePublicKeyB64u, kemPublicKeyB64u, x25519B64u } = this
    const { origin, capabilities } = this.options
    // The log of another deployment does not have the event that attested it here, so what is passed replaces it.
    const { inception = this.membership?.inception ?? null } = signing
    return signStatement(
      {
        type: 'svc/device-acceptance/v1',
        ...placed(signing),
        inception: inception && { sequence: inception.sequence, hash: inception.hash },
        did,
        deviceId,
        devicePublicKeyB64u,
        kemPublicKeyB64u,
        x25519B64u,
        origin,
        capabilities: [...capabilities],
      },
      signerOf(this),
    )
  }

  /**
   * Signs the agreement of this device, which must have standing, to the attestation of another device. Pass the result
   * to `devices.attest`: the new device then gains standing after a day. Without an agreement, that takes 30 days while
   * any other device has standing. An agreement is valid for one attestation with this acceptance, by the current root
   * key. Throws a TypeError if the acceptance is for another identity.
   */
  async agreement(acceptance: SignedDeviceAcceptance, signing: Signing): Promise<SignedDeviceAgreement> {
    checkCall('device.agreement', [acceptance, signing], ['acceptance', ['signing', SIGNING]])
    const { agreementBy } = await import('./later.ts')
    return agreementBy(this, this.#member, acceptance, signing)
  }

  /**
   * This device as a member of the identity that attested it. `keys` are the identity's verified root keys
   * (`client.keyHistory.of(did)`), `realms` what it may have been signed for (`client.realms`). Throws if the
   * attestation is not by them or is for another device or deployment.
   */
  async attested(attestation: AttestDevice, keys: readonly [EpochKey, ...EpochKey[]], realms: Realms): Promise<Device> {
    checkCall('device.attested', [attestation, keys, realms], ['attestation', 'keys', 'realms'])
    const { statement } = attestation
    const accepted = attestation.acceptance.statement
    // An attestation by a superseded root key no longer counts.
    const key = keys.at(-1)
    const isOurs =
      statement.rootEpoch === key?.epoch &&
      statement.deviceId === this.deviceId &&
      statement.devicePublicKeyB64u === this.devicePublicKeyB64u &&
      statement.scope === keys[0].userId &&
      statement.did === didOf(statement.scope) &&
      accepted.did === statement.did &&
      accepted.devicePublicKeyB64u === this.devicePublicKeyB64u
    if (!key || !isOurs || !(await verifyEventSignatures(attestation, bytesOf(key.publicKeyB64u), realms))) {
      throw unverified('device', 'mismatch', 'The attestation does not match this device and identity')
    }
    const { did, scope, rootEpoch, origin, capabilities } = statement
    const inception = inceptionHeadAfter(attestation)
    const membership = { did, scope, userId: key.userId, rootEpoch, origin, capabilities, inception }
    return new Device(this.#keys, this.options, membership)
  }

  /** The same device with fewer capabilities, for example after the root key has removed some. */
  limitedTo(capabilities: readonly Capability[]): Device {
    checkCall('device.limitedTo', [capabilities], ['capabilities'])
    checkNames('device.limitedTo', 'capabilities', capabilities, CAPABILITIES)
    return new Device(this.#keys, this.options, { ...this.#member, capabilities })
  }

  /** A version-2 assertion: the `Authorization` value for one request. */
  async assertion(request: RequestToSign): Promise<string> {
    checkCall('device.assertion', [request], [['request', REQUEST]])
    const { deviceId, devicePublicKeyB64u } = this
    return makeDeviceAssertion(
      { ...this.#member, deviceId, devicePublicKeyB64u, sign: signerOf(this, 'assertion') },
      { ...request, now: request.now ?? Date.now() },
    )
  }

  /**
   * Returns the watch token of this device, which works for 30 days after the device was revoked. It is derived from the
   * keys, so you need not store it. Null for a device `fromSigner`. `client.watch.make()` registers it with core.
   */
  async watchToken(): Promise<WatchToken | null> {
    if (!this.#keys.areInMemory) return null
    const { watchTokenOf } = await import('./later.ts')
    return watchTokenOf(this.#keys.revealSeeds().kem)
  }

  /** Returns the secrets, for a backup that you protect. Throws a `ConfigurationError` for a device `fromSigner`. */
  revealSeeds(): IdentitySeeds {
    return this.#keys.revealSeeds()
  }
}
