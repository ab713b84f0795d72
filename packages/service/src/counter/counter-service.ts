import { reaching } from '@svc/protocol/dependency-fault'
import type { Result } from '@svc/protocol/result'
import type { Windows } from '../description.ts'
import type { Window } from '../operation.ts'
import type { CounterObject } from './counter-object.ts'

/** Exact counts, each in an object of its own. One that cannot be reached is a fault, never room for one more. */
export class CounterService implements Windows {
  readonly #objects: DurableObjectNamespace<CounterObject>

  constructor(objects: DurableObjectNamespace<CounterObject>) {
    this.#objects = objects
  }

  async take(window: Window, key: string): Promise<number> {
    const taken = await this.mark(window, key)
    return taken.ok ? 0 : taken.error.retryAfterSeconds
  }

  /** Counts one that may be taken back by the mark that it gives. */
  mark({ counter, limit, seconds }: Window, key: string): Promise<Result<string, { retryAfterSeconds: number }>> {
    return reaching('counter', async () => this.#objects.getByName(`${counter} ${key}`).take({ limit, seconds }))
  }

  release({ counter }: Window, key: string, mark: string): Promise<void> {
    return reaching('counter', async () => this.#objects.getByName(`${counter} ${key}`).release(mark))
  }
}
