import { checkOptions, type Members } from '../arguments/check.ts'
import { ConfigurationError } from './configuration-error.ts'

export interface RetryOptions {
  /** How often a request is sent at most, the first time included. Default 3. */
  readonly attempts?: number
  /** The longest first pause, in ms; it doubles each time, and a random part of it is waited. Default 250. */
  readonly baseDelayMs?: number
  /** The longest pause, in ms. A service that asks for more with `Retry-After` is not asked again. Default 10,000. */
  readonly maxDelayMs?: number
  /**
   * How many repetitions all calls of a client can make together before they stop repeating; ten answers without an
   * error give one back. Default 20.
   */
  readonly budget?: number
}

/** Runs out of time after so many ms, or throws the reason of the signal. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

const DEFAULTS: Required<RetryOptions> = { attempts: 3, baseDelayMs: 250, maxDelayMs: 10_000, budget: 20 }
const MEMBERS: Members<RetryOptions> = { attempts: 0, baseDelayMs: 0, maxDelayMs: 0, budget: 0 }
/** What one repetition takes from the budget, in what one good answer gives back. */
const COST = 10

/** Decides whether and when a request is sent again. One for all calls of a client, which share its budget. */
export class Retries {
  readonly #options: Required<RetryOptions>
  readonly #random: () => number
  #left: number

  constructor(options: RetryOptions | false = {}, random: () => number = Math.random) {
    if (options !== false) checkOptions('retries', 'retries', options, MEMBERS)
    this.#options = checked(options === false ? { ...DEFAULTS, attempts: 1 } : { ...DEFAULTS, ...options })
    this.#random = random
    this.#left = this.#options.budget * COST
  }

  /** How long to wait before the next attempt, ms, or null if there is none. Takes one repetition from the budget. */
  next(attempt: number, retryAfterSeconds = 0): number | null {
    const { attempts, baseDelayMs, maxDelayMs } = this.#options
    const asked = retryAfterSeconds * 1000
    if (attempt >= attempts || asked > maxDelayMs || this.#left < COST) return null
    this.#left -= COST
    const longest = Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1))
    // At least what the service asks for, and not at the same moment as everybody else whom it asked.
    return Math.min(maxDelayMs, asked + this.#random() * longest)
  }

  succeeded(): void {
    this.#left = Math.min(this.#options.budget * COST, this.#left + 1)
  }
}

function checked(options: Required<RetryOptions>): Required<RetryOptions> {
  for (const [name, value] of Object.entries(options)) {
    const least = name === 'attempts' ? 1 : 0
    if (Number.isFinite(value) && value >= least && (name !== 'attempts' || Number.isInteger(value))) continue
    throw new ConfigurationError(`retries.${name}`, `\`retries.${name}\` must be a number of at least ${least}`)
  }
  return options
}

/** The runtime's clock. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted === true) stop()
  })
}
