/**
 * What a transaction comes to. A `Result` that is a refusal leaves nothing behind: everything written before it is
 * rolled back. A refusal that has to leave something (a spent nonce, a counted wrong guess) is wrapped in `Persisted`,
 * so that the type of the transaction says so.
 *
 * @module
 */
import type { Result } from '@svc/protocol/base/result'

/** The outcome of a transaction that commits although it may be a refusal. */
export class Persisted<R extends Result<unknown, unknown>> {
  readonly result: R

  constructor(result: R) {
    this.result = result
  }
}

export function persist<R extends Result<unknown, unknown>>(result: R): Persisted<R> {
  return new Persisted(result)
}

export function isPersisted(outcome: unknown): outcome is Persisted<Result<unknown, unknown>> {
  return outcome instanceof Persisted
}

/** Results are the only outcomes with an `ok`; any other value commits. */
export function isRefusal(outcome: unknown): boolean {
  return typeof outcome === 'object' && outcome !== null && 'ok' in outcome && outcome.ok === false
}
