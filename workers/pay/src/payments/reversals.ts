/**
 * What it means for a grant that money went back. A payment refunded whole, disputed, or lost in a dispute gives nothing
 * for the time that it had paid for; a partial refund changes nothing. It gives again when the refund fails or the
 * dispute is won.
 *
 * @module
 */
import type { Reversed } from '@svc/protocol/pay/entitlements'
import type { PaidFor, PaymentState } from './news.ts'

export interface StoredReversal {
  readonly paymentId: string
  readonly grantId: string
  readonly from: number
  readonly until: number
  readonly reversed: Reversed | null
  readonly version: number
}

/** What to store; null for a payment that stands and always stood. */
export function reversalOf(state: PaymentState, known: { readonly version: number } | null): StoredReversal | null {
  const { paymentId, paidFor, reversed } = state
  if (!known && reversed === null) return null
  return { paymentId, ...coverOf(paidFor), reversed, version: (known?.version ?? 0) + 1 }
}

/** A pass has one payment, which pays for all of it. */
function coverOf(paidFor: PaidFor): Pick<StoredReversal, 'grantId' | 'from' | 'until'> {
  if ('intentId' in paidFor) return { grantId: `pass:${paidFor.intentId}`, from: 0, until: Number.MAX_SAFE_INTEGER }
  const { subscriptionId, from, until } = paidFor
  return { grantId: `subscription:${subscriptionId}`, from, until }
}
