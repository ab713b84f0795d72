/**
 * The OPAQUE server (RFC 9807) with ristretto255-SHA512, HKDF-SHA-512, HMAC-SHA-512 and 3DH. Keys, randomness and records
 * are arguments. The client stretches the password, so nothing here costs more than a few scalar
 * multiplications.
 *
 * Names in quotation marks are the RFC's labels.
 *
 * @module
 */
import { ristretto255, ristretto255_hasher } from '@noble/curves/ed25519.js'
import { equalBytes } from '@noble/curves/utils.js'
import { expand, extract, hkdf } from '@noble/hashes/hkdf.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha512 } from '@noble/hashes/sha2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import {
  ELEMENT_BYTES,
  KE1_BYTES,
  KE3_BYTES,
  NONCE_BYTES,
  REGISTRATION_RECORD_BYTES,
} from '@svc/protocol/auth/opaque-messages'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { RistrettoGroup } from './group.ts'

const { Fn } = ristretto255.Point
/** RFC 9807 section 6: Nseed, Nh, Nm and the length of an envelope, Nn + Nm. */
const SEED_BYTES = 32
const HASH_BYTES = 64
const MAC_BYTES = 64
const ENVELOPE_BYTES = NONCE_BYTES + MAC_BYTES
const NO_BYTES = new Uint8Array()

/** What a client uploads at registration (RFC 9807 section 5, RegistrationRecord). */
export interface OpaqueRecord {
  readonly clientPublicKey: Uint8Array
  readonly maskingKey: Uint8Array
  readonly envelope: Uint8Array
}

export interface OpaqueKeys {
  readonly oprfSeed: Uint8Array
  readonly privateKey: Uint8Array
  readonly publicKey: Uint8Array
}

/** Random for each login. */
export interface LoginChance {
  readonly maskingNonce: Uint8Array
  readonly serverNonce: Uint8Array
  readonly keyshareSeed: Uint8Array
}

export interface LoginParties {
  /** Both sides must agree on it; empty is allowed. */
  readonly context: Uint8Array
  /** Absent: the public key, as in the RFC. */
  readonly clientIdentity?: Uint8Array
  readonly serverIdentity?: Uint8Array
}

export interface LoginAnswer {
  readonly ke2: Uint8Array
  /** The expected last message of the client. */
  readonly expectedClientMac: Uint8Array
  readonly sessionKey: Uint8Array
}

/** `element`: not a canonical encoding of a group element, or the identity, which RFC 9497 section 2.1 forbids. */
export type OpaqueRefusal = { readonly reason: 'length' | 'element' }

const derive = (secret: Uint8Array, label: string, about: Uint8Array, length: number) =>
  hkdf(sha512, secret, NO_BYTES, concatBytes(utf8ToBytes(label), about), length)
const expandBytes = (key: Uint8Array, info: Uint8Array, length: number) => expand(sha512, key, info, length)

/** RFC 9497 section 3.2: the mode OPRF of ristretto255-SHA512. */
const OPRF_CONTEXT = concatBytes(utf8ToBytes('OPRFV1-'), new Uint8Array([0]), utf8ToBytes('-ristretto255-SHA512'))
const KEY_DOMAIN = concatBytes(utf8ToBytes('DeriveKeyPair'), OPRF_CONTEXT)

export class OpaqueServer {
  readonly #group: RistrettoGroup

  constructor(group: RistrettoGroup) {
    this.#group = group
  }

  /** Keys derived from the one secret of a deployment; the labels keep the two apart. */
  deriveKeys(secret: Uint8Array): OpaqueKeys {
    const oprfSeed = derive(secret, 'svc/opaque-oprf-seed/v1', NO_BYTES, HASH_BYTES)
    const seed = derive(secret, 'svc/opaque-ake-seed/v1', NO_BYTES, SEED_BYTES)
    const { secretKey, publicKey } = this.deriveDiffieHellman(seed)
    return { oprfSeed, privateKey: secretKey, publicKey }
  }

  /** RFC 9807 section 6.4.2, DeriveDiffieHellmanKeyPair. */
  deriveDiffieHellman(seed: Uint8Array): { secretKey: Uint8Array; publicKey: Uint8Array } {
    const secretKey = deriveScalar(seed, 'OPAQUE-DeriveDiffieHellmanKeyPair')
    return { secretKey, publicKey: this.#group.multiplyGenerator(secretKey) }
  }

  /** RFC 9807 section 5.1.1, CreateRegistrationResponse. */
  registrationResponse(
    keys: OpaqueKeys,
    identifier: Uint8Array,
    request: Uint8Array,
  ): Result<Uint8Array, OpaqueRefusal> {
    if (request.length !== ELEMENT_BYTES) return err({ reason: 'length' })
    const evaluated = this.#evaluate(keys, identifier, request)
    return evaluated ? ok(concatBytes(evaluated, keys.publicKey)) : err({ reason: 'element' })
  }

  /** Parses the record in an upload, or says why it is invalid. */
  parseRecord(upload: Uint8Array): Result<OpaqueRecord, OpaqueRefusal> {
    if (upload.length !== REGISTRATION_RECORD_BYTES) return err({ reason: 'length' })
    const record = splitRecord(upload)
    return this.#group.isElement(record.clientPublicKey) ? ok(record) : err({ reason: 'element' })
  }

  /**
   * RFC 9807 section 10.9: the fake record for an unknown user. It derives from the identifier, so that repeated requests
   * get the same one, as for a real user.
   */
  fakeRecord(secret: Uint8Array, identifier: Uint8Array): OpaqueRecord {
    const seed = derive(secret, 'svc/opaque-fake-key/v1', identifier, SEED_BYTES)
    return {
      clientPublicKey: this.deriveDiffieHellman(seed).publicKey,
      maskingKey: derive(secret, 'svc/opaque-fake-mask/v1', identifier, HASH_BYTES),
      envelope: new Uint8Array(ENVELOPE_BYTES),
    }
  }

  /** RFC 9807 section 6.1, GenerateKE2: the credential response and the server's half of the key exchange. */
  answerLogin(
    keys: OpaqueKeys,
    identifier: Uint8Array,
    record: OpaqueRecord,
    ke1: Uint8Array,
    chance: LoginChance,
    { context, clientIdentity, serverIdentity }: LoginParties,
  ): Result<LoginAnswer, OpaqueRefusal> {
    if (ke1.length !== KE1_BYTES) return err({ reason: 'length' })
    const evaluated = this.#evaluate(keys, identifier, ke1.subarray(0, ELEMENT_BYTES))
    const keyshare = this.deriveDiffieHellman(chance.keyshareSeed)
    const clientKeyshare = ke1.subarray(ELEMENT_BYTES + NONCE_BYTES)
    const ephemeral = this.#group.multiply(clientKeyshare, keyshare.secretKey)
    const lasting = this.#group.multiply(clientKeyshare, keys.privateKey)
    const ofClient = this.#group.multiply(record.clientPublicKey, keyshare.secretKey)
    if (!evaluated || !ephemeral || !lasting || !ofClient) return err({ reason: 'element' })

    const credentialResponse = concatBytes(evaluated, chance.maskingNonce, masked(keys, record, chance.maskingNonce))
    const preamble = concatBytes(
      utf8ToBytes('OPAQUEv1-'),
      withLength(2, context),
      withLength(2, clientIdentity ?? record.clientPublicKey),
      ke1,
      withLength(2, serverIdentity ?? keys.publicKey),
      credentialResponse,
      chance.serverNonce,
      keyshare.publicKey,
    )
    const prk = extract(sha512, concatBytes(ephemeral, lasting, ofClient), NO_BYTES)
    const transcript = sha512(preamble)
    const handshake = deriveSecret(prk, 'HandshakeSecret', transcript)
    const serverMac = hmac(sha512, deriveSecret(handshake, 'ServerMAC', NO_BYTES), transcript)
    const clientMacKey = deriveSecret(handshake, 'ClientMAC', NO_BYTES)
    return ok({
      ke2: concatBytes(credentialResponse, chance.serverNonce, keyshare.publicKey, serverMac),
      expectedClientMac: hmac(sha512, clientMacKey, sha512(concatBytes(preamble, serverMac))),
      sessionKey: deriveSecret(prk, 'SessionKey', transcript),
    })
  }

  /** "OprfKey" of one identifier, applied to the client's blinded element. Null if not a valid group element. */
  #evaluate(keys: OpaqueKeys, identifier: Uint8Array, blinded: Uint8Array): Uint8Array | null {
    const seed = expandBytes(keys.oprfSeed, concatBytes(identifier, utf8ToBytes('OprfKey')), SEED_BYTES)
    return this.#group.multiply(blinded, deriveScalar(seed, 'OPAQUE-DeriveKeyPair'))
  }
}

/** Splits a record that was validated before. It computes nothing, so that a stored record costs no more than a fake. */
export function splitRecord(upload: Uint8Array): OpaqueRecord {
  return {
    clientPublicKey: upload.slice(0, ELEMENT_BYTES),
    maskingKey: upload.slice(ELEMENT_BYTES, ELEMENT_BYTES + HASH_BYTES),
    envelope: upload.slice(ELEMENT_BYTES + HASH_BYTES),
  }
}

/** RFC 9807 section 6.4.4, ServerFinish. In constant time. */
export function isFinish(ke3: Uint8Array, expectedClientMac: Uint8Array): boolean {
  return ke3.length === KE3_BYTES && equalBytes(ke3, expectedClientMac)
}

/** "CredentialResponsePad" over the server's key and the envelope: without the password they look random. */
function masked(keys: OpaqueKeys, { maskingKey, envelope }: OpaqueRecord, maskingNonce: Uint8Array): Uint8Array {
  const plain = concatBytes(keys.publicKey, envelope)
  const pad = expandBytes(maskingKey, concatBytes(maskingNonce, utf8ToBytes('CredentialResponsePad')), plain.length)
  return plain.map((byte, i) => byte ^ (pad[i] ?? 0))
}

/** RFC 9497 section 3.2.1, DeriveKeyPair, without its public key. */
function deriveScalar(seed: Uint8Array, info: string): Uint8Array {
  const input = concatBytes(seed, withLength(2, utf8ToBytes(info)))
  for (let counter = 0; counter <= 255; counter++) {
    const scalar = ristretto255_hasher.hashToScalar(concatBytes(input, new Uint8Array([counter])), { DST: KEY_DOMAIN })
    if (scalar !== 0n) return Fn.toBytes(scalar)
  }
  throw new Error('no seed gives zero 256 times')
}

/** RFC 9807 section 6.4.1, Derive-Secret. */
function deriveSecret(secret: Uint8Array, label: string, transcript: Uint8Array): Uint8Array {
  const info = concatBytes(
    new Uint8Array([0, HASH_BYTES]),
    withLength(1, utf8ToBytes(`OPAQUE-${label}`)),
    withLength(1, transcript),
  )
  return expandBytes(secret, info, HASH_BYTES)
}

/** I2OSP of the length, and the bytes. */
function withLength(size: 1 | 2, bytes: Uint8Array): Uint8Array {
  const { length } = bytes
  return concatBytes(new Uint8Array(size === 1 ? [length] : [length >> 8, length & 255]), bytes)
}
