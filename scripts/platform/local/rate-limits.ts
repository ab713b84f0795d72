/**
 * A Miniflare plugin, loaded by path, that counts rate limits in memory. It replaces the local runtime's own simulation,
 * which sends each call to a SQLite database in another isolate.
 *
 * @module
 */
import { join } from 'node:path'
import type { V4WorkerOptionsShape } from 'miniflare'
import { bindingPlugin } from './binding-plugin.ts'

type RateLimits = NonNullable<V4WorkerOptionsShape['ratelimits']>
type UnsafeBindings = NonNullable<V4WorkerOptionsShape['unsafeBindings']>

const NAME = 'local-rate-limits'
const DEFAULT_PERIOD_SECONDS = 60

/** The rate-limit bindings of a Worker's configuration, as this plugin takes them. */
export function localRateLimits(ratelimits: RateLimits): UnsafeBindings {
  return Object.entries(ratelimits).map(([name, { namespace_id, simple }]) => ({
    name,
    type: NAME,
    plugin: { package: import.meta.filename, name: NAME },
    options: { namespace: namespace_id, limit: simple.limit, period: simple.period ?? DEFAULT_PERIOD_SECONDS },
  }))
}

/** Each Worker's isolate keeps its own counts, so a namespace that two Workers share would be counted twice. */
export function requireOwnNamespaces(
  workers: readonly { name: string; options: { unsafeBindings?: UnsafeBindings | undefined } }[],
): void {
  const owners = new Map<string, string>()
  for (const { name, options } of workers)
    for (const binding of options.unsafeBindings?.filter(({ type }) => type === NAME) ?? []) {
      const namespace = JSON.stringify(binding.options['namespace'])
      const owner = owners.get(namespace) ?? name
      if (owner !== name)
        throw new Error(`${owner} and ${name} share the rate-limit namespace ${namespace}: give each its own`)
      owners.set(namespace, owner)
    }
}

/** Read by Miniflare. */
export const plugins = bindingPlugin({
  name: NAME,
  description: 'Rate limit, in memory',
  entrypoint: 'rateLimitBinding',
  file: join(import.meta.dirname, 'rate-limit-binding.ts'),
})
