import { reaching } from '@svc/protocol/base/dependency-fault'
import { ok, type Result } from '@svc/protocol/base/result'
import type { Windows } from '../app/description.ts'
import type { CounterObject, Taken } from './counter-object.ts'
import type { Window } from './declared-limits.ts'

/** Exact counts, each in its own object. If one is unreachable, the call fails; it never allows one more. */
export class CounterService implements Windows {
  readonly #objects: DurableObjectNamespace<CounterObject>

  constructor(objects: DurableObjectNamespace<CounterObject>) {
    this.#objects = objects
  }

  async take(window: Window, key: string): Promise<number> {
    const taken = await this.attempt(window, key)
    return taken.ok ? 0 : taken.error.retryAfterSeconds
  }

  /** Counts one and returns how many are left after it. */
  attempt({ counter, limit, seconds }: Window, key: string): Promise<Result<Taken, { retryAfterSeconds: number }>> {
    return reaching('counter', async () => this.#objects.getByName(`${counter} ${key}`).take({ limit, seconds }))
  }

  /** Counts one and returns a mark with which it can be undone. */
  async mark(window: Window, key: string): Promise<Result<string, { retryAfterSeconds: number }>> {
    const taken = await this.attempt(window, key)
    return taken.ok ? ok(taken.value.mark) : taken
  }

  release({ counter }: Window, key: string, mark: string): Promise<void> {
    return reaching('counter', async () => this.#objects.getByName(`${counter} ${key}`).release(mark))
  }
}
