import { ok, type Result } from '@svc/protocol/base/result'
import type { StandingClient } from '@svc/service'
import { type Amounts, type BudgetedWrite, type BudgetRefusal, decideRoom } from './budget-rules.ts'
import type { UsageStore } from './usage-store.ts'

/** What pay has said of a tier is taken for so long without asking again. */
const TIER_AGE_MS = 60_000
const FREE = 'notes'

/**
 * The budget of what an identity keeps. The tier is asked for when something does not fit, so that writing within the free
 * budget depends on nothing else, and a tier that was bought counts at once.
 */
export class ConsentBudget {
  readonly #usage: UsageStore
  readonly #pay: Pick<StandingClient, 'standing'>

  constructor(usage: UsageStore, pay: Pick<StandingClient, 'standing'>) {
    this.#usage = usage
    this.#pay = pay
  }

  /**
   * The most that the database of the identifier may count for this write; the write itself holds to it. With several
   * databases, writes that meet in different ones may exceed the budget by as many.
   */
  async roomFor(
    { did, hash, write }: { readonly did: string; readonly hash: string; readonly write: BudgetedWrite },
    now: number,
  ): Promise<Result<Amounts, BudgetRefusal>> {
    const { used, elsewhere, tier: known } = await this.#usage.read(did, hash, now)
    const first = decideRoom(used, write, known ?? FREE)
    if (first.ok) return ok(minus(first.value, elsewhere))
    const { tier, until } = await this.#pay.standing(did)
    if (tier === first.error.tier) return first
    await this.#usage.entitle(did, tier, Math.min(until ?? Number.POSITIVE_INFINITY, now + TIER_AGE_MS))
    const again = decideRoom(used, write, tier)
    return again.ok ? ok(minus(again.value, elsewhere)) : again
  }
}

function minus(limits: Amounts, elsewhere: Amounts): Amounts {
  return {
    consentRecords: limits.consentRecords - elsewhere.consentRecords,
    consentActs: limits.consentActs - elsewhere.consentActs,
  }
}
