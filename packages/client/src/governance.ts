import {
  type AuditEntry,
  auditPageSchema,
  type GovernanceAttestation,
  type GovernancePolicy,
  type PolicyRecord,
  policyBytes,
  policyIdOf,
  policyRecordSchema,
} from '@svc/protocol/governance'
import { attestationBy } from './attestation.ts'
import type { Device } from './device.ts'
import { Identity } from './identity.ts'
import type { Transport } from './transport.ts'

/** Governance of a deployment (document 1 section 4.7): policies, each authorized by the signers of the one before. */
export class Governance {
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

  /** As a signer of the current policy: signs the next, and sends nothing. */
  async attest(policy: GovernancePolicy): Promise<GovernanceAttestation> {
    const signer = this.#owner
    if (!(signer instanceof Identity)) throw new TypeError('a policy is attested by a root key')
    return attestationBy(signer, policyBytes(policy), this.#transport.now())
  }

  /** Publishes the next policy with the signatures of enough signers of the current one. */
  async publish(policy: GovernancePolicy, attestations: readonly GovernanceAttestation[]): Promise<PolicyRecord> {
    const body = { policy, attestations }
    const call = { method: 'POST', url: `${this.#base}/policy`, audience: 'chain', body } as const
    const record = checkPolicy(await this.#transport.data(call, policyRecordSchema))
    if (record.policyId !== policyIdOf(policy)) throw new Error('core answered for another policy')
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
      if (isCircle) throw new Error('the service answers in a circle')
      cursor = page.cursor
    }
  }
}

function checkPolicy(record: PolicyRecord): PolicyRecord {
  if (record.policyId !== policyIdOf(record.policy)) throw new Error('the policy does not have the hash that names it')
  return record
}
