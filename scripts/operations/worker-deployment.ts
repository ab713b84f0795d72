/**
 * Derives the configuration for a Worker's deployment from the committed one and the environment. Pure.
 *
 * @module
 */
import { join } from 'node:path'
import { logListKeyVars, serviceKeyVars } from '@svc/platform/service-keys'
import { ROOT, type WorkerName } from '@svc/platform/workspace'
import { SIBLING_NAMES } from '@svc/protocol/http/discovery-document'
import { allowConsole } from './console/console-deployment.ts'
import type { Deployment, Json, Vars } from './deployment.ts'

/** The parts of a wrangler.jsonc that differ between environments. Everything else is passed through. */
export interface RawConfig {
  readonly name: string
  readonly main: string
  readonly compatibility_flags?: readonly string[]
  readonly limits?: { readonly cpu_ms: number }
  readonly vars: Vars
  readonly observability?: object
  readonly migrations?: readonly { readonly tag: string }[]
  readonly secrets?: { readonly required: readonly string[] }
  readonly durable_objects?: {
    readonly bindings: readonly { name: string; class_name: string; script_name?: string }[]
  }
  readonly d1_databases?: readonly {
    binding: string
    database_name: string
    database_id: string
    migrations_dir: string
  }[]
  readonly kv_namespaces?: readonly { binding: string; id: string }[]
  readonly r2_buckets?: readonly { binding: string; bucket_name: string }[]
  readonly vectorize?: readonly { binding: string; index_name: string }[]
  readonly services?: readonly { binding: string; service: string; entrypoint?: string; props?: object }[]
  readonly ratelimits?: readonly { name: string; namespace_id: string; simple: object }[]
  readonly analytics_engine_datasets?: readonly { binding: string; dataset: string }[]
  readonly assets?: { readonly directory: string; readonly binding?: string }
  readonly build?: object
  readonly $schema?: string
}

/** Variables in the committed configuration that are secrets in a deployment. */
const SECRET_VARS = ['TURNSTILE_SECRET']
/** A placeholder id for a dry run of an environment without resources. */
const NO_ID = '00000000-0000-0000-0000-000000000000'
const NO_KV_ID = '0'.repeat(32)

/** The compatibility flag with which the runtime has ML-DSA-65. */
export const MODERN_ALGORITHMS = 'webcrypto_modern_algorithms'

/**
 * How long a running object may finish what it does on the code of before. It is also the longest time for which a new
 * Worker that gets all traffic meets old objects, so a gradual deployment waits for it before each check.
 */
export const OBJECT_UPDATE_SECONDS = 30
/** An object that is reset at once fails the requests that it is in the middle of. */
export const OBJECT_UPDATE = { mode: 'deferred', max_delay: OBJECT_UPDATE_SECONDS } as const

export interface Build {
  /** The commit, or the tag of changed files. */
  readonly sha: string
  /** Workers that do not exist yet. Bindings to them are left out, and this Worker is uploaded again later. */
  readonly without?: readonly string[]
  /** Optional secrets that the operator does not have. */
  readonly absentSecrets?: readonly string[]
}

export function configOf(worker: WorkerName, base: RawConfig, deployment: Deployment, build: Build) {
  const { suffix, resources } = deployment
  // Dropped, because the build has already run, and its paths are relative to the committed file.
  const { $schema: _, build: __, ...rest } = base
  const suffixed = (name: string) => name + suffix
  const inWorker = (path: string) => join(ROOT, 'workers', worker, path)
  const without = new Set(build.without)
  const hosts = deployment.hosts[worker]
  return {
    ...rest,
    name: suffixed(base.name),
    main: inWorker(base.main),
    workers_dev: false,
    preview_urls: false,
    minify: true,
    // Exported classes keep their names, which is what bindings and migrations need.
    keep_names: false,
    upload_source_maps: true,
    routes: hosts.map((pattern) => ({ pattern, custom_domain: true })),
    vars: varsOf(worker, base.vars, deployment, build.sha),
    ...mapped(base, 'secrets', ({ required }) => ({
      required: required.filter((name) => build.absentSecrets?.includes(name) !== true),
    })),
    ...mapped(base, 'durable_objects', ({ bindings }) => ({
      code_update_strategy: OBJECT_UPDATE,
      bindings: bindings.map((binding) =>
        binding.script_name === undefined ? binding : { ...binding, script_name: suffixed(binding.script_name) },
      ),
    })),
    ...mapped(base, 'd1_databases', (databases) =>
      databases.map((database) => ({
        ...database,
        database_name: suffixed(database.database_name),
        database_id: resources.d1[suffixed(database.database_name)] ?? NO_ID,
        migrations_dir: inWorker(database.migrations_dir),
      })),
    ),
    ...mapped(base, 'kv_namespaces', (namespaces) =>
      namespaces.map(({ binding }) => ({
        binding,
        id: resources.kv[namespaceTitle(base.name, binding, suffix)] ?? NO_KV_ID,
      })),
    ),
    ...mapped(base, 'r2_buckets', (buckets) =>
      buckets.map((bucket) => ({
        ...bucket,
        bucket_name: suffixed(bucket.bucket_name),
        ...(deployment.location.jurisdiction === 'none' ? {} : { jurisdiction: deployment.location.jurisdiction }),
      })),
    ),
    ...mapped(base, 'vectorize', () =>
      vectorIndexesOf(worker, base, deployment).map((index) => ({ ...index, index_name: suffixed(index.index_name) })),
    ),
    ...mapped(base, 'services', (services) =>
      services
        .filter(({ service }) => !without.has(service))
        .map((service) => ({ ...service, service: suffixed(service.service) })),
    ),
    ...mapped(base, 'ratelimits', (limits) =>
      limits.map((limit) => ({
        ...limit,
        namespace_id: String(Number(limit.namespace_id) + deployment.namespaceOffset),
      })),
    ),
    ...mapped(base, 'analytics_engine_datasets', (datasets) =>
      // The name of a table in SQL.
      datasets.map(({ binding, dataset }) => ({ binding, dataset: suffixed(dataset).replaceAll('-', '_') })),
    ),
    assets: base.assets && { ...base.assets, directory: inWorker(base.assets.directory) },
  }
}
export type WorkerDeployment = ReturnType<typeof configOf>

export function namespaceTitle(scriptName: string, binding: string, suffix: string): string {
  return `${scriptName}-${binding.toLowerCase()}${suffix}`
}

/**
 * The vector indexes of a Worker, each in as many generations as `VECTOR_GENERATIONS` says of its service. The first has the
 * name of the whole.
 */
export function vectorIndexesOf(
  worker: WorkerName,
  base: RawConfig,
  { vars }: Pick<Deployment, 'vars'>,
): { binding: string; index_name: string }[] {
  const generations = (vars[worker]?.['VECTOR_GENERATIONS'] ?? base.vars['VECTOR_GENERATIONS'] ?? {}) as Record<
    string,
    Json
  >
  const indexesOf = ({ binding, index_name }: { readonly binding: string; readonly index_name: string }) => {
    const service = binding.replace(/_VECTORS$/, '').toLowerCase()
    return Array.from({ length: Number(generations[service] ?? 1) }, (_, i) =>
      i === 0 ? { binding, index_name } : { binding: `${binding}_${i + 1}`, index_name: `${index_name}-${i + 1}` },
    )
  }
  return (base.vectorize ?? []).flatMap(indexesOf)
}

function varsOf(
  worker: WorkerName,
  base: Vars,
  { name, hosts, console, redirectingHosts, vars, serviceKeys, logListKeys, location }: Deployment,
  sha: string,
): Vars {
  const originOf = (host: string) => `https://${host}`
  const own = hosts[worker]
  const merged: Record<string, Json> = {
    ...base,
    ENVIRONMENT: name,
    PUBLIC_ORIGINS: own.map(originOf),
    REALMS: [originOf(hosts.core[0] ?? '')],
    JURISDICTION: location.jurisdiction,
    OBJECT_HINT: location.objectHint,
    CORE_ORIGIN: originOf(hosts.core[0] ?? ''),
    ...('SERVICES' in base
      ? { SERVICES: Object.fromEntries(SIBLING_NAMES.map((sibling) => [sibling, originOf(hosts[sibling][0] ?? '')])) }
      : {}),
    REDIRECT_ORIGINS: own.filter((host) => redirectingHosts.includes(host)).map(originOf),
    ...('CONSOLE_ORIGIN' in base ? { CONSOLE_ORIGIN: console ? originOf(console.host) : '' } : {}),
    ...('DOCS_URL' in base ? { DOCS_URL: originOf(hosts.docs[0] ?? '') } : {}),
    ...Object.fromEntries(Object.entries(vars.all ?? {}).filter(([key]) => key in base)),
    ...vars[worker],
    ...serviceKeyVars(worker, serviceKeys),
    ...logListKeyVars(worker, logListKeys),
    BUILD_SHA: sha,
    COMMIT: sha,
  }
  const kept = Object.entries(allowConsole(merged, console)).filter(
    ([key, value]) => value !== null && !SECRET_VARS.includes(key),
  )
  return Object.fromEntries(kept)
}

function mapped<K extends keyof RawConfig, R>(base: RawConfig, key: K, map: (value: NonNullable<RawConfig[K]>) => R) {
  const value = base[key]
  return (value === undefined || value === null ? {} : { [key]: map(value) }) as Partial<Record<K, R>>
}

/** The reasons not to upload this configuration: values of a development machine or of an example. */
export function faultsOf(config: WorkerDeployment): string[] {
  const local = /localhost|127\.0\.0\.1|\b[123]x0{10,}/
  const example = /\bexample(\.(com|org|net))?\b/
  const faultOf = ([name, value]: [string, Json]) => {
    const text = JSON.stringify(value)
    if (local.test(text)) return [`${config.name}: ${name} still has the value of a development machine`]
    return example.test(text) ? [`${config.name}: ${name} still has an example value`] : []
  }
  const whole = JSON.stringify(config)
  const lacksId = [NO_ID, NO_KV_ID].some((id) => whole.includes(`"${id}"`))
  return [
    ...Object.entries(config.vars).flatMap(faultOf),
    ...(config.compatibility_flags?.includes(MODERN_ALGORITHMS)
      ? []
      : [
          `${config.name}: lacks the compatibility flag ${MODERN_ALGORITHMS}, and would verify signatures in JavaScript`,
        ]),
    ...(lacksId ? [`${config.name}: has no database ids yet; run scripts/provision`] : []),
  ]
}
