import {
  type AnchorBundle,
  type AnchorList,
  type AnchorRecord,
  anchorBundleSchema,
  anchorIdOf,
  anchorListSchema,
  anchorRecordSchema,
  type BundleFault,
  consistencySchema,
  type Eligibility,
  eligibilitySchema,
  type SignedCheckpoint,
  type StateProof,
  signedCheckpointSchema,
  stateProofSchema,
  submissionBytes,
  verifyBundle,
  verifyExtension,
  verifyStateProof,
} from '@svc/protocol/anchors'
import { bytesOf } from '@svc/protocol/base64url'
import type { GovernanceAttestation } from '@svc/protocol/governance'
import type { Result } from '@svc/protocol/result'
import { verifyStatement } from '@svc/protocol/statement'
import type * as z from 'zod'
import { attestationBy } from './attestation.ts'
import type { Device } from './device.ts'
import { Identity } from './identity.ts'
import type { Transport } from './transport.ts'

export interface NewAnchor {
  /** SHA3-384, 96 hex characters: for a chain the hash of its newest block, for anything else whatever commits to it. */
  readonly root: string
  /** The owner's name for what the root closes, 1 to 64 characters: the same root and epoch is the same anchor. */
  readonly epoch: string
  /** Signatures of policy signers; this identity's own unless given. */
  readonly attestations?: readonly GovernanceAttestation[]
}

/** Anchors (document 1 section 4.6). A submission is a record of the service and no ledger write. */
export class Anchors {
  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device | undefined

  constructor(transport: Transport, core: string, owner: Identity | Device | undefined) {
    this.#transport = transport
    this.#base = `${core}/api/anchors`
    this.#owner = owner
  }

  /** Submits a root. Again is the same anchor. */
  async submit({ root, epoch, attestations }: NewAnchor): Promise<AnchorRecord> {
    const body = { root, epoch, hashAlg: 'sha3-384', attestations: attestations ?? [await this.attest(root, epoch)] }
    const call = { method: 'POST', url: this.#base, audience: 'chain', body } as const
    const record = await this.#transport.json(call, anchorRecordSchema)
    const isOurs =
      record.root === root && record.epoch === epoch && record.anchorId === anchorIdOf(record.owner, root, epoch)
    if (!isOurs) throw new Error('core answered for another anchor')
    return record
  }

  /** Signs a submission, as its owner or as a signer of the governance policy, and sends nothing. */
  async attest(root: string, epoch: string): Promise<GovernanceAttestation> {
    const signer = this.#owner
    if (!(signer instanceof Identity)) throw new TypeError('a submission is attested by a root key')
    return attestationBy(signer, submissionBytes(root, epoch), this.#transport.now())
  }

  /** Whether this identity has something to anchor, and why not (`history_partial`, `no_blocks`, `head_anchored`, `security_hold`). */
  eligibility(): Promise<Eligibility> {
    return this.#transport.json(
      { method: 'GET', url: `${this.#base}/eligibility`, audience: 'chain' },
      eligibilitySchema,
    )
  }

  /**
   * One page, newest first; at most 500. `cursor` is that of the page before. Attestations, 7 kB each, only with
   * `attestations: 'include'`. Needs no credential.
   */
  page(query: { limit?: number; cursor?: string; attestations?: 'include' | 'omit' } = {}): Promise<AnchorList> {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) search.set(name, String(value))
    return this.#get(search.size === 0 ? '' : `?${search.toString()}`, anchorListSchema)
  }

  /** Needs no credential. */
  read(anchorId: string): Promise<AnchorRecord> {
    return this.#get(`/${anchorId}`, anchorRecordSchema)
  }

  /** The newest anchors with every leaf (1 to 2,048, else clamped), recomputed: throws when the root is not theirs. */
  async stateProof(window = 256): Promise<StateProof> {
    const proof = await this.#get(`/state-proof?window=${window}`, stateProofSchema)
    if (!verifyStateProof(proof)) throw new Error('the state proof does not hold')
    return proof
  }

  /** Size and root of the whole log, with its signature checked. Keep it: a later one must extend it. */
  async checkpoint(): Promise<SignedCheckpoint> {
    const checkpoint = await this.#get('/checkpoint', signedCheckpointSchema)
    if (!(await verifyStatement(checkpoint, bytesOf(checkpoint.publicKeyB64u)))) {
      throw new Error('the checkpoint is not signed by its key')
    }
    return checkpoint
  }

  /** Whether the log of a later checkpoint has kept everything of an earlier one, in its order. */
  async extends(earlier: SignedCheckpoint, later: SignedCheckpoint): Promise<boolean> {
    const [first, second] = [earlier.statement.size, later.statement.size]
    // Nothing to ask for: the empty log is a prefix of every log, and no log of a shorter one.
    if (first === 0 || second < first) return verifyExtension(earlier, later, [])
    const { proof } = await this.#get(`/consistency?first=${first}&second=${second}`, consistencySchema)
    return verifyExtension(earlier, later, proof)
  }

  /** What verifies one anchor without a network, to be kept with what it anchors. */
  bundle(anchorId: string): Promise<AnchorBundle> {
    return this.#get(`/${anchorId}/bundle`, anchorBundleSchema)
  }

  /** Verifies a bundle offline, against the log's key as it is known from elsewhere (2,603 characters). */
  static verify(bundle: AnchorBundle, logKeyB64u: string): Promise<Result<void, BundleFault>> {
    return verifyBundle(bundle, logKeyB64u, bytesOf(logKeyB64u))
  }

  #get<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
    return this.#transport.json({ method: 'GET', url: this.#base + path }, schema)
  }
}
