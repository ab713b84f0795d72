import { err, type Result } from '@svc/protocol/base/result'
import { type Budget, TIER_BUDGETS, type Tier } from '@svc/protocol/pay/tiers'
import { ApiError, type StandingClient } from '@svc/service'

export interface BudgetRefusal {
  readonly reason: 'budget_exhausted'
  readonly budget: Budget
  readonly used: number
  readonly limit: number
  readonly tier: Tier
}

/** A write did not fit, and changed nothing. */
export interface Full {
  readonly reason: 'full'
  readonly used: number
}

/**
 * What an identity keeps at provenance. Each write holds to its limit by itself. The tier is asked for when something does
 * not fit, so that writing within the free budget depends on nothing else.
 */
export class KeptBudget {
  readonly #pay: Pick<StandingClient, 'standing'>

  constructor(pay: Pick<StandingClient, 'standing'>) {
    this.#pay = pay
  }

  async within<T, E extends { readonly reason: string }>(
    did: string,
    budget: Budget,
    write: (limit: number) => Promise<Result<T, E | Full>>,
  ): Promise<Result<T, Exclude<E, Full> | BudgetRefusal>> {
    const first = await write(TIER_BUDGETS.notes[budget])
    if (first.ok || !isFull(first.error)) return first as Result<T, Exclude<E, Full>>
    const { tier } = await this.#pay.standing(did)
    const limit = TIER_BUDGETS[tier][budget]
    const second = tier === 'notes' ? first : await write(limit)
    if (second.ok || !isFull(second.error)) return second as Result<T, Exclude<E, Full>>
    return err({ reason: 'budget_exhausted', budget, used: second.error.used, limit, tier })
  }
}

/** The public error when something exceeds a budget. */
export function budgetError(refusal: {
  readonly budget: string
  readonly used: number
  readonly limit: number
  readonly tier: string
}): ApiError {
  const { budget, used, limit, tier } = refusal
  return new ApiError('budget_exhausted', { details: { budget, used, limit, tier } })
}

function isFull(error: { readonly reason: string }): error is Full {
  return error.reason === 'full'
}
