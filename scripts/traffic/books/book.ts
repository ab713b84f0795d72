import { ServiceError } from '@svc/client'
import type { LoadRequest } from '../../measure/load.ts'
import type { Planned } from '../planned.ts'

export interface Heard<Claim> {
  readonly claim: Claim
  readonly answer: unknown
}

/**
 * What one identity has written of one kind: what was acknowledged, and what was sent and never heard of again. The
 * first must be there, the second may be there or not, and neither may be there in half.
 */
export abstract class Book<Claim> {
  protected readonly heard: Heard<Claim>[] = []
  protected readonly unheard: Claim[] = []
  readonly #taken = new Set<Claim>()
  #acknowledged = 0
  #unanswered = 0

  /** How many writes of the load were acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged
  }

  get unanswered(): number {
    return this.#unanswered
  }

  /** How many of those that nobody heard of were there all the same, as far as a proof can tell. */
  get taken(): number {
    return this.#taken.size
  }

  /** The next write, signed; null when this identity may not write another. */
  abstract next(): Promise<Planned | null>

  /** Reads back everything. What does not hold, as sentences; none when all of it does. */
  abstract faults(): Promise<string[]>

  /** Forgets what was signed and not sent. After a fault, before the next writes. */
  resume(): Promise<void> {
    return Promise.resolve()
  }

  protected wasTaken(claim: Claim): void {
    this.#taken.add(claim)
  }

  /** Tries each again that nobody heard of. What is answered now is acknowledged from now on. */
  protected async tryAgain(act: (claim: Claim) => Promise<unknown>): Promise<string[]> {
    const found: string[] = []
    for (const claim of this.unheard.splice(0)) {
      try {
        this.heard.push({ claim, answer: await act(claim) })
      } catch (error) {
        found.push(saying(`${this.constructor.name} tries again what nobody heard of`, error))
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

/** The body of a request that was taken out of the SDK's hands. */
export function sentBody(request: LoadRequest): unknown {
  return JSON.parse(new TextDecoder().decode(request.body))
}

/** The value, or null where the service says that there is none. Other refusals are thrown. */
export function orNull<T>(answer: Promise<T>): Promise<T | null> {
  return answer.catch((error: unknown) => {
    if (error instanceof ServiceError && error.error === 'not_found') return null
    throw error
  })
}

/** What a read that verifies says, as a fault. */
export function saying(what: string, error: unknown): string {
  return `${what}: ${error instanceof ServiceError ? `${error.status} ${error.error}` : String(error)}`
}

/** The `data` of an envelope that was taken as a success. */
export function dataOf<T>(answer: unknown, schema: { parse(value: unknown): T }): T {
  return schema.parse((answer as { readonly data: unknown }).data)
}
