import type { Caller } from '@svc/assertion'
import {
  type AnchorBundle,
  type AnchorList,
  type AnchorRecord,
  anchorIdOf,
  type Eligibility,
  type SignedCheckpoint,
  type SignedPublication,
  type StateProof,
  submissionBytes,
} from '@svc/protocol/anchors'
import { bytesOf } from '@svc/protocol/base64url'
import { reaching } from '@svc/protocol/dependency-fault'
import type { AttestationFault, GovernanceAttestation } from '@svc/protocol/governance'
import { fromHex, toHex } from '@svc/protocol/hash'
import { merkleRoot } from '@svc/protocol/merkle'
import { err, ok, type Result } from '@svc/protocol/result'
import { verifyStatement } from '@svc/protocol/statement'
import type { GovernanceService } from '../governance/governance-service.ts'
import type { IdentityService } from '../identity/identity-service.ts'
import type { AnchorLogObject } from './anchor-log-object.ts'
import type { AnchorStore } from './anchor-store.ts'
import type { LogSigner } from './log-signer.ts'

/** A publication is reported by a machine whose clock is kept; the nonce is kept for good. */
const PUBLICATION_TOLERANCE_MS = 300_000

export interface Submission {
  readonly root: string
  readonly epoch: string
  readonly attestations: readonly GovernanceAttestation[]
}

export type PublicationRefusal = {
  readonly reason: 'disabled' | 'invalid_signature' | 'expired' | 'not_found' | 'replay'
}

/** Anchors: submissions by their owners, proofs over the log, and what the publisher reports. */
export class AnchorService {
  readonly #logs: DurableObjectNamespace<AnchorLogObject>
  readonly #store: AnchorStore
  readonly #governance: GovernanceService
  readonly #identities: IdentityService
  readonly #signer: LogSigner
  readonly #publisherKey: string

  constructor(parts: {
    readonly logs: DurableObjectNamespace<AnchorLogObject>
    readonly store: AnchorStore
    readonly governance: GovernanceService
    readonly identities: IdentityService
    readonly signer: LogSigner
    readonly publisherKey: string
  }) {
    this.#logs = parts.logs
    this.#store = parts.store
    this.#governance = parts.governance
    this.#identities = parts.identities
    this.#signer = parts.signer
    this.#publisherKey = parts.publisherKey
  }

  /** The same owner, root and epoch again is the same anchor. */
  async submit(
    caller: Caller,
    { root, epoch, attestations }: Submission,
  ): Promise<Result<AnchorRecord, AttestationFault | { reason: 'history_partial' }>> {
    const authorized = await this.#governance.authorizes(
      attestations,
      submissionBytes(root, epoch),
      caller.publicKeyB64u,
    )
    if (!authorized.ok) return authorized
    const facts = await this.#identities.ask(caller.did, async (identity) => identity.chainFacts(null))
    if (!facts || facts.isIndexing) return err({ reason: 'history_partial' })
    const anchorId = anchorIdOf(caller.did, root, epoch)
    const { index, createdAt, isNew } = await this.#log(async (log) =>
      log.append({ anchorId, owner: caller.did, root, epoch, attestations }),
    )
    const existing = isNew ? null : await this.#store.find(anchorId)
    if (existing) return ok(existing)
    // Durable in the log, and D1 follows, even if it cannot be reached now: answered from what the log has placed.
    const leaf = { anchorId, root, epoch, hashAlg: 'sha3-384', createdAt } as const
    return ok({ ...leaf, attestations: [...attestations], status: 'submitted', owner: caller.did, index })
  }

  find(anchorId: string): Promise<AnchorRecord | null> {
    return this.#store.find(anchorId)
  }

  async list(cursor: number, limit: number, withAttestations: boolean): Promise<AnchorList> {
    const found = await this.#store.list(cursor, limit, withAttestations)
    const items = found.slice(0, limit)
    const last = found.length > limit ? items.at(-1) : undefined
    return { items, count: items.length, cursor: last ? String(last.index) : null }
  }

  async stateProof(window: number, now: number): Promise<StateProof> {
    const rows = await this.#store.window(window)
    const leaves = rows.map(({ leaf }) => leaf)
    return {
      window,
      count: rows.length,
      root: toHex(merkleRoot(leaves.map(fromHex))),
      leaves,
      createdAt: new Date(now).toISOString(),
      hashAlg: 'sha3-384',
      anchors: rows.map(({ anchor }) => anchor),
    }
  }

  /** Why this owner should or should not be offered an anchor now. */
  async eligibility({ did }: Caller): Promise<Eligibility> {
    const last = await this.#store.newestOf(did)
    const facts = await this.#identities.ask(did, async (identity) => identity.chainFacts(last?.root ?? null))
    const head = facts ? Number(facts.head.index) : 0
    const newBlocks = head - (facts?.indexOfRoot ?? 0)
    const reasons: Eligibility['reasons'] = []
    if (!facts || facts.isIndexing) reasons.push('history_partial')
    if (facts?.isHeld) reasons.push('security_hold')
    if (head === 0) reasons.push('no_blocks')
    else if (newBlocks === 0) reasons.push('head_anchored')
    return {
      eligible: reasons.length === 0,
      reasons,
      root: facts && !facts.isIndexing ? facts.head.hash : null,
      newBlocks,
      lastAnchor: last && { anchorId: last.anchorId, root: last.root, createdAt: last.createdAt },
    }
  }

  /** What the log is now, signed; null where the deployment has no key for it. */
  async checkpoint(now: number): Promise<SignedCheckpoint | null> {
    const { size, root } = await this.#log(async (log) => log.state())
    return this.#signer.sign(size, root, now)
  }

  /** Everything that verifies one anchor offline. */
  async bundle(
    anchorId: string,
    now: number,
  ): Promise<Result<AnchorBundle, { reason: 'not_found' | 'log_unavailable' }>> {
    const record = await this.#store.find(anchorId)
    if (!record) return err({ reason: 'not_found' })
    const checkpoint = await this.checkpoint(now)
    if (!checkpoint) return err({ reason: 'log_unavailable' })
    const { size } = checkpoint.statement
    const proof = await this.#log(async (log) => log.inclusion(record.index, size))
    if (!proof.ok) return err({ reason: 'not_found' })
    return ok({ format: 'svc/anchor-bundle/v1', record, proof: proof.value, checkpoint })
  }

  consistency(first: number, second: number): Promise<Result<string[], { reason: 'out_of_range' }>> {
    return this.#log(async (log) => log.consistency(first, second))
  }

  async publish(
    signed: SignedPublication,
    requestId: string,
    now: number,
  ): Promise<Result<AnchorRecord, PublicationRefusal>> {
    if (this.#publisherKey === '') return err({ reason: 'disabled' })
    if (!(await verifyStatement(signed, bytesOf(this.#publisherKey)))) return err({ reason: 'invalid_signature' })
    const { anchorId, issuedAt } = signed.statement
    if (Math.abs(now - issuedAt) > PUBLICATION_TOLERANCE_MS) return err({ reason: 'expired' })
    if (!(await this.#store.find(anchorId))) return err({ reason: 'not_found' })
    if ((await this.#store.publish(signed, requestId, now)) === 'replay') return err({ reason: 'replay' })
    const record = await this.#store.find(anchorId)
    return record ? ok(record) : err({ reason: 'not_found' })
  }

  /** The only writer of the order; one that cannot be reached is a fault. */
  #log<T>(work: (log: DurableObjectStub<AnchorLogObject>) => Promise<T>): Promise<T> {
    return reaching('anchors', () => work(this.#logs.getByName('log')))
  }
}
