import type { GovernanceAttestation } from '@svc/protocol/ledger/governance'

export interface NewAnchor {
  readonly anchorId: string
  readonly owner: string
  readonly root: string
  readonly epoch: string
  readonly createdAt: string
  /** Its leaf in state proofs, 96 hex. */
  readonly leaf: string
  readonly attestations: readonly GovernanceAttestation[]
}

/** An anchor as the log keeps it until D1 has stored it. */
export interface LogEntry {
  readonly log: string
  readonly index: number
  readonly anchor: NewAnchor
}
