import type { PendingChange } from './pending.ts'

/** What is pending, from the public summary of a rotation. Apart from the schema, so that clients load it without one. */
export function pendingChangeOf(
  rotation: Omit<PendingChange, 'isCosigned' | 'isApproved'> & {
    readonly cosignatures: number
    readonly approvedAt: number | null
  },
): PendingChange {
  const { rotationId, kind, version, requestedAt, deadline, cosignatures, approvedAt } = rotation
  const [isCosigned, isApproved] = [cosignatures > 0, approvedAt !== null]
  return { rotationId, kind, version, requestedAt, deadline, isCosigned, isApproved }
}
