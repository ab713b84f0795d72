import { mlDsa65 } from '@svc/pqc'
import { bytesOf, encodeBase64url } from '@svc/protocol/base64url'
import {
  assetIdOf,
  CAPSULE_CONTENT_TYPE,
  type Capsule,
  type CapsuleKind,
  type CapsuleRecord,
  type CapsuleVerification,
  capsuleHash,
  capsuleRecordSchema,
  capsuleVerificationSchema,
  type RegisterCapsule,
  type RegisteredCapsule,
  registeredCapsuleSchema,
} from '@svc/protocol/capsules'
import { type ChainBlockV4, type ChainHead, type EpochKey, signBlock } from '@svc/protocol/chain'
import {
  type Commitment,
  type CreatedCommitment,
  commitmentHash,
  commitmentIdOf,
  commitmentSchema,
  createdCommitmentSchema,
  SALT_BYTES,
} from '@svc/protocol/commitments'
import { hashHex } from '@svc/protocol/hash'
import { jcsBytes } from '@svc/protocol/jcs'
import { SIGNATURE_ALG } from '@svc/protocol/labels'
import {
  type ProofBundle,
  type ProofExpectations,
  type ProofVerdict,
  proofBundleSchema,
  verifyProofBundle,
} from '@svc/protocol/proof-bundle'
import {
  type Checked,
  type CheckedBatch,
  type CheckedWithStatus,
  type CheckRequest,
  checkedBatchSchema,
  checkedSchema,
  checkedWithStatusSchema,
} from '@svc/protocol/signature-check'
import { signStatement } from '@svc/protocol/statement'
import type { CapsuleVectors } from '@svc/protocol/vector-search'
import type { Device } from './device.ts'
import { Identity } from './identity.ts'
import type { KeyHistory } from './key-history.ts'
import { randomId } from './random-id.ts'
import { Similarity } from './similarity.ts'
import type { Transport } from './transport.ts'

/** What is said of a file besides its bytes. Everything here is the signer's claim. */
export interface CapsuleFacts {
  readonly kind: CapsuleKind
  /** Of the kind: `image/jpeg`, `video/mp4`. */
  readonly mime: string
  /** Pixels. */
  readonly width?: number
  readonly height?: number
  readonly durationMs?: number
  readonly perceptual?: NonNullable<Capsule['perceptual']>
  /** SHA3-384 of the keypoint blob, 96 hex characters. */
  readonly keypointsHash?: string
  /** A commitment to metadata that stays with its owner, 96 hex characters. */
  readonly metadataHash?: string
  /** When it was made, epoch ms. */
  readonly capturedAt?: number
}

export type SignedCapsule = Pick<RegisterCapsule, 'capsule' | 'signature' | 'block'>

export interface KeptCommitment {
  readonly commitment: CreatedCommitment
  /** 32 bytes as base64url. Without it nobody, its owner included, can ever show what was committed to. */
  readonly saltB64u: string
}

/** Capsules, commitments, proofs and verification (document 2 sections 2.2 and 4.1). Files stay where they are. */
export class Provenance extends Similarity {
  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device | undefined
  readonly #keys: KeyHistory

  constructor(transport: Transport, provenance: string, owner: Identity | Device | undefined, keys: KeyHistory) {
    super(transport, provenance, owner !== undefined)
    this.#transport = transport
    this.#base = `${provenance}/api`
    this.#owner = owner
    this.#keys = keys
  }

  /**
   * Signs a capsule of a file with this client's key and sends nothing. `file` is hashed here and goes no further. Keep
   * the result: signing again makes another capsule, and the same asset is registered with one.
   */
  async sign(
    file: Uint8Array,
    { kind, mime, width, height, durationMs, ...facts }: CapsuleFacts,
  ): Promise<SignedCapsule> {
    const owner = this.#signer
    const media = { mime, bytes: file.length, ...given({ width, height, durationMs }) }
    const capsule: Capsule = {
      type: 'svc/capsule/v1',
      did: owner.did,
      kind,
      assetId: assetIdOf(file),
      media,
      ...given(facts),
      issuedAt: this.#transport.now(),
    }
    const { signatureB64u } = await signStatement(capsule, (message) => owner.sign(message))
    return { capsule, signature: { algorithm: SIGNATURE_ALG, publicKeyB64u: keyOf(owner), signatureB64u } }
  }

  /**
   * The same capsule with a block for the owner's chain, for deployments that bind registrations to chains. `head` is
   * that of the chain (`client.chain.head()`); a refusal `stale_head` carries the one to sign for next.
   */
  async bind(signed: SignedCapsule, head: ChainHead): Promise<SignedCapsule> {
    const owner = this.#signer
    if (!(owner instanceof Identity)) throw new TypeError('a device signs no blocks')
    const block = await signBlock<ChainBlockV4>(
      {
        index: String(Number(head.index) + 1),
        timestamp: String(this.#transport.now()),
        previousHash: head.hash,
        dataHash: capsuleHash(signed.capsule),
        metadataHash: hashHex(jcsBytes({})),
        signatureAlg: SIGNATURE_ALG,
        ownerPublicKey: owner.publicKeyB64u,
        contentType: CAPSULE_CONTENT_TYPE,
        version: 4,
        scope: owner.scope,
        epoch: owner.epoch,
      },
      (message) => owner.sign(message),
    )
    return { ...signed, block }
  }

  /**
   * Registers a signed capsule and costs one unit `capsule`. The same one again costs nothing and is `duplicate`: after
   * a lost answer send the very same. Throws a `ServiceError`: `quota_exhausted` with the meter in `details`,
   * `capsule_exists` with the hash of the one that stands, `invalid_signature` for a key that may not sign for the
   * caller, `rate_limited` above 60 images or 20 videos in a minute. `vectors` are what searches find it by: 256 of 1
   * and -1 each, made by the caller’s model; nobody can check them.
   */
  async register(
    signed: SignedCapsule,
    options: { readonly vectors?: CapsuleVectors } = {},
  ): Promise<RegisteredCapsule> {
    const { capsule } = signed
    const url = `${this.#base}/register${capsule.kind === 'video' ? '/video' : ''}`
    const call = { method: 'POST', url, audience: 'provenance', body: { ...signed, ...options } } as const
    const registered = await this.#transport.data(call, registeredCapsuleSchema)
    const isOurs =
      registered.assetId === capsule.assetId &&
      registered.did === capsule.did &&
      registered.capsuleHash === capsuleHash(capsule)
    if (!isOurs) throw new Error('provenance answered for another capsule')
    return registered
  }

  /**
   * The capsule of an asset: the earliest, or that of `did`. Its hash and signature are verified here; that the key is
   * the DID's is the service's word unless `proof` is asked for and verified.
   */
  async capsule(assetId: string, did?: string): Promise<CapsuleRecord> {
    const url = `${this.#base}/capsule/${encodeURIComponent(assetId)}${queryOf(did)}`
    const record = await this.#transport.data({ method: 'GET', url }, capsuleRecordSchema)
    const { capsule, signature } = record
    const isIt = record.assetId === assetId && capsule.assetId === assetId && capsule.did === record.did
    const isWhose = did === undefined || record.did === did
    const isSigned = await mlDsa65.verify(
      bytesOf(signature.publicKeyB64u),
      jcsBytes(capsule),
      bytesOf(signature.signatureB64u),
    )
    if (!isIt || !isWhose || !isSigned || record.capsuleHash !== capsuleHash(capsule)) {
      throw new Error('the capsule does not hold')
    }
    return record
  }

  /** What the service finds when it verifies a registered capsule anew, and how core says that its key stands. */
  verifyCapsule(assetId: string, did?: string): Promise<CapsuleVerification> {
    const url = `${this.#base}/capsule/${encodeURIComponent(assetId)}/verify${queryOf(did)}`
    return this.#transport.data({ method: 'GET', url }, capsuleVerificationSchema)
  }

  /** What there is to show for a registration: good to keep, and to verify by `verifyProof`. */
  async proof(assetId: string, did?: string): Promise<ProofBundle> {
    const url = `${this.#base}/provenance/${encodeURIComponent(assetId)}/proof${queryOf(did)}`
    const bundle = await this.#transport.data({ method: 'GET', url }, proofBundleSchema)
    if (bundle.assetId !== assetId || (did !== undefined && bundle.did !== did)) {
      throw new Error('provenance answered for another asset')
    }
    return bundle
  }

  /** Verifies a bundle without any network. A bundle that is none throws; what is wrong with one is in the verdict. */
  static async verifyProof(bundle: unknown, expectations: ProofExpectations = {}): Promise<ProofVerdict> {
    return verifyProofBundle(proofBundleSchema.parse(bundle), expectations)
  }

  /** The root keys that a bundle of a rotated identity is verified with: from core, proved by their own signatures. */
  rootKeysOf(did: string): Promise<readonly EpochKey[]> {
    return this.#keys.of(did)
  }

  /**
   * Commits to content: only a salted hash goes out. Keep salt and content; the same content again is another
   * commitment, since its salt is another.
   */
  async commit(content: Uint8Array): Promise<KeptCommitment> {
    const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES))
    const hash = commitmentHash(salt, content)
    const body = { commitment_hash: hash, algorithm: 'sha3-384' }
    const call = { method: 'POST', url: `${this.#base}/commitment`, audience: 'provenance', body } as const
    const commitment = await this.#transport.data(call, createdCommitmentSchema)
    if (commitment.commitment_hash !== hash || commitment.id !== commitmentIdOf(this.#signer.did, hash)) {
      throw new Error('provenance answered for another commitment')
    }
    return { commitment, saltB64u: encodeBase64url(salt) }
  }

  async commitment(id: string): Promise<Commitment> {
    const url = `${this.#base}/commitment/${encodeURIComponent(id)}`
    const commitment = await this.#transport.data({ method: 'GET', url }, commitmentSchema)
    const { did, commitment_hash: hash, profile } = commitment
    const isNamed = profile === 'historical' || (did !== null && commitmentIdOf(did, hash) === id)
    if (commitment.id !== id || !isNamed) throw new Error('provenance answered for another commitment')
    return commitment
  }

  /** Whether a commitment is to this content, by its salt. Offline. */
  static opens(commitment: Pick<Commitment, 'commitment_hash'>, saltB64u: string, content: Uint8Array): boolean {
    return commitmentHash(bytesOf(saltB64u), content) === commitment.commitment_hash
  }

  /**
   * Asks the service whether a signature verifies; throws a `ServiceError` `verification_failed` when not and
   * `nonce_replay` when the nonce was used. `mlDsa65.verify` gives the same answer without trusting anybody.
   */
  verify(request: Unnonced): Promise<Checked> {
    return this.#transport.data(this.#checkCall('', withNonce(request)), checkedSchema)
  }

  /** The same with the standing of the key at core: current, superseded, revoked or unknown. */
  verifyWithKeyStatus(request: Unnonced): Promise<CheckedWithStatus> {
    return this.#transport.data(this.#checkCall('/with-key-status', withNonce(request)), checkedWithStatusSchema)
  }

  /** Up to a hundred at once, each with its own answer, in order. */
  verifyBatch(requests: readonly Unnonced[]): Promise<CheckedBatch> {
    return this.#transport.data(this.#checkCall('/batch', { items: requests.map(withNonce) }), checkedBatchSchema)
  }

  #checkCall(path: string, body: unknown) {
    return { method: 'POST', url: `${this.#base}/verify${path}`, body } as const
  }

  get #signer(): Identity | Device {
    if (!this.#owner) throw new TypeError('this call needs an identity')
    return this.#owner
  }
}

/** A signature to verify; a random nonce unless one is given. */
export type Unnonced = Omit<CheckRequest, 'nonce' | 'algorithm'> & { readonly nonce?: string }

function withNonce(request: Unnonced): CheckRequest {
  return { ...request, nonce: request.nonce ?? randomId(), algorithm: SIGNATURE_ALG }
}

function keyOf(owner: Identity | Device): string {
  return owner instanceof Identity ? owner.publicKeyB64u : owner.devicePublicKeyB64u
}

function queryOf(did: string | undefined): string {
  return did === undefined ? '' : `?did=${encodeURIComponent(did)}`
}

/** Members that are there; an absent one must not be signed as anything. */
function given<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
