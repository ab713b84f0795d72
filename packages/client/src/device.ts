import { type AssertionRequest, makeDeviceAssertion } from '@svc/assertion'
import { mlDsa65, mlKem768, randomSeed } from '@svc/pqc'
import { bytesOf, encodeBase64url } from '@svc/protocol/base64url'
import type { EpochKey } from '@svc/protocol/chain'
import { type Capability, deviceIdOf, type SignedDeviceAcceptance } from '@svc/protocol/device'
import { didOf } from '@svc/protocol/identity'
import type { AttestDevice } from '@svc/protocol/inception'
import { verifyEventSignatures } from '@svc/protocol/inception-verifier'
import { signStatement } from '@svc/protocol/statement'
import type { IdentitySeeds } from './identity.ts'

export interface DeviceOptions {
  /** Where the device signs: a web origin like `https://app.example`, or `app:` and a name. */
  readonly origin: string
  /** What it asks for; the root key may give less. */
  readonly capabilities: readonly Capability[]
}

/** What an attestation says of a device, from the identity that it belongs to. */
interface Membership {
  readonly did: string
  readonly scope: string
  /** The userId of the root key that attested it. */
  readonly userId: string
  readonly rootEpoch: number
  readonly origin: string
  readonly capabilities: readonly Capability[]
}

/**
 * A device and its keys. It joins an identity by its acceptance and the root key's attestation of it; then it makes
 * version-2 assertions within its capabilities. A rotation of the root ends its attestation, and a new one is needed.
 */
export class Device {
  /** 32 characters, derived from the public key. */
  readonly deviceId: string
  /** ML-DSA-65 public key, 1,952 bytes as base64url. */
  readonly devicePublicKeyB64u: string
  /** ML-KEM-768 public key, 1,184 bytes as base64url. */
  readonly kemPublicKeyB64u: string
  readonly #seeds: IdentitySeeds
  readonly #options: DeviceOptions
  readonly #membership: Membership | null

  private constructor(
    seeds: IdentitySeeds,
    keys: { readonly signing: string; readonly kem: string },
    options: DeviceOptions,
    membership: Membership | null,
  ) {
    this.#seeds = seeds
    this.#options = options
    this.#membership = membership
    this.devicePublicKeyB64u = keys.signing
    this.kemPublicKeyB64u = keys.kem
    this.deviceId = deviceIdOf(keys.signing)
  }

  /** New keys from the runtime's randomness. */
  static create(options: DeviceOptions): Promise<Device> {
    return Device.fromSeeds({ signing: randomSeed(32), kem: randomSeed(64) }, options)
  }

  /** The device of given seeds (32 and 64 bytes), which it copies. It belongs to nobody until `attested`. */
  static async fromSeeds({ signing, kem }: IdentitySeeds, options: DeviceOptions): Promise<Device> {
    const seeds = { signing: signing.slice(), kem: kem.slice() }
    const keys = {
      signing: encodeBase64url(await mlDsa65.publicKeyOf(seeds.signing)),
      kem: encodeBase64url(await mlKem768.publicKeyOf(seeds.kem)),
    }
    return new Device(seeds, keys, options, null)
  }

  /** The DID of the identity that the device belongs to. Throws a TypeError before it belongs to one. */
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
    if (!this.#membership) throw new TypeError('the device belongs to no identity yet')
    return this.#membership
  }

  /** Pure ML-DSA-65 with an empty context over these bytes; 3,309 bytes. */
  sign(message: Uint8Array): Promise<Uint8Array> {
    return mlDsa65.sign(this.#seeds.signing, message)
  }

  /** The shared secret (32 bytes) of a ciphertext that was made for this device. */
  decapsulate(ciphertext: Uint8Array): Promise<Uint8Array> {
    return mlKem768.decapsulate(this.#seeds.kem, ciphertext)
  }

  /** The device's signed word that it joins an identity. `now` in epoch milliseconds. */
  acceptance(did: string, now: number): Promise<SignedDeviceAcceptance> {
    const { deviceId, devicePublicKeyB64u, kemPublicKeyB64u } = this
    const { origin, capabilities } = this.#options
    return signStatement(
      {
        type: 'svc/device-acceptance/v1',
        did,
        deviceId,
        devicePublicKeyB64u,
        kemPublicKeyB64u,
        origin,
        capabilities: [...capabilities],
        issuedAt: now,
      },
      (message) => this.sign(message),
    )
  }

  /**
   * This device as a member of the identity that has attested it. `keys` are the identity's root keys, verified
   * (`client.keyHistory.of(did)`); throws when the attestation is not theirs, or of another device.
   */
  async attested(attestation: AttestDevice, keys: readonly [EpochKey, ...EpochKey[]]): Promise<Device> {
    const { statement } = attestation
    const accepted = attestation.acceptance.statement
    // An attestation by a root key that was superseded is none any more.
    const key = keys.at(-1)
    const isOurs =
      statement.rootEpoch === key?.epoch &&
      statement.deviceId === this.deviceId &&
      statement.devicePublicKeyB64u === this.devicePublicKeyB64u &&
      statement.scope === keys[0].userId &&
      statement.did === didOf(statement.scope) &&
      accepted.did === statement.did &&
      accepted.devicePublicKeyB64u === this.devicePublicKeyB64u
    if (!key || !isOurs || !(await verifyEventSignatures(attestation, bytesOf(key.publicKeyB64u)))) {
      throw new Error('the attestation is not of this device by this identity')
    }
    const { did, scope, rootEpoch, origin, capabilities } = statement
    const membership = { did, scope, userId: key.userId, rootEpoch, origin, capabilities }
    const own = { signing: this.devicePublicKeyB64u, kem: this.kemPublicKeyB64u }
    return new Device(this.#seeds, own, this.#options, membership)
  }

  /** The same device, claiming fewer capabilities: for when the root key has taken some away. */
  limitedTo(capabilities: readonly Capability[]): Device {
    const own = { signing: this.devicePublicKeyB64u, kem: this.kemPublicKeyB64u }
    return new Device(this.#seeds, own, this.#options, { ...this.#member, capabilities })
  }

  /** A version-2 assertion: an `Authorization` value for exactly one request. */
  assertion(request: AssertionRequest): Promise<string> {
    const { deviceId, devicePublicKeyB64u } = this
    return makeDeviceAssertion(
      { ...this.#member, deviceId, devicePublicKeyB64u, sign: (message) => this.sign(message) },
      request,
    )
  }

  /** The secrets, for a backup that the caller protects. */
  revealSeeds(): IdentitySeeds {
    return { signing: this.#seeds.signing.slice(), kem: this.#seeds.kem.slice() }
  }
}
