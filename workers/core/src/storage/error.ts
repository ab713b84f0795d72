import { ApiError } from '@svc/service'
import type { BudgetRefusal } from './rules.ts'

/** The public error when a record exceeds the budget of its identity. */
export function budgetError({ budget, used, limit, tier }: Omit<BudgetRefusal, 'did' | 'reason'>): ApiError {
  return new ApiError('budget_exhausted', { details: { budget, used, limit, tier } })
}
