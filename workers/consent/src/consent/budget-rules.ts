/**
 * What an identity may keep at consent: declarations, claims included, and signed acts.
 *
 * @module
 */
import { err, ok, type Result } from '@svc/protocol/base/result'
import { type Budget, TIER_BUDGETS, type Tier } from '@svc/protocol/pay/tiers'

/** What each kind of write takes: an update adds an act and no record, a claim the reverse. */
export const BUDGETS_OF = {
  create: ['consentRecords', 'consentActs'],
  update: ['consentActs'],
  claim: ['consentRecords'],
} as const satisfies Record<string, readonly Budget[]>
export type BudgetedWrite = keyof typeof BUDGETS_OF

export type Amounts = { readonly [B in (typeof BUDGETS_OF)['create'][number]]: number }

export interface BudgetRefusal {
  readonly reason: 'budget_exhausted'
  readonly budget: keyof Amounts
  readonly used: number
  readonly limit: number
  readonly tier: Tier
}

/** Whether one more fits. */
export function decideRoom(used: Amounts, write: BudgetedWrite, tier: Tier): Result<Amounts, BudgetRefusal> {
  const limits = TIER_BUDGETS[tier]
  const full = BUDGETS_OF[write].find((budget) => used[budget] >= limits[budget])
  if (full === undefined) return ok(limits)
  return err({ reason: 'budget_exhausted', budget: full, used: used[full], limit: limits[full], tier })
}
