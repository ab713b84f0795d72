import type { Route } from '../app/operation.ts'
import type { RouteLimit } from './declared-limits.ts'

/**
 * The limit of a path that has no operation for the request, but lies under a path that one limit counts as a whole. The
 * operations there declare the same limit.
 */
export function areaLimits(routes: readonly Route<never>[]): (path: string) => RouteLimit | undefined {
  const limits = routes.flatMap(({ operation: { limit } }) => (limit?.under === undefined ? [] : [limit]))
  return (path) => limits.find(({ under = path }) => path.startsWith(under))
}
