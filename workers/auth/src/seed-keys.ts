/**
 * All keys of this service that come from one version of its secret. The labels keep the keys apart.
 *
 * @module
 */
import { hkdf } from '@noble/hashes/hkdf.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { OpaqueKeys, OpaqueRecord, OpaqueServer } from './opaque/rules.ts'

export class SeedKeys {
  readonly version: number
  readonly #seed: Uint8Array
  readonly #server: OpaqueServer
  #opaque: OpaqueKeys | undefined
  #sealing: { readonly day: number; readonly key: Promise<CryptoKey> } | undefined

  constructor(version: number, seedHex: string, server: OpaqueServer) {
    this.version = version
    this.#seed = hexToBytes(seedHex)
    this.#server = server
  }

  get opaque(): OpaqueKeys {
    this.#opaque ??= this.#server.deriveKeys(this.#seed)
    return this.#opaque
  }

  /** The fake record for an unknown identifier. */
  fakeRecord(identifier: Uint8Array): OpaqueRecord {
    return this.#server.fakeRecord(this.#seed, identifier)
  }

  get ceremonyKey(): Uint8Array {
    return this.#derive('svc/ceremony-key/v1')
  }

  /** Encrypts ceremonies that carry their own state: the key of one day. */
  readonly sealingKey = (day: number): Promise<CryptoKey> => {
    if (this.#sealing?.day !== day) {
      const bytes = new Uint8Array(this.#derive(`svc/sealed-ceremony-key/v1 ${day}`))
      this.#sealing = { day, key: crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']) }
    }
    return this.#sealing.key
  }

  get knownDeviceKey(): Uint8Array {
    return this.#derive('svc/known-device-key/v1')
  }

  /** Hash of a normalized identifier: a copy of the database alone names nobody and cannot be tested against a list. */
  identifierHash(normalized: string): Uint8Array {
    return hmac(sha256, this.#derive('svc/identifier-key/v1'), utf8ToBytes(normalized))
  }

  /** Names a mailbox or a domain in its counter. */
  mailName(kind: 'mailbox' | 'domain', name: string): string {
    return bytesToHex(hmac(sha256, this.#derive('svc/mail-counter-key/v1'), utf8ToBytes(`${kind} ${name}`)))
  }

  /** Keyed, because anyone who saw a plain hash could try a million codes. */
  codeHash(grant: string, code: string): string {
    return bytesToHex(hmac(sha256, this.#derive('svc/mail-code-key/v1'), utf8ToBytes(`${grant} ${code}`)))
  }

  /** Hash of a person at a provider. No issuer contains the zero byte. */
  subjectHash(issuer: string, subject: string): string {
    const text = concatBytes(utf8ToBytes(issuer), new Uint8Array(1), utf8ToBytes(subject))
    return bytesToHex(hmac(sha256, this.#derive('svc/subject-key/v1'), text))
  }

  #derive(label: string): Uint8Array {
    return hkdf(sha512, this.#seed, new Uint8Array(), utf8ToBytes(label), 32)
  }
}
