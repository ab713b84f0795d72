/**
 * Everything that this service keeps secret, from the one secret of its deployment. The labels keep the keys apart.
 *
 * @module
 */
import { hkdf } from '@noble/hashes/hkdf.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { DependencyFault } from '@svc/protocol/dependency-fault'
import { deriveKeys, fakeRecord, type OpaqueKeys, type OpaqueRecord } from './opaque/opaque.ts'

/** Each member throws a `DependencyFault` where the deployment has no secret: nothing is signed in without one. */
export class Keyring {
  readonly #seed: Uint8Array | null
  #opaque: OpaqueKeys | undefined

  constructor(seedHex: string | undefined) {
    this.#seed = seedHex ? hexToBytes(seedHex) : null
  }

  get opaque(): OpaqueKeys {
    this.#opaque ??= deriveKeys(this.#secret)
    return this.#opaque
  }

  /** What is answered with for an identifier that nobody has. */
  fakeRecord(identifier: Uint8Array): OpaqueRecord {
    return fakeRecord(this.#secret, identifier)
  }

  get ceremonyKey(): Uint8Array {
    return this.#derive('svc/ceremony-key/v1')
  }

  get knownDeviceKey(): Uint8Array {
    return this.#derive('svc/known-device-key/v1')
  }

  /** Of a normalized identifier: a copy of the database alone names nobody, and cannot be tried against a list. */
  identifierHash(normalized: string): Uint8Array {
    return hmac(sha256, this.#derive('svc/identifier-key/v1'), utf8ToBytes(normalized))
  }

  /** Of a person at a provider. The zero byte stands in no issuer. */
  subjectHash(issuer: string, subject: string): string {
    const text = concatBytes(utf8ToBytes(issuer), new Uint8Array(1), utf8ToBytes(subject))
    return bytesToHex(hmac(sha256, this.#derive('svc/subject-key/v1'), text))
  }

  #derive(label: string): Uint8Array {
    return hkdf(sha512, this.#secret, new Uint8Array(), utf8ToBytes(label), 32)
  }

  get #secret(): Uint8Array {
    if (!this.#seed) throw new DependencyFault('sign-in seed', { cause: new Error('no seed') })
    return this.#seed
  }
}
