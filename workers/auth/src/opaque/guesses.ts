import { err, ok, type Result } from '@svc/protocol/base/result'
import type { CounterService, Window } from '@svc/service'
import type { Guesser } from './known-device.ts'

/**
 * Each first message lets its sender try one password against one identifier, from any number of addresses; unknown
 * identifiers count like any other. A registration is evaluated under the same key, and reveals as much to someone who
 * kept the answer to a login. Without a challenge that is 5,760 guesses a day, and more than a person needs; with one,
 * 86,400. Devices that signed in with the identifier before are counted separately, so that nobody can lock them out.
 */
export const GUESSES = {
  free: { counter: 'guess', limit: 60, seconds: 900, protects: 'guess' },
  challenged: { counter: 'guess-challenged', limit: 60, seconds: 60, protects: 'guess' },
  known: { counter: 'guess-known', limit: 10, seconds: 60, protects: 'guess' },
} as const satisfies Record<string, Window>

export type GuessRefusal =
  | { readonly reason: 'challenge_required' }
  | { readonly reason: 'rate_limited'; readonly counter: string; readonly retryAfterSeconds: number }

/** Counts guesses exactly, over all locations: one object per identifier or device. */
export class GuessService {
  readonly #counters: CounterService

  constructor(counters: CounterService) {
    this.#counters = counters
  }

  /** `passes` verifies the challenge, and is only asked when one is due. */
  async count({ kind, name }: Guesser, passes: () => Promise<boolean>): Promise<Result<void, GuessRefusal>> {
    if (kind === 'known') return this.#take(GUESSES.known, name)
    const free = await this.#take(GUESSES.free, name)
    if (free.ok) return free
    return (await passes()) ? this.#take(GUESSES.challenged, name) : err({ reason: 'challenge_required' })
  }

  async #take(window: Window, name: string): Promise<Result<void, GuessRefusal>> {
    const retryAfterSeconds = await this.#counters.take(window, name)
    if (retryAfterSeconds === 0) return ok(undefined)
    return err({ reason: 'rate_limited', counter: window.counter, retryAfterSeconds })
  }
}
