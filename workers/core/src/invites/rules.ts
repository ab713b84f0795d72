/**
 * How long a request for an invitation is kept, and what becomes of a decision about one. The first decision stands: a
 * request is decided once. Pure.
 *
 * @module
 */
import type { InviteState } from '@svc/protocol/operator/invites'
import type { Tier } from '@svc/protocol/pay/tiers'

const DAY_MS = 24 * 3_600_000
/** Long enough to look at a request; the page says it. */
export const OPEN_DAYS = 90
/** Long enough to answer questions about a decision; the page says it. */
export const DECIDED_DAYS = 30
export const OPEN_MS = OPEN_DAYS * DAY_MS
export const DECIDED_MS = DECIDED_DAYS * DAY_MS
/** How long a mailed code can be redeemed. */
export const REDEEMABLE_MS = 90 * DAY_MS
/**
 * How long one request of the operator has to carry out a decision before another one may: pay is given five seconds and the
 * mail service little more. Only then could the same mail be sent twice.
 */
export const HOLD_MS = 60_000

export type Decision =
  | { readonly decision: 'approved'; readonly tier: Tier; readonly days: number }
  | { readonly decision: 'declined'; readonly mails: boolean }

/** What is known of a request besides the person. */
export interface Standing {
  /** Null while it is open. */
  readonly decided: Decision | null
  /** Null until the decision was carried out. */
  readonly doneAt: number | null
}

export function stateOf({ decided, doneAt }: Standing): InviteState {
  if (decided === null) return 'open'
  if (decided.decision === 'approved') return doneAt === null ? 'approving' : 'approved'
  return doneAt === null ? 'declining' : 'declined'
}

export type InviteRefusal = {
  readonly reason: 'not_found' | 'invite_decided' | 'invite_under_way' | 'invite_unreadable'
}

/**
 * What another request of the operator is told, which did not get to carry out its decision: null if that stands already.
 * An approval with other terms is another decision: its code gives what the first one said.
 */
export function refusalOf({ decided, doneAt }: Standing, wanted: Decision): InviteRefusal | null {
  if (decided === null || !isSame(decided, wanted)) return { reason: 'invite_decided' }
  return doneAt === null ? { reason: 'invite_under_way' } : null
}

function isSame(decided: Decision, wanted: Decision): boolean {
  if (decided.decision === 'approved') {
    return wanted.decision === 'approved' && decided.tier === wanted.tier && decided.days === wanted.days
  }
  return wanted.decision === 'declined' && decided.mails === wanted.mails
}
