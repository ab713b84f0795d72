import { err, ok, type Result } from '@svc/protocol/base/result'
import { reservationSchema, reserveAnswerSchema } from '@svc/protocol/pay/quota'
import type { InternalClient } from '@svc/service'
import type { Exhausted, QuotaRefusal } from './rules.ts'
import type { UnitNames } from './unit-names.ts'

/** How long a unit is held: a registration takes seconds, and a retry comes within minutes. */
const HELD_SECONDS = 600

/** An identity's `capsule` meter, which pay keeps. One key is one unit, however often it is requested; pay gets its name. */
export class QuotaClient {
  readonly #pay: InternalClient
  readonly #names: UnitNames

  constructor(pay: InternalClient, names: UnitNames) {
    this.#pay = pay
    this.#names = names
  }

  /** Holds one unit. Holds nothing more for a key that was already finalized. */
  async reserve(did: string, key: string): Promise<Result<void, QuotaRefusal>> {
    const name = await this.#names.of(did, key)
    const body = { did, kind: 'capsule', amount: 1, ...name, ttlSeconds: HELD_SECONDS } as const
    const reserved = await this.#pay.call(
      { method: 'POST', path: '/api/internal/quota/reserve', body },
      reserveAnswerSchema,
    )
    if (!reserved.ok) return err({ reason: 'unavailable', detail: detailOf(reserved.error) })
    const answer = reserved.value
    switch (answer.state) {
      case 'reserved':
      case 'finalized':
        return ok(undefined)
      case 'exhausted': {
        const { kind, used, limit, tier } = answer
        return err({ reason: 'exhausted', kind, used, limit, tier } satisfies Exhausted)
      }
      case 'released':
      case 'expired':
        return err({ reason: 'unavailable', detail: `pay: reserved ${answer.state}` })
    }
  }

  /** Turns the held unit into usage. Any result but `finalized` counted nothing, including a hold that has expired. */
  async finalize(did: string, key: string): Promise<Result<void, QuotaRefusal>> {
    const settled = await this.#pay.call(
      { method: 'POST', path: '/api/internal/quota/finalize', body: { did, ...(await this.#names.of(did, key)) } },
      reservationSchema,
    )
    if (!settled.ok) return err({ reason: 'unavailable', detail: detailOf(settled.error) })
    if (settled.value.state === 'finalized') return ok(undefined)
    return err({ reason: 'unavailable', detail: `pay: finalized ${settled.value.state}` })
  }

  /** Releases the unit if it is held. A hold that cannot be released expires by itself, so callers need not wait. */
  async release(did: string, key: string): Promise<void> {
    const body = { did, ...(await this.#names.of(did, key)) }
    await this.#pay.call({ method: 'POST', path: '/api/internal/quota/release', body }, reservationSchema)
  }
}

function detailOf(failure: { readonly reason: string; readonly detail?: string; readonly error?: string }): string {
  return `pay: ${failure.detail ?? failure.error ?? failure.reason}`
}
