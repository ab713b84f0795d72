import { type AssertionRequest, makeAssertion } from '@svc/assertion'
import { mlDsa65, mlKem768, randomSeed } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base64url'
import { didOf, userIdOf } from '@svc/protocol/identity'
import type { SignedKeyAgreement } from '@svc/protocol/key-agreement'
import { signStatement } from '@svc/protocol/statement'

const SIGNING_SEED_BYTES = 32
const KEM_SEED_BYTES = 64

/** The secrets of an identity. Two seeds drawn apart: neither is derived from the other. */
export interface IdentitySeeds {
  /** 32 bytes: the ML-DSA-65 signing key. */
  readonly signing: Uint8Array
  /** 64 bytes (d ‖ z of FIPS 203): the ML-KEM-768 decapsulation key. */
  readonly kem: Uint8Array
}

/** Where a rotated-in key belongs: to an identity that is named after another, earlier key. */
export interface Lineage {
  /** The userId of the genesis key, 96 hex characters. */
  readonly scope: string
  /** How many rotations came before this key; at least 1. */
  readonly epoch: number
}

/**
 * An identity and its keys, held by the person it belongs to. Nothing in it ever goes to a server but public keys
 * and signatures.
 */
export class Identity {
  /** SHA3-384 of the raw public key, 96 lowercase hex characters. */
  readonly userId: string
  /** The permanent scope: the `userId` of the genesis key. */
  readonly scope: string
  /** The root epoch that this key opens: 0 for the genesis key. */
  readonly epoch: number
  /** `did:svc:` and 32 base64url characters, derived from the scope. */
  readonly did: string
  /** ML-DSA-65 public key, 1,952 bytes as base64url. */
  readonly publicKeyB64u: string
  /** ML-KEM-768 public key, 1,184 bytes as base64url. */
  readonly kemPublicKeyB64u: string
  readonly #seeds: IdentitySeeds

  private constructor(seeds: IdentitySeeds, publicKey: Uint8Array, kemPublicKey: Uint8Array, lineage?: Lineage) {
    this.#seeds = seeds
    this.userId = userIdOf(publicKey)
    this.scope = lineage?.scope ?? this.userId
    this.epoch = lineage?.epoch ?? 0
    this.did = didOf(this.scope)
    this.publicKeyB64u = encodeBase64url(publicKey)
    this.kemPublicKeyB64u = encodeBase64url(kemPublicKey)
  }

  /** A new identity from the runtime's randomness. It exists on a server only after `client.genesis()`. */
  static create(): Promise<Identity> {
    return Identity.fromSeeds({ signing: randomSeed(SIGNING_SEED_BYTES), kem: randomSeed(KEM_SEED_BYTES) })
  }

  /**
   * The identity of given seeds, which it copies; `lineage` when the key came by a rotation. Throws a TypeError when a
   * seed has the wrong length.
   */
  static async fromSeeds({ signing, kem }: IdentitySeeds, lineage?: Lineage): Promise<Identity> {
    if (signing.length !== SIGNING_SEED_BYTES) throw new TypeError('Identity: the signing seed has 32 bytes')
    if (kem.length !== KEM_SEED_BYTES) throw new TypeError('Identity: the KEM seed has 64 bytes')
    const seeds = { signing: signing.slice(), kem: kem.slice() }
    const [publicKey, kemPublicKey] = [await mlDsa65.publicKeyOf(seeds.signing), await mlKem768.publicKeyOf(seeds.kem)]
    return new Identity(seeds, publicKey, kemPublicKey, lineage)
  }

  /** Fresh keys for the next epoch of this identity: what a rotation hands it over to, once it is active. */
  successor(): Promise<Identity> {
    const seeds = { signing: randomSeed(SIGNING_SEED_BYTES), kem: randomSeed(KEM_SEED_BYTES) }
    return Identity.fromSeeds(seeds, { scope: this.scope, epoch: this.epoch + 1 })
  }

  /** A version-1 assertion: an `Authorization` value for exactly one request. */
  assertion(request: AssertionRequest): Promise<string> {
    return makeAssertion(this, request)
  }

  /** Pure ML-DSA-65 with an empty context over these bytes; 3,309 bytes. */
  sign(message: Uint8Array): Promise<Uint8Array> {
    return mlDsa65.sign(this.#seeds.signing, message)
  }

  /** The shared secret (32 bytes) of a ciphertext that was made for this identity's ML-KEM-768 key. */
  decapsulate(ciphertext: Uint8Array): Promise<Uint8Array> {
    return mlKem768.decapsulate(this.#seeds.kem, ciphertext)
  }

  /** The signed statement that others encrypt to this identity's ML-KEM-768 key. `now` in epoch milliseconds. */
  keyAgreement(now: number): Promise<SignedKeyAgreement> {
    const { did, scope, kemPublicKeyB64u } = this
    return signStatement(
      { type: 'svc/key-agreement/v1', did, scope, publicKeyB64u: kemPublicKeyB64u, issuedAt: now },
      (message) => this.sign(message),
    )
  }

  /** The secrets, for a backup that the caller protects; `exportIdentity` protects one by a passphrase. */
  revealSeeds(): IdentitySeeds {
    return { signing: this.#seeds.signing.slice(), kem: this.#seeds.kem.slice() }
  }
}
