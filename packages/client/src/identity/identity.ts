import { makeAssertion } from '#assertion'
import { randomSeed } from '#pqc'
import { didOf, userIdOfKey } from '#protocol/base/identity'
import type { HybridKey, KeyPurpose, SignedKeyAgreement } from '#protocol/base/key-agreement'
import { signStatement } from '#protocol/base/statement'
import type { SignedMessage } from '#protocol/statements/message'
import { checkCall, type Members } from '../arguments/check.ts'
import type { CommitmentOptions, SuccessorSource } from '../recovery/commitment-of.ts'
import type { KeptRecovery } from '../recovery/kept-recovery.ts'
import type { KeyAgreement, Signer } from '../signers/signer.ts'
import type { NewMessage } from './message.ts'
import { type IdentitySeeds, keysOfSeeds, type OwnKeys } from './own-keys.ts'
import { MESSAGE, PURPOSE, placed, REQUEST, type RequestToSign, SEEDS, SIGNING, type Signing } from './signing.ts'
import { holdKey, signerOf } from './signing-key.ts'

export type { RequestToSign, Signing } from './signing.ts'

const SIGNING_SEED_BYTES = 32
const KEM_SEED_BYTES = 32

/** The identity of a rotated-in key, which is named after an earlier key. */
export interface Lineage {
  /** The userId of the genesis key, 96 hex characters. */
  readonly scope: string
  /** How many rotations came before this key; at least 1. */
  readonly epoch: number
}

/** What goes with a signer. */
export interface SignerOptions {
  /** Where notes and inbox messages are decrypted. Without it, whatever needs it throws a `ConfigurationError`. */
  readonly keyAgreement?: KeyAgreement
}

export interface RecoveryOptions extends Signing, CommitmentOptions {
  /** 1 for an operator's approval, 2 without one; default: a request of each. */
  readonly version?: 1 | 2
  /**
   * The sheets that the identity has committed to. The root key alone signs a request for the key of each sheet, and each
   * request commits to the keys of all sheets for the following epoch. Default: a new key, for an identity without a
   * commitment.
   */
  readonly sheets?: readonly SuccessorSource<Identity>[]
}

const RECOVERY: Members<RecoveryOptions> = { ...SIGNING, version: 0, sheets: 0, replaceable: 0 }

export interface KeyAgreementOptions extends Signing {
  /** The records of the sheets of words, or their readers. Default: none. */
  readonly sheets?: readonly HybridKey[]
}

export interface PreparedRecovery {
  /**
   * The new key. Its seeds are secret: `exportKeys` encrypts them with a passphrase. With sheets, the key of the first
   * sheet: keep the words of the sheet instead.
   */
  readonly successor: Identity
  readonly kept: KeptRecovery
}

/**
 * An identity and its keys, held by its owner. Only public keys and signatures are ever sent to a server.
 */
export class Identity {
  /** SHA3-384 of the raw public key, 96 lowercase hex characters. */
  readonly userId: string
  /** The permanent scope: the `userId` of the genesis key. */
  readonly scope: string
  /** The root epoch of this key: 0 for the genesis key. */
  readonly epoch: number
  /** `did:svc:` and 32 base64url characters, derived from the scope. */
  readonly did: string
  /** ML-DSA-65 public key, 1,952 bytes as base64url. */
  readonly publicKeyB64u: string
  readonly #keys: OwnKeys

  private constructor(keys: OwnKeys, lineage?: Lineage) {
    this.#keys = keys
    holdKey(this, (message, purpose) => keys.sign(message, purpose))
    this.publicKeyB64u = keys.publicKeyB64u
    this.userId = userIdOfKey(keys.publicKeyB64u)
    this.scope = lineage?.scope ?? this.userId
    this.epoch = lineage?.epoch ?? 0
    this.did = didOf(this.scope)
  }

  /** Generates a new identity from the runtime's randomness. It exists on a server only after `client.chain.genesis()`. */
  static create(): Promise<Identity> {
    return Identity.fromSeeds({ signing: randomSeed(SIGNING_SEED_BYTES), kem: randomSeed(KEM_SEED_BYTES) })
  }

  /**
   * Restores an identity from its seeds, which it copies; pass `lineage` if the key came from a rotation. Throws a
   * TypeError if a seed has the wrong length.
   */
  static async fromSeeds(seeds: IdentitySeeds, lineage?: Lineage): Promise<Identity> {
    checkCall('Identity.fromSeeds', [seeds, lineage], [['seeds', SEEDS], 'lineage?'])
    const { signing, kem } = seeds
    if (signing.length !== SIGNING_SEED_BYTES) throw new TypeError('Identity: the signing seed must have 32 bytes')
    if (kem.length !== KEM_SEED_BYTES) throw new TypeError('Identity: the KEM seed must have 32 bytes')
    return new Identity(await keysOfSeeds({ signing, kem }), lineage)
  }

  /**
   * An identity whose signing key is somewhere else: see `Signer`. Each signature is verified before it is used. Pass
   * `lineage` if the key came from a rotation. Throws a `ConfigurationError` for a public key that is none.
   */
  static async fromSigner(
    signer: Signer,
    options: SignerOptions & { readonly lineage?: Lineage } = {},
  ): Promise<Identity> {
    checkCall('Identity.fromSigner', [signer, options], ['signer', ['options?', { keyAgreement: 0, lineage: 0 }]])
    const { keyAgreement, lineage } = options
    const { keysOfSigner } = await import('./later.ts')
    return new Identity(keysOfSigner(signer, keyAgreement), lineage)
  }

  /** ML-KEM-768 public key, 1,184 bytes as base64url. Throws a `ConfigurationError` for a signer without key agreement. */
  get kemPublicKeyB64u(): string {
    return this.#keys.kemPublicKeyB64u
  }

  /** X25519 public key, 32 bytes as base64url: what is encrypted needs both keys. Throws like `kemPublicKeyB64u`. */
  get x25519B64u(): string {
    return this.#keys.x25519B64u
  }

  /** Generates fresh keys for the next epoch of this identity, to rotate to; or takes those of a signer. */
  async successor(signer?: Signer, options?: SignerOptions): Promise<Identity> {
    checkCall('identity.successor', [signer, options], ['signer?', ['options?', { keyAgreement: 0 }]])
    const lineage = { scope: this.scope, epoch: this.epoch + 1 }
    if (signer) return Identity.fromSigner(signer, { ...options, lineage })
    const seeds = { signing: randomSeed(SIGNING_SEED_BYTES), kem: randomSeed(KEM_SEED_BYTES) }
    return Identity.fromSeeds(seeds, lineage)
  }

  /**
   * Prepares for the day on which this key is stolen or lost: a new key, and requests to rotate to it, signed by both
   * keys. `kept` is JSON without secrets: store it apart from the root key, and the seeds of `successor` apart from both.
   * `client.recovery(kept)` uses it. It is void after the next rotation: prepare again then.
   */
  async prepareRecovery(options: RecoveryOptions): Promise<PreparedRecovery> {
    checkCall('identity.prepareRecovery', [options], [['options', RECOVERY]])
    const { version, sheets = [] } = options
    const [sheet] = sheets
    if (sheet) {
      const { renewRecovery } = await import('../recovery/renew-recovery.ts')
      const successor = await sheet.successor({ scope: this.scope, epoch: this.epoch + 1 })
      const kept = await renewRecovery(this, { ...options, sheets })
      return { successor, kept }
    }
    const { signRecovery } = await import('../recovery/sign-ahead.ts')
    const successor = await this.successor()
    const versions = version === undefined ? ([2, 1] as const) : [version]
    return { successor, kept: await signRecovery({ root: this, successor }, { versions, ...placed(options) }) }
  }

  /** A version-1 assertion: the `Authorization` value for one request. */
  async assertion(request: RequestToSign): Promise<string> {
    checkCall('identity.assertion', [request], [['request', REQUEST]])
    const { now = Date.now() } = request
    const { userId, publicKeyB64u } = this
    return makeAssertion({ userId, publicKeyB64u, sign: signerOf(this, 'assertion') }, { ...request, now })
  }

  /**
   * Signs a message of an application, such as a login challenge. It can be nothing else: there is no way to sign bytes of
   * somebody's choosing. `verifyMessage` verifies it.
   */
  async signMessage(message: NewMessage): Promise<SignedMessage> {
    checkCall('identity.signMessage', [message], [['message', MESSAGE]])
    const { messageBy } = await import('./later.ts')
    return messageBy(this, this, message)
  }

  /**
   * The key (32 bytes) of a ciphertext that was encapsulated to this identity, for one purpose: `newKeyFor` makes both. The
   * ciphertext is one of X-Wing (1,120 bytes), or of ML-KEM-768 alone (1,088 bytes).
   */
  async unwrap(ciphertext: Uint8Array, purpose: KeyPurpose): Promise<Uint8Array> {
    checkCall('identity.unwrap', [ciphertext, purpose], ['ciphertext', ['purpose', PURPOSE]])
    return this.#keys.unwrap(ciphertext, purpose)
  }

  /**
   * Signs a statement of this identity's ML-KEM-768 and X25519 keys, which others encrypt to, and of the keys of its
   * sheets of words, which its devices encrypt notes to.
   */
  async keyAgreement(options: KeyAgreementOptions): Promise<SignedKeyAgreement> {
    checkCall('identity.keyAgreement', [options], [['options', { ...SIGNING, sheets: 0 }]])
    const { did, scope, kemPublicKeyB64u: publicKeyB64u, x25519B64u } = this
    const sheets = options.sheets?.map((sheet) => ({
      kemPublicKeyB64u: sheet.kemPublicKeyB64u,
      x25519B64u: sheet.x25519B64u,
    }))
    return signStatement(
      {
        type: 'svc/key-agreement/v1',
        ...placed(options),
        did,
        scope,
        publicKeyB64u,
        x25519B64u,
        ...(sheets?.length && { sheets }),
      },
      signerOf(this),
    )
  }

  /**
   * Returns the secrets, for a backup that you protect; `exportKeys` encrypts them with a passphrase. Throws a
   * `ConfigurationError` for an identity `fromSigner`.
   */
  revealSeeds(): IdentitySeeds {
    return this.#keys.revealSeeds()
  }
}
