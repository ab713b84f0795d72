import { ApiError, type CounterService } from '@svc/service'
import type { Admission } from './block-source.ts'
import { FETCHES } from './fetch-limit.ts'

/** Counts exactly what is fetched from the gateway, for the caller who asked for it. */
export class FetchAllowance {
  readonly #counters: CounterService

  constructor(counters: CounterService) {
    this.#counters = counters
  }

  for(caller: string): Admission {
    return async () => {
      const retryAfterSeconds = await this.#counters.take(FETCHES, caller)
      if (retryAfterSeconds > 0) throw new ApiError('rate_limited', { retryAfterSeconds, tier: FETCHES.counter })
    }
  }
}
