import {
  type AttestationFault,
  type AuditEntry,
  authorizedBy,
  type GovernanceAttestation,
  type GovernancePolicy,
  type PolicyFault,
  type PolicyRecord,
  policyBytes,
  policyFault,
  policyIdOf,
  verifyAttestations,
} from '@svc/protocol/governance'
import { err, ok, type Result } from '@svc/protocol/result'
import type { GovernanceStore } from './governance-store.ts'

export type PublishRefusal =
  | PolicyFault
  | AttestationFault
  | { readonly reason: 'no_policy' | 'policy_exists' | 'stale_policy' }

/** Publishes policies and says whether something was signed by those who may. */
export class GovernanceService {
  readonly #store: GovernanceStore

  constructor(store: GovernanceStore) {
    this.#store = store
  }

  current(): Promise<PolicyRecord | null> {
    return this.#store.current()
  }

  audit(from: number, limit: number): Promise<AuditEntry[]> {
    return this.#store.audit(from, limit)
  }

  /** The signers of the current policy authorize the next; who sends it does not matter. The same again is the same. */
  async publish(
    policy: GovernancePolicy,
    attestations: readonly GovernanceAttestation[],
    publisher: string,
    now: number,
  ): Promise<Result<PolicyRecord, PublishRefusal>> {
    const fault = policyFault(policy)
    if (fault) return err(fault)
    const previous = await this.#store.current()
    if (!previous) return err({ reason: 'no_policy' })
    const policyId = policyIdOf(policy)
    if (previous.policyId === policyId) return ok(previous)
    const authorized = await authorizedBy(previous.policy, attestations, policyBytes(policy))
    if (!authorized.ok) return authorized
    // A policy carries no time: once replaced it must not come back by the signatures that it already has.
    const earlier = await this.#store.find(policyId)
    const next = { policyId, previousPolicyId: previous.policyId, policy, attestations, activatedBy: publisher }
    if (!earlier) await this.#store.activate({ ...next, signers: authorized.value }, now)
    // Over this predecessor it came into force now, whoever else sent it too and whatever has followed since.
    const placed = earlier ?? (await this.#store.find(policyId))
    if (placed?.previousPolicyId === previous.policyId) return ok(placed)
    return err({ reason: earlier ? 'policy_exists' : 'stale_policy' })
  }

  /** The first policy, by an operator act; the same again is the same. */
  async found(
    policy: GovernancePolicy,
    operator: string,
    now: number,
  ): Promise<Result<void, PolicyFault | { readonly reason: 'policy_founded' }>> {
    const fault = policyFault(policy)
    if (fault) return err(fault)
    const policyId = policyIdOf(policy)
    const first = { policyId, previousPolicyId: null, policy, attestations: [], signers: [] }
    await this.#store.activate({ ...first, activatedBy: `operator:${operator}` }, now)
    const isFirst = (await this.#store.current())?.policyId === policyId
    return isFirst ? ok(undefined) : err({ reason: 'policy_founded' })
  }

  /**
   * Whether every attestation is by the owner's current root key or by a signer of the policy, once each, and good. For
   * records that the owner's assertion already authorizes.
   */
  async vouchedFor(
    attestations: readonly GovernanceAttestation[],
    bytes: Uint8Array,
    ownerKey: string,
  ): Promise<Result<void, AttestationFault>> {
    if (attestations.length === 0) return ok(undefined)
    const policy = (await this.#store.current())?.policy
    const keys = new Set([ownerKey, ...(policy?.signers.map(({ publicKeyB64u }) => publicKeyB64u) ?? [])])
    if (!attestations.every(({ publicKeyB64u }) => keys.has(publicKeyB64u))) return err({ reason: 'unknown_signer' })
    const verified = await verifyAttestations(attestations, bytes)
    return verified.ok ? ok(undefined) : verified
  }

  /** Whether the owner's current root key alone, or enough signers of the policy, have signed: readings 21. */
  async authorizes(
    attestations: readonly GovernanceAttestation[],
    bytes: Uint8Array,
    ownerKey: string,
  ): Promise<Result<void, AttestationFault>> {
    const [first] = attestations
    if (attestations.length === 1 && first?.publicKeyB64u === ownerKey) {
      const verified = await verifyAttestations(attestations, bytes)
      return verified.ok ? ok(undefined) : verified
    }
    const policy = (await this.#store.current())?.policy
    if (!policy) return err({ reason: 'unknown_signer' })
    const authorized = await authorizedBy(policy, attestations, bytes)
    return authorized.ok ? ok(undefined) : authorized
  }
}
