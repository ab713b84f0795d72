/**
 * The rule of an exact limit: at most so many in any so many seconds. Pure; time is passed in.
 *
 * @module
 */
export interface Limit {
  readonly limit: number
  readonly seconds: number
}

/** A time counts for `seconds`, excluding the moment at their end. */
export function countsFrom(now: number, { seconds }: Pick<Limit, 'seconds'>): number {
  return now - seconds * 1000
}

/**
 * Whole seconds until one more fits, 0 if it fits now. `times` ascend; expired ones may be among them.
 */
export function secondsToWait(times: readonly number[], quota: Limit, now: number): number {
  const counted = times.filter((time) => time > countsFrom(now, quota))
  const oldest = counted.at(-quota.limit)
  if (counted.length < quota.limit || oldest === undefined) return 0
  return Math.max(1, Math.ceil((oldest + quota.seconds * 1000 - now) / 1000))
}
