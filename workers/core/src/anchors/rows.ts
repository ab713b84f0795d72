import type { AnchorLeaf, AnchorRecord, AnchorStatus } from '@svc/protocol/ledger/anchors'
import type { GovernanceAttestation } from '@svc/protocol/ledger/governance'

export interface AnchorRow {
  log_no: number
  idx: number
  log: string
  anchor_id: string
  owner: string
  root: string
  epoch: string
  created_at: string
  status: AnchorStatus
  /** Of its attestations as JSON, so that a page knows its size before it reads them. */
  attested_bytes: number
}

export interface AttestationRow {
  log_no: number
  idx: number
  public_key: string
  signature: string
  signed_at: string | null
}

export interface PublicationRow {
  anchor_id: string
  chain: string
  tx: string
  state: 'published' | 'confirmed'
}

/** The place after which a page continues: logs in the order in which they opened, and the index in the log. */
export type AnchorPlace = readonly [logNo: number, index: number]

export const placeKey = ({ log_no, idx }: Pick<AnchorRow, 'log_no' | 'idx'>) => `${log_no} ${idx}`

export function leafOf(row: AnchorRow): AnchorLeaf {
  const { anchor_id: anchorId, root, epoch, created_at: createdAt } = row
  return { anchorId, root, epoch, hashAlg: 'sha3-384', createdAt }
}

export function attestationOf(row: AttestationRow): GovernanceAttestation {
  const { public_key: publicKeyB64u, signature: signatureB64u, signed_at: signedAt } = row
  return { alg: 'ml-dsa-65', publicKeyB64u, signatureB64u, ...(signedAt === null ? {} : { signedAt }) }
}

/** Everything in a record except its attestations. */
export function factsOf(
  row: AnchorRow,
  publications: readonly PublicationRow[] = [],
): Omit<AnchorRecord, 'attestations'> {
  return {
    ...leafOf(row),
    ...(publications.length > 0 ? { chains: publications.map(({ chain, tx }) => ({ chain, tx })) } : {}),
    status: row.status,
    owner: row.owner,
    position: { log: row.log, index: row.idx },
  }
}
