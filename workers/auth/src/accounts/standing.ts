/**
 * Whether a grant may still change its account, as SQL that stands in the statements that change it.
 *
 * @module
 */
import type { Standing } from '../ceremony/rules.ts'
import { sessionIsLive } from '../sessions/store.ts'

/** Numbers of the parameters: what `proofOf` returns, the account, and the time. */
interface Parameters {
  readonly proof: number
  readonly account: number
  readonly now: number
}

/**
 * A SQL condition. Recovery ends by counting: each use increments the number that the grant names, so of all grants that
 * were given out before, one is used. SQLite counts parameters by the highest number, so both use all three.
 */
export function stands({ by }: Standing, { proof, account, now }: Parameters): string {
  if (by === 'session') return sessionIsLive(proof, account, now)
  return `EXISTS (SELECT 1 FROM accounts WHERE account_id = ?${account} AND recoveries = ?${proof} AND ?${now} > 0)`
}

export function proofOf(standing: Standing): string | number {
  return standing.by === 'session' ? standing.sessionHash : standing.recoveries
}
