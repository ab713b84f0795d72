import type { Result } from '@svc/protocol/base/result'
import { RecordedObject } from '@svc/service/recorded-object'
import type { Full } from '../../quota/budget.ts'
import { CAPSULE_OWNER, OWNER_RECORDS } from './schema.ts'
import { type Held, OwnerTransaction } from './transaction.ts'

/**
 * How many capsules one identity keeps, over all buckets. Named by the DID. The buckets tell it what they wrote.
 */
export class CapsuleOwnerObject extends RecordedObject<Env> {
  static override readonly schemas = [CAPSULE_OWNER]
  static override readonly records = { objects: 'capsule-owners', plan: OWNER_RECORDS } as const
  readonly #transaction = new OwnerTransaction(this.stored)

  /** Idempotent for one attempt. Expects a caller whose assertion was verified. */
  reserve(id: string, assetId: string, limit: number, now: number): Result<null, Full> {
    const reserved = this.#transaction.reserve(id, assetId, limit, now)
    this.#keepAlarm(now)
    return reserved
  }

  release(id: string): void {
    this.#transaction.release(id)
  }

  /** Idempotent. */
  take(held: readonly Held[], now: number): void {
    this.#transaction.take(held, now)
    this.#keepAlarm(now)
  }

  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    this.#keepAlarm(Date.now())
    await this.keepRecords()
  }

  #keepAlarm(now: number): void {
    const due = this.#transaction.forget(now)
    if (due !== null) void this.stored.alarm.by(due)
  }
}
