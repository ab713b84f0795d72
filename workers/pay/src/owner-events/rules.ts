import type { EventReport } from '@svc/protocol/internal/events'
import type { StoredGrant } from '../entitlements/rules.ts'
import type { StoredReversal } from '../payments/reversals.ts'

/** What the event feed of an owner is told. */
export interface OwnerEvent extends EventReport {
  readonly did: string
}

/** What a change of a grant tells its owner. Each period is paid once; the first of a subscription may be a trial. */
export function eventsOfGrant(before: StoredGrant | null, after: StoredGrant | null): OwnerEvent[] {
  if (!after) return []
  const { id: ref, did, status, periodStart } = after
  if (status === 'ended') return before?.status === 'ended' ? [] : [endOf(after)]
  const isSame = before?.status === 'active' && before.periodStart === periodStart
  if (status !== 'active' || isSame) return []
  return [{ id: `${ref} ${periodStart}`, did, kind: 'payment.paid', ref }]
}

export function endOf({ id: ref, did }: Pick<StoredGrant, 'id' | 'did'>): OwnerEvent {
  return { id: ref, did, kind: 'payment.ended', ref }
}

/** Money that went back, or may. Nothing for a payment that stands. */
export function eventsOfReversal(did: string | null, reversal: StoredReversal | null): OwnerEvent[] {
  if (did === null || !reversal || reversal.reversed === null) return []
  const { paymentId, reversed, grantId: ref } = reversal
  return [{ id: `${paymentId} ${reversed}`, did, kind: 'payment.refunded', ref }]
}
