import { ServiceError } from '@svc/client'
import type { LoadRequest } from '@svc/platform/callers/send'
import type { Planned } from '../planned.ts'

export interface Heard<Claim> {
  readonly claim: Claim
  readonly answer: unknown
}

/**
 * The writes of one kind by one identity: acknowledged ones, and ones that were sent without an answer. Acknowledged
 * writes must exist, unanswered ones may, and none may exist in part.
 */
export abstract class Book<Claim> {
  protected readonly heard: Heard<Claim>[] = []
  protected readonly unheard: Claim[] = []
  readonly #taken = new Set<Claim>()
  #acknowledged = 0
  #unanswered = 0

  /** The number of acknowledged writes. */
  get acknowledged(): number {
    return this.#acknowledged
  }

  get unanswered(): number {
    return this.#unanswered
  }

  /** How many unanswered writes were applied, as far as a proof can tell. */
  get taken(): number {
    return this.#taken.size
  }

  /** The next write, signed; null if this identity has reached its limit. */
  abstract next(): Promise<Planned | null>

  /** Reads everything back. Returns a sentence for each fault. */
  abstract faults(): Promise<string[]>

  /** Drops writes that were signed and not sent. Call after a kill, before the next writes. */
  resume(): Promise<void> {
    return Promise.resolve()
  }

  protected wasTaken(claim: Claim): void {
    this.#taken.add(claim)
  }

  /** Retries each unanswered write. A write answered now counts as acknowledged. */
  protected async tryAgain(act: (claim: Claim) => Promise<unknown>): Promise<string[]> {
    const found: string[] = []
    for (const claim of this.unheard.splice(0)) {
      try {
        this.heard.push({ claim, answer: await act(claim) })
      } catch (error) {
        found.push(saying(`${this.constructor.name} retries unanswered writes`, error))
      }
    }
    return found
  }

  protected planned(request: LoadRequest, status: number, claim: Claim, lane?: string): Planned {
    const settle = (body: unknown) => {
      if (body === null) {
        this.unheard.push(claim)
        this.#unanswered += 1
      } else {
        this.heard.push({ claim, answer: body })
        this.#acknowledged += 1
      }
    }
    return { request, status, settle, ...(lane === undefined ? {} : { lane }) }
  }
}

/** The body of a request that was intercepted from the SDK. */
export function sentBody(request: LoadRequest): unknown {
  return JSON.parse(new TextDecoder().decode(request.body))
}

/** The value, or null if the service returns 404. Throws other errors. */
export function orNull<T>(answer: Promise<T>): Promise<T | null> {
  return answer.catch((error: unknown) => {
    if (error instanceof ServiceError && error.error === 'not_found') return null
    throw error
  })
}

/** Turns the error of a verifying read into a fault. */
export function saying(what: string, error: unknown): string {
  return `${what}: ${error instanceof ServiceError ? `${error.status} ${error.error}` : String(error)}`
}

/** The `data` of a successful response. */
export function dataOf<T>(answer: unknown, schema: { parse(value: unknown): T }): T {
  return schema.parse((answer as { readonly data: unknown }).data)
}
