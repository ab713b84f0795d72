import type { Result } from '@svc/protocol/base/result'
import type { Tier } from '@svc/protocol/pay/tiers'
import { RecordedObject } from '@svc/service/recorded-object'
import type { BudgetRefusal } from '../consent/budget-rules.ts'
import type { Holding } from './holding.ts'
import { CONSENT_CREATOR, CREATOR_RECORDS } from './schema.ts'
import { type CreatorList, CreatorTransaction, type Reservation } from './transaction.ts'

/**
 * What one creator declares and claims, over all stores, and how much that is. Named by the DID. The stores tell it what
 * they wrote; it holds no signature and can be rebuilt from them. Its tables are made by the first write of the creator.
 */
export class ConsentCreatorObject extends RecordedObject<Env> {
  static override readonly schemas = [CONSENT_CREATOR]
  static override readonly records = { objects: 'consent-creators', plan: CREATOR_RECORDS } as const
  readonly #transaction = new CreatorTransaction(this.stored)

  /** Idempotent for one act. Expects a caller who has verified its signature. */
  reserve(reservation: Reservation, now: number): Result<boolean, BudgetRefusal> {
    return this.#transaction.reserve(reservation, now)
  }

  release(id: string): void {
    this.#transaction.release(id)
  }

  entitle(tier: Tier, until: number): void {
    this.#transaction.entitle(tier, until)
  }

  /** Idempotent. */
  take(holdings: readonly Holding[]): void {
    this.#transaction.take(holdings)
  }

  list(did: string, after: string | null, limit: number): CreatorList {
    return this.#transaction.list(did, after, limit)
  }
}
