/**
 * A Miniflare plugin, loaded by path, that counts rate limits in memory. It replaces the local runtime's own simulation,
 * which sends each call to a SQLite database in another isolate.
 *
 * @module
 */
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import type { Plugin, V4WorkerOptionsShape } from 'miniflare'

type RateLimits = NonNullable<V4WorkerOptionsShape['ratelimits']>
type UnsafeBindings = NonNullable<V4WorkerOptionsShape['unsafeBindings']>

const NAME = 'local-rate-limits'
const MODULE = `${NAME}:binding`
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

/** A binding as Miniflare passes it to its plugins. Miniflare's own type comes from a package that is not installed. */
interface ParsedBinding {
  readonly type: string
  readonly dev?: { readonly options?: Readonly<Record<string, unknown>> }
}

function settingsOf({ config }: Parameters<Plugin['getBindings']>[0]) {
  const bindings = Object.entries((config.env ?? {}) as Readonly<Record<string, ParsedBinding>>)
  return bindings
    .filter(([, { type }]) => type === `unsafe:${NAME}`)
    .map(([name, { dev }]) => ({ name, settings: Object.entries(dev?.options ?? {}) }))
}

/** Read by Miniflare. */
export const plugins: Record<string, Plugin> = {
  [NAME]: {
    bindingTypeDescription: 'Rate limit, in memory',
    getBindings: (options) =>
      settingsOf(options).map(({ name, settings }) => ({
        name,
        wrapped: {
          moduleName: MODULE,
          entrypoint: 'rateLimitBinding',
          innerBindings: settings.map(([key, value]) => ({ name: key, json: JSON.stringify(value) })),
        },
      })),
    getNodeBindings: () => ({}),
    getServices: () => [],
    getExtensions: ({ options }) =>
      options.some((worker) => settingsOf(worker).length > 0)
        ? [{ modules: [{ name: MODULE, esModule: bindingModule(), internal: true }] }]
        : [],
  },
}

function bindingModule(): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(import.meta.dirname, 'rate-limit-binding.ts')],
    write: false,
    format: 'esm',
    target: 'es2024',
  })
  return outputFiles.map(({ text }) => text).join('')
}
