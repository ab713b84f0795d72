import { quotasOf, type Service } from '@svc/rate-limit'

/** What a declaration of a Worker says of its limits; the rest of an operation is left out. */
export interface LimitedOperation {
  readonly id: string
  readonly auth: string
  readonly limit?: { readonly limit: number } | undefined
  readonly callerTiers?: { readonly anonymous: number } | undefined
}

export interface LimitBinding {
  readonly name: string
  readonly simple: { readonly limit: number; readonly period: number }
}

/** Who counts by a limit for 60 seconds: tiers and operationIds. */
export type Uses = ReadonlyMap<number, readonly string[]>

const PERIOD_SECONDS = 60

/** Every limit that a rate-limit binding has to count. Windows and callers' tiers are counted in Durable Objects. */
export function usesOf(service: Service, operations: readonly LimitedOperation[]): Uses {
  const uses = new Map<number, string[]>()
  const add = (limit: number | undefined, by: string) => {
    if (limit !== undefined) uses.set(limit, [...(uses.get(limit) ?? []), by])
  }
  for (const { tier, limit } of quotasOf(service)) add(limit, `tier ${tier}`)
  for (const { id, auth, limit, callerTiers } of operations) {
    // Calls between Workers are not metered.
    if (auth === 'internal') continue
    add(limit?.limit, id)
    add(callerTiers?.anonymous, id)
  }
  return uses
}

/** What is wrong with the bindings of one wrangler.jsonc, one sentence each, with the way out. */
export function limitFaults(path: string, uses: Uses, bindings: readonly LimitBinding[]): string[] {
  const bound = bindings.map(({ simple }) => simple.limit)
  const missing = [...uses].filter(([limit]) => !bound.includes(limit))
  const unused = bindings.filter(({ simple }) => !uses.has(simple.limit))
  const misnamed = bindings.filter(
    ({ name, simple }) => name !== `LIMIT_${simple.limit}` || simple.period !== PERIOD_SECONDS,
  )
  const sizes = bound.toSorted((a, b) => a - b).join(', ')
  return [
    ...missing.map(
      ([limit, by]) =>
        `${path}: no rate-limit binding counts ${limit} requests (${by.join(', ')}). Use one of ${sizes}, or add ` +
        `LIMIT_${limit} to "ratelimits" and run scripts/test --fix. Without it the limiter allows 10 in each isolate`,
    ),
    ...unused.map(({ name }) => `${path}: nothing counts by ${name}: remove it and run scripts/test --fix`),
    ...misnamed.map(
      ({ name, simple: { limit, period } }) =>
        `${path}: ${name} counts ${limit} in ${period} seconds: call it LIMIT_${limit}, with a period of ${PERIOD_SECONDS}`,
    ),
  ]
}
