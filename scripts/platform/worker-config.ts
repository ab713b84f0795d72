import { join, relative, resolve } from 'node:path'
import type { Json, V4WorkerOptionsShape } from 'miniflare'
import type { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { localRateLimits, requireOwnNamespaces } from './local/rate-limits.ts'
import { ROOT, WORKER_NAMES, type WorkerName } from './workspace.ts'
import { wrangler } from './wrangler.ts'

// Wrangler prints where secrets come from; here they are always injected.
process.env['WRANGLER_LOG'] = 'none'
process.env['WRANGLER_SEND_METRICS'] = 'false'
process.env['CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV'] = 'false'

export type WorkerOptions = V4WorkerOptionsShape & { bindings: Record<string, Json> }
export type ModuleRule = NonNullable<
  ReturnType<typeof unstable_getMiniflareWorkerOptions>['workerOptions']['modulesRules']
>[number]

/** The part of Wrangler's configuration that these scripts read directly. */
interface WranglerConfig {
  name?: string
  secrets?: { required?: string[] }
  d1_databases: { binding: string; database_name?: string; database_id?: string; migrations_dir?: string }[]
  r2_buckets?: { bucket_name?: string }[]
}

export interface D1Binding {
  binding: string
  /** `svc-core` */
  name: string
  databaseId: string
  migrationsDir: string
}

export interface WorkerConfig {
  name: WorkerName
  /** The name under which it is deployed and bound. */
  scriptName: string
  main: string
  define: Record<string, string>
  moduleRules: ModuleRule[]
  requiredSecrets: string[]
  databases: D1Binding[]
  /** The names of its buckets. */
  buckets: string[]
  options: WorkerOptions
}

/** Reads the production wrangler.jsonc as options of the local runtime. Returns a new object, because callers modify it. */
export function readWorkerConfig(name: WorkerName): WorkerConfig {
  const path = join(ROOT, 'workers', name, 'wrangler.jsonc')
  const { unstable_readConfig: readConfig, unstable_getMiniflareWorkerOptions: optionsOf } = wrangler()
  const config = readConfig({ config: path }) as WranglerConfig
  const { workerOptions, define, main } = optionsOf(path)
  if (main === undefined || config.name === undefined) throw new Error(`${relative(ROOT, path)}: needs name and main`)
  const {
    modulesRules = [],
    rootPath: _,
    // There is no local Vectorize. A Worker that binds one must work without it.
    vectorize: __,
    ratelimits = {},
    ...options
  } = workerOptions as V4WorkerOptionsShape & { modulesRules?: ModuleRule[]; vectorize?: unknown }
  return {
    name,
    scriptName: config.name,
    main,
    define,
    moduleRules: modulesRules,
    requiredSecrets: config.secrets?.required ?? [],
    databases: config.d1_databases.map(({ binding, database_name, database_id, migrations_dir }) => ({
      binding,
      name: database_name ?? binding,
      databaseId: database_id ?? binding,
      migrationsDir: resolve(ROOT, 'workers', name, migrations_dir ?? `../../migrations/${name}`),
    })),
    buckets: (config.r2_buckets ?? []).flatMap(({ bucket_name }) => bucket_name ?? []),
    options: {
      ...options,
      name: config.name,
      bindings: { ...options.bindings },
      unsafeBindings: localRateLimits(ratelimits),
    },
  }
}

export function readAllWorkerConfigs(): WorkerConfig[] {
  const configs = WORKER_NAMES.map(readWorkerConfig)
  requireOwnNamespaces(configs)
  requireOneRealm(configs)
  return configs
}

/** A statement that one Worker signs would be refused by another with other realms. */
export function requireOneRealm(configs: readonly Pick<WorkerConfig, 'name' | 'options'>[]): void {
  const [first, ...others] = configs.map(({ name, options }) => ({
    name,
    realms: JSON.stringify(options.bindings['REALMS']),
  }))
  for (const { name, realms } of others)
    if (realms !== first?.realms)
      throw new Error(`${first?.name} and ${name} have different REALMS: give all Workers the same list`)
}

/** Sets only values that the Worker declares, so that a missing declaration fails locally as it would when deployed. */
export function injectDeclared(config: WorkerConfig, values: Record<string, Json>): void {
  for (const [key, value] of Object.entries(values))
    if (key in config.options.bindings || config.requiredSecrets.includes(key)) config.options.bindings[key] = value
}
