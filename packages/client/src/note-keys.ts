import { bytesOf } from '@svc/protocol/base64url'
import { userIdOfKey } from '@svc/protocol/identity'
import type { AttestDevice } from '@svc/protocol/inception'
import { verifyEventSignatures } from '@svc/protocol/inception-verifier'
import { kemKeyId } from '@svc/protocol/key-agreement'
import { MAX_WRAPPED_KEYS } from '@svc/protocol/notes'
import { type Signed, verifyStatement } from '@svc/protocol/statement'
import type { Device } from './device.ts'
import type { Devices } from './devices.ts'
import type { Did } from './did.ts'
import { Identity } from './identity.ts'
import type { KeyHistory } from './key-history.ts'
import type { Reader } from './note-cipher.ts'

/** How long the devices that a note is written for are remembered. */
const READERS_FRESH_MS = 60_000

export interface NoteKeyDependencies {
  readonly owner: Identity | Device
  /** Earlier keys of the same identity, for what was written to them. */
  readonly former: readonly Identity[]
  readonly history: KeyHistory
  readonly devices: Devices
  readonly did: Did
  readonly now: () => number
}

/** Whose signatures notes carry, and for whom they are written. */
export class NoteKeys {
  readonly #deps: NoteKeyDependencies
  /** Public keys of the identity and its devices by their userId, as far as they were verified. */
  readonly #signers = new Map<string, string>()
  #readers: { readonly keys: readonly string[]; readonly at: number } | null = null

  constructor(deps: NoteKeyDependencies) {
    this.#deps = deps
    const { owner, former } = deps
    const own = owner instanceof Identity ? owner.publicKeyB64u : owner.devicePublicKeyB64u
    // A fresh deployment has never heard of the earlier ones.
    for (const key of [own, ...former.map(({ publicKeyB64u }) => publicKeyB64u)])
      this.#signers.set(userIdOfKey(key), key)
  }

  /** Whose notes can be opened here. */
  get own(): readonly Reader[] {
    return [this.#deps.owner, ...this.#deps.former]
  }

  /** The userId of the key that signs here. */
  get keyId(): string {
    const { owner } = this.#deps
    return userIdOfKey(owner instanceof Identity ? owner.publicKeyB64u : owner.devicePublicKeyB64u)
  }

  /**
   * The ML-KEM-768 keys that a note is written for: this one, the identity's own, and every active device that may
   * read notes. From the verified inception log, remembered for a minute.
   */
  async readers(): Promise<readonly string[]> {
    const now = this.#deps.now()
    if (this.#readers && now - this.#readers.at < READERS_FRESH_MS) return this.#readers.keys
    const { owner, devices } = this.#deps
    const inception = await devices.verify()
    const reading = inception.devices.filter(
      ({ status, capabilities, rootEpoch, expiresAt }) =>
        status === 'active' &&
        capabilities.includes('notes:read') &&
        rootEpoch === owner.epoch &&
        (expiresAt === null || expiresAt > now),
    )
    const theirs = reading.flatMap(({ deviceId }) => inception.kemKeys.get(deviceId) ?? [])
    const root = owner instanceof Identity ? owner.kemPublicKeyB64u : await this.#rootKemKey(owner.did)
    const keys = [...new Map([owner.kemPublicKeyB64u, root, ...theirs].map((key) => [kemKeyId(key), key])).values()]
    if (keys.length > MAX_WRAPPED_KEYS) throw new RangeError(`a note is for at most ${MAX_WRAPPED_KEYS} readers`)
    this.#readers = { keys, at: now }
    return keys
  }

  /** What the identity's root key states in its DID document: a device knows it from nowhere else. */
  async #rootKemKey(did: string): Promise<string> {
    const { didDocument } = await this.#deps.did.resolve(did)
    const stated = didDocument?.keyAgreement?.[0]?.signedStatement?.statement.publicKeyB64u
    if (stated === undefined) throw new Error('the identity states no key agreement: the root key could not read this')
    return stated
  }

  /** What proves the keys of the devices that may have written notes, to whoever knows the root keys. */
  async attestations(): Promise<readonly AttestDevice[]> {
    return (await this.#deps.devices.verify()).attestations
  }

  /** Takes devices of the identity from elsewhere. Throws when no root key of the identity has attested one. */
  async learn(attestations: readonly AttestDevice[]): Promise<void> {
    const { owner, former, history } = this.#deps
    const known = (await history.of(owner.did)).map(({ publicKeyB64u }) => publicKeyB64u)
    const own = owner instanceof Identity ? [owner.publicKeyB64u] : []
    const roots = new Set([...own, ...former.map(({ publicKeyB64u }) => publicKeyB64u), ...known])
    for (const attestation of attestations) {
      const { did, devicePublicKeyB64u } = attestation.statement
      const signed = await Promise.all([...roots].map((root) => verifyEventSignatures(attestation, bytesOf(root))))
      if (did !== owner.did || !signed.includes(true))
        throw new Error('a device of the archive is not of this identity')
      this.#signers.set(userIdOfKey(devicePublicKeyB64u), devicePublicKeyB64u)
    }
  }

  /** Throws unless a statement was signed by the key it names, and that key is or was of this identity. */
  async check(signed: Signed<object>, keyId: string): Promise<void> {
    const key = this.#signers.get(keyId) ?? (await this.#learn(keyId))
    if (key === undefined) throw new Error('a note was signed by a key that was never of this identity')
    if (!(await verifyStatement(signed, bytesOf(key)))) throw new Error('the signature of a note does not hold')
  }

  async #learn(keyId: string): Promise<string | undefined> {
    const { owner, history, devices } = this.#deps
    for (const { publicKeyB64u } of await history.of(owner.did))
      this.#signers.set(userIdOfKey(publicKeyB64u), publicKeyB64u)
    if (!this.#signers.has(keyId)) {
      for (const { publicKeyB64u } of (await devices.verify()).devices)
        this.#signers.set(userIdOfKey(publicKeyB64u), publicKeyB64u)
    }
    return this.#signers.get(keyId)
  }
}
