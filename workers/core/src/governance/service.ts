import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import {
  type AttestationFault,
  type AttestedBytes,
  type GovernanceAttestation,
  verifyAttestations,
} from '@svc/protocol/ledger/attestations'
import {
  type AuditEntry,
  authorizedBy,
  type PlacedPolicy,
  type PolicyFault,
  type PolicyProposal,
  type PolicyRecord,
  policyBytes,
  policyFault,
  policyIdOf,
} from '@svc/protocol/ledger/governance'
import type { GovernanceStore } from './store.ts'

export type PublishRefusal = PolicyFault | AttestationFault | { readonly reason: 'no_policy' | 'stale_policy' }

/** Publishes policies and decides whether something was signed by authorized signers. */
export class GovernanceService {
  readonly #store: GovernanceStore
  readonly #realms: Realms

  constructor(store: GovernanceStore, realms: Realms) {
    this.#store = store
    this.#realms = realms
  }

  current(): Promise<PolicyRecord | null> {
    return this.#store.current()
  }

  audit(from: number, limit: number): Promise<AuditEntry[]> {
    return this.#store.audit(from, limit)
  }

  /**
   * The signers of the current policy authorize the next one; the caller does not matter. It names its predecessor, so a
   * draft of an earlier time never takes effect later. Idempotent while it is current.
   */
  async publish(
    proposal: PolicyProposal,
    attestations: readonly GovernanceAttestation[],
    publisher: string,
    now: number,
  ): Promise<Result<PolicyRecord, PublishRefusal>> {
    const fault = policyFault(proposal.policy)
    if (fault) return err(fault)
    const previous = await this.#store.current()
    if (!previous) return err({ reason: 'no_policy' })
    const policyId = policyIdOf(proposal)
    if (previous.policyId === policyId) return ok(previous)
    if (proposal.previousPolicyId !== previous.policyId) return err({ reason: 'stale_policy' })
    const bytes = this.#realms.map((realm) => policyBytes(proposal, realm))
    const authorized = await authorizedBy(previous.policy, attestations, bytes)
    if (!authorized.ok) return authorized
    const next = { ...proposal, policyId, attestations, activatedBy: publisher, signers: authorized.value }
    await this.#store.activate(next, now)
    const record = await this.#store.find(policyId)
    return record ? ok(record) : err({ reason: 'stale_policy' })
  }

  /** Sets the first policy, by an operator act, whose nonce it takes. Idempotent. */
  async found(
    first: PlacedPolicy & { readonly previousPolicyId: null },
    operator: string,
    now: number,
  ): Promise<Result<void, PolicyFault | { readonly reason: 'policy_founded' }>> {
    const fault = policyFault(first.policy)
    if (fault) return err(fault)
    const policyId = policyIdOf(first)
    const activatedBy = `operator:${operator}`
    await this.#store.activate({ ...first, policyId, attestations: [], signers: [], activatedBy }, now)
    return (await this.#store.find(policyId)) ? ok(undefined) : err({ reason: 'policy_founded' })
  }

  /**
   * Whether every attestation is valid, unique, and by the owner's current root key or a signer of the policy. For records
   * that the owner's assertion already authorizes.
   */
  async vouchedFor(
    attestations: readonly GovernanceAttestation[],
    attested: AttestedBytes,
    ownerKey: string,
  ): Promise<Result<void, AttestationFault>> {
    if (attestations.length === 0) return ok(undefined)
    const policy = (await this.#store.current())?.policy
    const keys = new Set([ownerKey, ...(policy?.signers.map(({ publicKeyB64u }) => publicKeyB64u) ?? [])])
    if (!attestations.every(({ publicKeyB64u }) => keys.has(publicKeyB64u))) return err({ reason: 'unknown_signer' })
    const verified = await verifyAttestations(attestations, attested)
    return verified.ok ? ok(undefined) : verified
  }

  /** Whether the owner's current root key alone, or enough signers of the policy, have signed. */
  async authorizes(
    attestations: readonly GovernanceAttestation[],
    attested: AttestedBytes,
    ownerKey: string,
  ): Promise<Result<void, AttestationFault>> {
    const [first] = attestations
    if (attestations.length === 1 && first?.publicKeyB64u === ownerKey) {
      const verified = await verifyAttestations(attestations, attested)
      return verified.ok ? ok(undefined) : verified
    }
    const policy = (await this.#store.current())?.policy
    if (!policy) return err({ reason: 'unknown_signer' })
    const authorized = await authorizedBy(policy, attestations, attested)
    return authorized.ok ? ok(undefined) : authorized
  }
}
