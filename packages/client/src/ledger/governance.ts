import type { GovernanceAttestation } from '#protocol/ledger/attestations'
import {
  type AuditEntry,
  auditPageSchema,
  type GovernancePolicy,
  type PolicyProposal,
  type PolicyRecord,
  policyBytes,
  policyIdOf,
  policyProposalSchema,
  policyRecordSchema,
} from '#protocol/ledger/governance'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { randomId } from '../transport/random-id.ts'
import type { Transport } from '../transport/transport.ts'
import { readContent } from '../verification/read-content.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import { attestationBy } from './attestation.ts'

/** Governance of a deployment: policies, each authorized by the signers of the previous one. */
export class Governance {
  // As results: see `safely`.
  readonly safePolicy = safeTwin(this, 'policy')

  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device

  constructor(transport: Transport, core: string, owner: Identity | Device) {
    this.#transport = transport
    this.#base = `${core}/api/governance`
    this.#owner = owner
  }

  /** The current policy; throws 404 `not_found` before the first. */
  async policy(): Promise<PolicyRecord> {
    const call = { method: 'GET', url: `${this.#base}/policy`, audience: 'chain' } as const
    return checkPolicy(await this.#transport.data(call, policyRecordSchema))
  }

  /** A successor of the current policy, for its signers to attest. It can take effect only while that one is current. */
  async propose(policy: GovernancePolicy): Promise<PolicyProposal> {
    const { policyId } = await this.policy()
    return { policy, previousPolicyId: policyId, nonce: randomId() }
  }

  /** As a signer of the policy that the proposal names: signs it without sending it. */
  async attest(proposal: PolicyProposal): Promise<GovernanceAttestation> {
    const signer = this.#owner
    if (!(signer instanceof Identity)) throw new TypeError('Only a root key can attest a policy')
    const bytesAt = policyBytes(readContent('policy', policyProposalSchema, proposal), this.#transport.realm)
    return attestationBy(signer, bytesAt, this.#transport.now())
  }

  /** Publishes a proposal with the signatures of enough signers of the policy that it names. */
  async publish(proposal: PolicyProposal, attestations: readonly GovernanceAttestation[]): Promise<PolicyRecord> {
    const body = { ...proposal, attestations }
    const call = { method: 'POST', url: `${this.#base}/policy`, audience: 'chain', body } as const
    const record = checkPolicy(await this.#transport.data(call, policyRecordSchema))
    if (record.policyId !== policyIdOf(proposal))
      throw unverified('policy', 'different_answer', 'Core answered for a different policy', { evidence: record })
    return record
  }

  /** Which policies came into force, oldest first. */
  async *audit(): AsyncGenerator<AuditEntry> {
    for (let cursor: string | null = '1'; cursor !== null; ) {
      const url = `${this.#base}/audit?cursor=${cursor}`
      const page: { items: AuditEntry[]; cursor: string | null } = await this.#transport.data(
        { method: 'GET', url, audience: 'chain' },
        auditPageSchema,
      )
      yield* page.items
      const isCircle = page.cursor !== null && !(Number(page.cursor) > Number(cursor))
      if (isCircle) throw unverified('policy', 'repeated', 'The service repeats pages')
      cursor = page.cursor
    }
  }
}

function checkPolicy(record: PolicyRecord): PolicyRecord {
  const { policyId, policy, previousPolicyId = null, nonce } = record
  if (policyId !== policyIdOf({ policy, previousPolicyId, nonce }))
    throw unverified('policy', 'hash_mismatch', 'The policy does not match its id', { evidence: record })
  return record
}
