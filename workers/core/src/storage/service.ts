import type { Result } from '@svc/protocol/base/result'
import type { StoredAmounts } from '@svc/protocol/internal/storage'
import { TIER_BUDGETS } from '@svc/protocol/pay/tiers'
import type { StandingClient } from '@svc/service'
import type { IdentityObject } from '../identity/object.ts'
import type { IdentityService } from '../identity/service.ts'
import { type BudgetRefusal, type KeptKind, plus, TIER_AGE_MS } from './rules.ts'
import type { KeptItem } from './transaction.ts'

type IdentityStub = DurableObjectStub<IdentityObject>

/**
 * The budget of what an identity keeps. Its object counts; the tier is asked for when something does not fit, so that
 * writing within the free budget depends on nothing else.
 */
export class StorageBudget {
  readonly #identities: IdentityService
  readonly #pay: StandingClient

  constructor(identities: IdentityService, pay: StandingClient) {
    this.#identities = identities
    this.#pay = pay
  }

  /** Counts a record before it is written elsewhere. `isNew` is false if it counts already. */
  keep(did: string, item: KeptItem): Promise<Result<{ readonly isNew: boolean }, BudgetRefusal>> {
    return this.within(() => this.#identities.ask(did, async (identity) => identity.keep(did, item)))
  }

  release(did: string, kind: KeptKind, item: string): Promise<void> {
    return this.#identities.ask(did, async (identity) => identity.releaseKept(kind, item))
  }

  /** Gives back whatever of a kind is not listed: what a crash or another's act has left counted. */
  retain(did: string, kind: KeptKind, items: readonly string[], now: number): Promise<void> {
    return this.#identities.ask(did, async (identity) => identity.retainKept(kind, items, now))
  }

  /** Does work, and again with the tier of today if it was refused for the budget. */
  async within<T, E extends { readonly reason: string }>(
    work: () => Promise<Result<T, E | BudgetRefusal>>,
    again: () => Promise<Result<T, E | BudgetRefusal>> = work,
  ): Promise<Result<T, E | BudgetRefusal>> {
    const first = await work()
    if (first.ok || !isBudgetRefusal(first.error)) return first
    return (await this.#entitled(first.error)) ? again() : first
  }

  async read(did: string): Promise<StoredAmounts | null> {
    const reading = await this.#identities.ask(did, async (identity: IdentityStub) => identity.kept())
    if (!reading) return null
    const { tier, byKind } = reading
    const { storedBytes, storedRows } = TIER_BUDGETS[tier]
    const used = Object.values(byKind).reduce(plus)
    return {
      tier,
      bytes: { used: used.bytes, limit: storedBytes },
      rows: { used: used.rows, limit: storedRows },
      byKind,
    }
  }

  /** Whether the tier is another now than the refusal says. If pay does not answer, nobody is refused: the fault is. */
  async #entitled({ did, tier: known }: BudgetRefusal): Promise<boolean> {
    const { tier, until } = await this.#pay.standing(did)
    if (tier === known) return false
    const asked = Date.now()
    await this.#identities.ask(did, async (identity) =>
      identity.entitle(tier, Math.min(until ?? asked + TIER_AGE_MS, asked + TIER_AGE_MS)),
    )
    return true
  }
}

export function isBudgetRefusal(error: { readonly reason: string }): error is BudgetRefusal {
  return error.reason === 'budget_exhausted'
}
