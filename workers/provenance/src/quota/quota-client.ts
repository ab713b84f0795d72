import { reservationSchema, reserveAnswerSchema } from '@svc/protocol/quota'
import { err, ok, type Result } from '@svc/protocol/result'
import type { InternalClient } from '@svc/service'
import type { Exhausted, QuotaRefusal } from './quota.ts'

/** Held while a registration is under way: two internal calls and two writes take seconds, a retry comes within minutes. */
const HELD_SECONDS = 600

/** The meter `capsule` of an identity, which pay keeps. The same key is the same unit, however often it is asked for. */
export class QuotaClient {
  readonly #pay: InternalClient

  constructor(pay: InternalClient) {
    this.#pay = pay
  }

  /** Holds one unit; of a key that was finalized before, nothing more is held. */
  async reserve(did: string, key: string): Promise<Result<void, QuotaRefusal>> {
    const body = { did, kind: 'capsule', amount: 1, key, ttlSeconds: HELD_SECONDS } as const
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

  /** Turns the unit into use. Anything but `finalized`, also one that is no longer held, has counted nothing. */
  async finalize(did: string, key: string): Promise<Result<void, QuotaRefusal>> {
    const settled = await this.#pay.call(
      { method: 'POST', path: '/api/internal/quota/finalize', body: { did, key } },
      reservationSchema,
    )
    if (!settled.ok) return err({ reason: 'unavailable', detail: detailOf(settled.error) })
    if (settled.value.state === 'finalized') return ok(undefined)
    return err({ reason: 'unavailable', detail: `pay: finalized ${settled.value.state}` })
  }

  /** Lets go of the unit, as far as it is held. What cannot be let go of ends by itself, so nobody waits for it. */
  async release(did: string, key: string): Promise<void> {
    await this.#pay.call({ method: 'POST', path: '/api/internal/quota/release', body: { did, key } }, reservationSchema)
  }
}

function detailOf(failure: { readonly reason: string; readonly detail?: string; readonly error?: string }): string {
  return `pay: ${failure.detail ?? failure.error ?? failure.reason}`
}
