import type { RotationBasis, RotationRecord, RotationStatus, RotationSummary } from '@svc/protocol/chain/rotation'
import type { Rotation } from './rules.ts'

export type Approval = NonNullable<RotationRecord['approval']>

export interface RotationRow {
  [column: string]: SqlStorageValue
  rotation_id: string
  kind: Rotation['kind']
  status: RotationStatus
  basis: RotationBasis
  version: 1 | 2
  epoch: number
  new_user_id: string | null
  request: string
  requested_at: number
  deadline: number | null
  contested_at: number | null
  required_cosigners: number
  eligible: string
  witnesses: string
  approval: string | null
  activated_at: number | null
}

export const COLUMNS = `rotation_id, kind, status, basis, version, epoch, new_user_id, request, requested_at, deadline, contested_at,
  required_cosigners, eligible, witnesses, approval, activated_at`

/** A rotation with those who signed for and against it, in their order. */
export function rotationOf(
  row: RotationRow,
  signatures: readonly { readonly kind: string; readonly signer: string }[],
): Rotation {
  const signersOf = (kind: string) => signatures.filter((one) => one.kind === kind).map(({ signer }) => signer)
  return {
    rotationId: row.rotation_id,
    kind: row.kind,
    status: row.status,
    basis: row.basis,
    version: row.version,
    epoch: row.epoch,
    newUserId: row.new_user_id,
    requestedAt: row.requested_at,
    deadline: row.deadline,
    contestedAt: row.contested_at,
    requiredCosigners: row.required_cosigners,
    eligible: JSON.parse(row.eligible) as string[],
    witnesses: JSON.parse(row.witnesses) as string[],
    cosigners: signersOf('cosign'),
    freezes: signersOf('freeze').length,
    cancels: signersOf('cancel').length,
    approvedAt: row.approval === null ? null : (JSON.parse(row.approval) as Approval).approvedAt,
    activatedAt: row.activated_at,
  }
}

export function summaryOf(rotation: Rotation): RotationSummary {
  const { eligible: _, witnesses: __, cosigners, ...rest } = rotation
  return { ...rest, cosignatures: cosigners.length }
}
