import { reaching } from '@svc/protocol/base/dependency-fault'
import type { Result } from '@svc/protocol/base/result'
import { doneOrDelayed, type StandingClient } from '@svc/service'
import type { BudgetRefusal } from '../consent/budget-rules.ts'
import type { ConsentCreatorObject } from './object.ts'
import type { CreatorList, Reservation } from './transaction.ts'

/** What pay has said of a tier is taken for so long without asking again. */
const TIER_AGE_MS = 60_000

/** The lists of creators, and the room that they leave. */
export class Creators {
  readonly #objects: DurableObjectNamespace<ConsentCreatorObject>
  readonly #pay: Pick<StandingClient, 'standing'>

  constructor(objects: DurableObjectNamespace<ConsentCreatorObject>, pay: Pick<StandingClient, 'standing'>) {
    this.#objects = objects
    this.#pay = pay
  }

  list(did: string, after: string | null, limit: number): Promise<CreatorList> {
    return reaching('consent', () => this.#objects.getByName(did).list(did, after, limit))
  }

  /**
   * Reserves room for a write. The tier is asked for when something does not fit, so that writing within the free budget
   * depends on nothing else, and a tier that was bought counts at once.
   */
  async reserve(did: string, reservation: Reservation, now: number): Promise<Result<boolean, BudgetRefusal>> {
    const list = this.#objects.getByName(did)
    const take = () => reaching<Result<boolean, BudgetRefusal>>('consent', async () => list.reserve(reservation, now))
    const first = await take()
    if (first.ok) return first
    const { tier, until } = await this.#pay.standing(did)
    if (tier === first.error.tier) return first
    await reaching('consent', () => list.entitle(tier, Math.min(until ?? Number.POSITIVE_INFINITY, now + TIER_AGE_MS)))
    return take()
  }

  /** The write was refused. If this fails, the room is void after a while. */
  async release(did: string, id: string): Promise<void> {
    await doneOrDelayed({ service: 'consent', delayed: 'creator room' }, async () =>
      this.#objects.getByName(did).release(id),
    )
  }
}
