import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { Response, type V4WorkerOptions } from 'miniflare'
import { defineProject, mergeConfig, type UserWorkspaceConfig } from 'vitest/config'
import { buildSite } from '../site/build.ts'
import { bundleModules } from './bundle.ts'
import { publicKeyOf } from './dev-secrets.ts'
import { TEST_DEFAULTS } from './test-defaults.ts'
import type { TestMigrations } from './test-migrations.ts'
import {
  type D1Binding,
  injectDeclared,
  readAllWorkerConfigs,
  readWorkerConfig,
  type WorkerConfig,
} from './worker-config.ts'
import { ROOT, type WorkerName } from './workspace.ts'

const TEST_OPERATOR_SEED = new Uint8Array(32).fill(7)
const TEST_PUBLISHER_SEED = new Uint8Array(32).fill(8)
const TEST_WITNESS_SEED = new Uint8Array(32).fill(0x12)
const TEST_WEBHOOK_SECRET = 'whsec_of_the_tests_only'
const TEST_INTERNAL_SECRET = 'internal-secret-of-the-tests-only'

/** The vitest project of one Worker: its tests run inside the real runtime, with the Workers it binds to beside it. */
export function workerProject(name: WorkerName, overrides: UserWorkspaceConfig = {}): UserWorkspaceConfig {
  const project = defineProject({
    plugins: [cloudflareTest(() => runtimeFor(name))],
    test: {
      name,
      include: ['test/**/*.test.ts', 'src/**/*.test.ts'],
      // One runtime for the project instead of one for each file: a third of the time.
      isolate: false,
      ...TEST_DEFAULTS,
      setupFiles: [join(ROOT, 'scripts/runtime/empty-storage.ts')],
    },
  })
  return mergeConfig(project, overrides)
}

async function runtimeFor(name: WorkerName) {
  const self = readWorkerConfig(name)
  const bound = boundWorkers(self)
  if (name === 'docs' && self.options.assets) self.options.assets.directory = builtSite()
  const publicKey = await publicKeyOf(TEST_OPERATOR_SEED)
  const publisherKey = await publicKeyOf(TEST_PUBLISHER_SEED)
  const witnessKey = await publicKeyOf(TEST_WITNESS_SEED)
  for (const config of [self, ...bound])
    injectDeclared(config, {
      PUBLIC_ORIGINS: [`https://${config.name}.test`],
      DOCS_URL: 'https://docs.test',
      OPERATOR_PUBLIC_KEY: publicKey,
      PUBLISHER_PUBLIC_KEY: publisherKey,
      ANCHOR_LOG_SEED: '09'.repeat(32),
      RECEIPT_SEED: '0a'.repeat(32),
      QUOTA_RECEIPT_SEED: '0b'.repeat(32),
      DIRECTORY_LOG_SEED: '11'.repeat(32),
      WITNESS_KEYS: [witnessKey],
      STRIPE_WEBHOOK_SECRET: TEST_WEBHOOK_SECRET,
      OPAQUE_SERVER_SEED: '0c'.repeat(32),
      CONSENT_SEED: '0f'.repeat(32),
      RESOLVER_SEED: '0e'.repeat(32),
      IPFS_GATEWAY: 'https://gateway.test',
      // Tests move the clock instead.
      ROTATION_WINDOW_SECONDS: 86_400,
      SVC_INTERNAL_SECRET: TEST_INTERNAL_SECRET,
    })
  const runner = `vitest-plugin-runner-${name}`
  for (const config of [self, ...bound]) renameReferences(config, self.scriptName, runner)
  const databases = [...self.databases, ...foreignDatabases(bound)]
  const { name: _, ...options } = self.options
  return {
    main: self.main,
    miniflare: {
      ...options,
      modulesRules: self.moduleRules,
      outboundService: refuseNetwork,
      d1Databases: Object.fromEntries(databases.map(({ binding, databaseId }) => [binding, databaseId])),
      bindings: { ...self.options.bindings, TEST_MIGRATIONS: await migrationsOf(databases) },
      serviceBindings: { ...self.options.serviceBindings, ...publicSides([{ name, scriptName: runner }, ...bound]) },
      workers: await Promise.all(bound.map(auxiliaryWorker)),
    },
  }
}

/** The site, in a folder of its own for each run. */
function builtSite(): string {
  const folder = mkdtempSync(join(tmpdir(), 'docs-site-'))
  buildSite(folder)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Everything reachable over service and Durable Object bindings, without the Worker itself. */
function boundWorkers(self: WorkerConfig): WorkerConfig[] {
  const known = new Map(readAllWorkerConfigs().map((config) => [config.scriptName, config]))
  const found = new Set<WorkerConfig>()
  const queue = [...referencesOf(self)]
  for (const scriptName of queue) {
    const config = known.get(scriptName)
    if (config === undefined) throw new Error(`${self.name}: no Worker here is named ${scriptName}`)
    if (scriptName === self.scriptName || found.has(config)) continue
    found.add(config)
    queue.push(...referencesOf(config))
  }
  return [...found]
}

function referencesOf({ options }: WorkerConfig): string[] {
  const services = Object.values(options.serviceBindings ?? {}).flatMap((service) =>
    typeof service === 'object' && 'name' in service && typeof service.name === 'string' ? [service.name] : [],
  )
  const objects = Object.values(options.durableObjects ?? {}).flatMap((object) =>
    typeof object === 'object' && object.scriptName !== undefined ? [object.scriptName] : [],
  )
  return [...services, ...objects]
}

/** The runner deploys the Worker under test under a name of its own; whoever binds to it, itself included, must follow. */
function renameReferences({ options }: WorkerConfig, from: string, to: string): void {
  for (const service of Object.values(options.serviceBindings ?? {}))
    if (typeof service === 'object' && 'name' in service && service.name === from) service.name = to
  for (const object of Object.values(options.durableObjects ?? {}))
    if (typeof object === 'object' && object.scriptName === from) object.scriptName = to
}

async function auxiliaryWorker(config: WorkerConfig): Promise<V4WorkerOptions> {
  const modules = await bundleModules(config, { banner: 'globalThis.console.log = () => {};' })
  return { ...config.options, modules, outboundService: refuseNetwork }
}

function refuseNetwork(): Response {
  return new Response('tests reach no network', { status: 599 })
}

/** Databases of bound Workers, under names that no Worker uses, so that the setup file can migrate them too. */
function foreignDatabases(bound: WorkerConfig[]) {
  return bound.flatMap(({ name, databases }) =>
    databases.map((database) => ({ ...database, binding: `TEST_${name.toUpperCase()}_${database.binding}` })),
  )
}

/**
 * The public sides, under names that no Worker uses: a test may need an identity at core, and the Worker under test as
 * callers reach it, behind the router of its static assets if it has any.
 */
function publicSides(workers: Pick<WorkerConfig, 'name' | 'scriptName'>[]): Record<string, { name: string }> {
  return Object.fromEntries(workers.map(({ name, scriptName }) => [`TEST_${name.toUpperCase()}`, { name: scriptName }]))
}

async function migrationsOf(databases: D1Binding[]): Promise<TestMigrations[]> {
  return Promise.all(
    databases.map(async ({ binding, migrationsDir }) => ({
      binding,
      migrations: existsSync(migrationsDir) ? await readD1Migrations(migrationsDir) : [],
    })),
  )
}
