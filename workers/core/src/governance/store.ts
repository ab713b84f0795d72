import { reaching } from '@svc/protocol/base/dependency-fault'
import type { GovernanceAttestation } from '@svc/protocol/ledger/attestations'
import type { AuditEntry, GovernancePolicy, PolicyRecord } from '@svc/protocol/ledger/governance'

interface Row {
  position: number
  policy_id: string
  previous_policy_id: string | null
  policy: string
  nonce: string
  attestations: string
  signers: string
  activated_at: number
  activated_by: string
}

const COLUMNS =
  'position, policy_id, previous_policy_id, policy, nonce, attestations, signers, activated_at, activated_by'

export interface NewPolicy {
  readonly policyId: string
  readonly previousPolicyId: string | null
  readonly policy: GovernancePolicy
  readonly nonce: string
  readonly attestations: readonly GovernanceAttestation[]
  /** Ids of the signers who authorized it. */
  readonly signers: readonly string[]
  readonly activatedBy: string
}

/** Governance policies in D1, in the order in which they took effect. */
export class GovernanceStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  async current(): Promise<PolicyRecord | null> {
    const statement = this.#db.prepare(`SELECT ${COLUMNS} FROM governance_policies ORDER BY position DESC LIMIT 1`)
    const row = await reaching('governance', () => statement.first<Row>())
    return row && recordOf(row)
  }

  async find(policyId: string): Promise<PolicyRecord | null> {
    const statement = this.#db.prepare(`SELECT ${COLUMNS} FROM governance_policies WHERE policy_id = ?`).bind(policyId)
    const row = await reaching('governance', () => statement.first<Row>())
    return row && recordOf(row)
  }

  /** Stores a policy if its predecessor is still current: of two competing successors, one wins. */
  async activate(next: NewPolicy, now: number): Promise<void> {
    const statement = this.#db
      .prepare(
        `INSERT INTO governance_policies (${COLUMNS})
         SELECT coalesce(max(position), 0) + 1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 FROM governance_policies
         HAVING ?2 IS (SELECT policy_id FROM governance_policies ORDER BY position DESC LIMIT 1)
         ON CONFLICT DO NOTHING`,
      )
      .bind(
        next.policyId,
        next.previousPolicyId,
        JSON.stringify(next.policy),
        next.nonce,
        JSON.stringify(next.attestations),
        JSON.stringify(next.signers),
        now,
        next.activatedBy,
      )
    await reaching('governance', () => statement.run())
  }

  /** Ascending from a position. One row more than `limit` means there is a next page. */
  async audit(from: number, limit: number): Promise<AuditEntry[]> {
    const statement = this.#db
      .prepare(`SELECT ${COLUMNS} FROM governance_policies WHERE position >= ? ORDER BY position LIMIT ?`)
      .bind(from, limit + 1)
    const { results } = await reaching('governance', () => statement.all<Row>())
    return results.map((row) => ({
      position: row.position,
      at: new Date(row.activated_at).toISOString(),
      action: 'policy.activated',
      actor: row.activated_by,
      policyId: row.policy_id,
      ...(row.previous_policy_id === null ? {} : { previousPolicyId: row.previous_policy_id }),
      signers: JSON.parse(row.signers) as string[],
    }))
  }
}

function recordOf(row: Row): PolicyRecord {
  return {
    policyId: row.policy_id,
    policy: JSON.parse(row.policy) as GovernancePolicy,
    nonce: row.nonce,
    attestations: JSON.parse(row.attestations) as GovernanceAttestation[],
    activatedAt: new Date(row.activated_at).toISOString(),
    activatedBy: row.activated_by,
    ...(row.previous_policy_id === null ? {} : { previousPolicyId: row.previous_policy_id }),
  }
}
