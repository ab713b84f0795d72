import { bytesOf, encodeBase64url } from '#protocol/base/base64url'
import { SIGNATURE_ALG } from '#protocol/base/labels'
import { verifyStatement } from '#protocol/base/statement'
import type { ChainHead, EpochKey } from '#protocol/chain/chain'
import {
  type CapsuleRecord,
  type CapsuleVerification,
  capsuleDeletedSchema,
  capsuleHash,
  capsuleRecordSchema,
  capsuleVerificationSchema,
  type RegisteredCapsule,
  registeredCapsuleSchema,
} from '#protocol/provenance/capsules'
import {
  type Commitment,
  type CreatedCommitment,
  commitmentHash,
  commitmentIdOf,
  commitmentSchema,
  createdCommitmentSchema,
  SALT_BYTES,
} from '#protocol/provenance/commitments'
import { type ProofBundle, proofBundleSchema } from '#protocol/provenance/proof-bundle'
import {
  type Checked,
  type CheckedBatch,
  type CheckedWithStatus,
  type CheckRequest,
  checkedBatchSchema,
  checkedSchema,
  checkedWithStatusSchema,
} from '#protocol/provenance/signature-check'
import type { CapsuleVectors } from '#protocol/provenance/vector-search'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { randomId } from '../transport/random-id.ts'
import { ServiceError } from '../transport/service-error.ts'
import type { Transport } from '../transport/transport.ts'
import type { VerificationReason } from '../verification/reasons.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import { bindCapsule, type CapsuleFacts, type SignedCapsule, signCapsule } from './signing-capsules.ts'
import { Similarity } from './similarity.ts'

export type { CapsuleFacts, SignedCapsule } from './signing-capsules.ts'

export interface KeptCommitment {
  readonly commitment: CreatedCommitment
  /** 32 bytes as base64url. Without it nobody, including the owner, can show what was committed to. */
  readonly saltB64u: string
}

export interface ProvenanceParts {
  readonly transport: Transport
  readonly base: string
  readonly owner: Identity | Device | undefined
  readonly keys: KeyHistory
}

/** Capsules, commitments, proofs and verification. Files stay on the device. */
export class Provenance extends Similarity {
  // As results: see `safely`.
  readonly safeCapsule = safeTwin(this, 'capsule')
  readonly safeVerifyCapsule = safeTwin(this, 'verifyCapsule')
  readonly safeProof = safeTwin(this, 'proof')
  readonly safeCommitment = safeTwin(this, 'commitment')
  readonly safeVerify = safeTwin(this, 'verify')
  readonly safeVerifyWithKeyStatus = safeTwin(this, 'verifyWithKeyStatus')

  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device | undefined
  readonly #keys: KeyHistory

  constructor({ transport, base, owner, keys }: ProvenanceParts) {
    super(transport, base, owner !== undefined)
    this.#transport = transport
    this.#base = `${base}/api`
    this.#owner = owner
    this.#keys = keys
  }

  /**
   * Signs a capsule of a file with this client's key, without sending it. `file` is only hashed. Keep the result:
   * signing again makes a different capsule, and only one can be registered for an asset.
   */
  async sign(file: Uint8Array, facts: CapsuleFacts): Promise<SignedCapsule> {
    return signCapsule(this.#signer, this.#transport, file, facts)
  }

  /**
   * The same capsule with a block for the owner's chain, for deployments that bind registrations to chains. `head` is
   * that of the chain (`client.chain.head()`); a `stale_head` error carries the one to build on.
   */
  async bind(signed: SignedCapsule, head: ChainHead): Promise<SignedCapsule> {
    const owner = this.#signer
    if (!(owner instanceof Identity)) throw new TypeError('A device cannot sign blocks')
    return bindCapsule(owner, this.#transport, signed, head)
  }

  /**
   * Registers a signed capsule for one unit `capsule`. Idempotent: the same capsule costs nothing more and is
   * `duplicate`, so send the same one after a lost answer. Throws a `ServiceError`: `quota_exhausted` with the meter in
   * `details`, `capsule_exists` with the hash of the existing one, `invalid_signature` if the key may not sign for the
   * caller, `rate_limited` above 60 images or 20 videos per minute. `vectors` make it searchable: 256 values of 1 or -1
   * each, from the caller’s model; the service cannot check them.
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
    if (!isOurs)
      throw unverified('capsule', 'different_answer', 'Provenance answered for a different capsule', {
        evidence: registered,
      })
    return registered
  }

  /** Deletes this identity's own registration of an asset, and its vectors. Not undone by registering again: that is new. */
  async deleteCapsule(assetId: string): Promise<void> {
    const call = {
      method: 'DELETE',
      url: `${this.#base}/capsule/${encodeURIComponent(assetId)}`,
      audience: 'provenance',
    } as const
    await this.#transport.data(call, capsuleDeletedSchema)
  }

  /**
   * The capsule of an asset: the earliest, or that of `did`. Verifies its hash and signature; that the key is the DID's
   * is the service's claim unless you request and verify `proof`.
   */
  async capsule(assetId: string, did?: string): Promise<CapsuleRecord> {
    const url = `${this.#base}/capsule/${encodeURIComponent(assetId)}${queryOf(did)}`
    const record = await this.#transport.data({ method: 'GET', url }, capsuleRecordSchema)
    const { capsule, signature } = record
    const isIt = record.assetId === assetId && capsule.assetId === assetId && capsule.did === record.did
    const isWhose = did === undefined || record.did === did
    const { publicKeyB64u, signatureB64u } = signature
    const stated = { statement: capsule, signatureB64u }
    const isSigned = await verifyStatement(stated, bytesOf(publicKeyB64u), this.#transport.realms)
    const refuse = (reason: VerificationReason) =>
      unverified('capsule', reason, `The capsule is invalid: ${reason}`, { evidence: record })
    if (!isIt || !isWhose) throw refuse('different_answer')
    if (record.capsuleHash !== capsuleHash(capsule)) throw refuse('capsule_hash')
    if (!isSigned) throw refuse('invalid_signature')
    return record
  }

  /**
   * What the service finds when it verifies a registered capsule again, with the current status of its key at core.
   * Throws a `VerificationError` if the service says that the signature is invalid.
   */
  async verifyCapsule(assetId: string, did?: string): Promise<CapsuleVerification> {
    const url = `${this.#base}/capsule/${encodeURIComponent(assetId)}/verify${queryOf(did)}`
    const found = await this.#transport.data({ method: 'GET', url }, capsuleVerificationSchema)
    const isAsked = found.assetId === assetId && (did === undefined || found.did === did)
    if (isAsked && found.valid) return found
    throw unverified(
      'capsule',
      isAsked ? 'invalid_signature' : 'different_answer',
      'The service did not verify the capsule',
      { evidence: found },
    )
  }

  /** The evidence for a registration: store it, and verify it with the function `verifyProof`. */
  async proof(assetId: string, did?: string): Promise<ProofBundle> {
    const url = `${this.#base}/provenance/${encodeURIComponent(assetId)}/proof${queryOf(did)}`
    const bundle = await this.#transport.data({ method: 'GET', url }, proofBundleSchema)
    if (bundle.assetId !== assetId || (did !== undefined && bundle.did !== did)) {
      throw unverified('capsule', 'different_answer', 'Provenance answered for a different asset', { evidence: bundle })
    }
    return bundle
  }

  /** The root keys to verify the bundle of a rotated identity with: from core, verified by their own signatures. */
  rootKeysOf(did: string): Promise<readonly EpochKey[]> {
    return this.#keys.of(did)
  }

  /**
   * Commits to content: only a salted hash is sent. Keep salt and content. Two commitments to the
   * same content differ, because their salts do.
   */
  async commit(content: Uint8Array): Promise<KeptCommitment> {
    const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES))
    const hash = commitmentHash(salt, content)
    const body = { commitment_hash: hash, algorithm: 'sha3-384' }
    const call = { method: 'POST', url: `${this.#base}/commitment`, audience: 'provenance', body } as const
    const commitment = await this.#transport.data(call, createdCommitmentSchema)
    if (commitment.commitment_hash !== hash || commitment.id !== commitmentIdOf(this.#signer.did, hash)) {
      throw unverified('commitment', 'different_answer', 'Provenance answered for a different commitment', {
        evidence: commitment,
      })
    }
    return { commitment, saltB64u: encodeBase64url(salt) }
  }

  async commitment(id: string): Promise<Commitment> {
    const url = `${this.#base}/commitment/${encodeURIComponent(id)}`
    const commitment = await this.#transport.data({ method: 'GET', url }, commitmentSchema)
    const { did, commitment_hash: hash, profile } = commitment
    const isNamed = profile === 'historical' || (did !== null && commitmentIdOf(did, hash) === id)
    if (commitment.id !== id || !isNamed)
      throw unverified('commitment', 'different_answer', 'Provenance answered for a different commitment', {
        evidence: commitment,
      })
    return commitment
  }

  /**
   * Asks the service whether a signature verifies; throws a `VerificationError` if not, and a `ServiceError`
   * `nonce_replay` if the nonce was used. `mlDsa65.verify` gives the same answer without trusting anyone.
   */
  verify(request: Unnonced): Promise<Checked> {
    return this.#transport.data(this.#checkCall('', withNonce(request)), checkedSchema).catch(notVerified)
  }

  /** The same with the status of the key at core: current, superseded, revoked or unknown. */
  verifyWithKeyStatus(request: Unnonced): Promise<CheckedWithStatus> {
    return this.#transport
      .data(this.#checkCall('/with-key-status', withNonce(request)), checkedWithStatusSchema)
      .catch(notVerified)
  }

  /** Up to a hundred at once. Results are positional. */
  verifyBatch(requests: readonly Unnonced[]): Promise<CheckedBatch> {
    return this.#transport.data(this.#checkCall('/batch', { items: requests.map(withNonce) }), checkedBatchSchema)
  }

  #checkCall(path: string, body: unknown) {
    return { method: 'POST', url: `${this.#base}/verify${path}`, body } as const
  }

  get #signer(): Identity | Device {
    if (!this.#owner) throw new TypeError('This call requires an identity')
    return this.#owner
  }
}

/** A signature to verify; generates a random nonce if none is given. */
export type Unnonced = Omit<CheckRequest, 'nonce' | 'algorithm'> & { readonly nonce?: string }

function notVerified(error: unknown): never {
  if (!(error instanceof ServiceError) || error.error !== 'verification_failed') throw error
  throw unverified('signature', 'invalid_signature', 'The service did not verify the signature')
}

function withNonce(request: Unnonced): CheckRequest {
  return { ...request, nonce: request.nonce ?? randomId(), algorithm: SIGNATURE_ALG }
}

function queryOf(did: string | undefined): string {
  return did === undefined ? '' : `?did=${encodeURIComponent(did)}`
}
