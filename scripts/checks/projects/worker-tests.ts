import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { bundleModules } from '@svc/platform/bundle'
import { publicKeyOf } from '@svc/platform/dev-secrets'
import { writeDescription } from '@svc/platform/documented/description'
import { localLogList, localLogs } from '@svc/platform/local/log-list'
import { type D1Binding, injectDeclared, readWorkerConfig, type WorkerConfig } from '@svc/platform/worker-config'
import { ROOT, type WorkerName } from '@svc/platform/workspace'
import { SIBLING_NAMES } from '@svc/protocol/http/discovery-document'
import { logListFiles } from '@svc/protocol/merkle/log-list-files'
import { buildSite } from '@svc/site/build'
import { Response, type V4WorkerOptions } from 'miniflare'
import { defineProject, type UserWorkspaceConfig } from 'vitest/config'
import { recordingMode } from '../openapi/recorded-examples.ts'
import { waitLonger } from '../runtime/patience.ts'
import { boundWorkers } from './bound-workers.ts'
import { chosenClocks } from './clocks.ts'
import { documentHolder } from './documented.ts'
import { chosenGames } from './games.ts'
import { isLongRun } from './long-forms.ts'
import { TEST_DEFAULTS } from './test-defaults.ts'
import type { TestLogList, TestMigrations } from './test-migrations.ts'
import type { WorkerPart } from './worker-parts.ts'

const TEST_OPERATOR_SEED = new Uint8Array(32).fill(7)
const TEST_PUBLISHER_SEED = new Uint8Array(32).fill(8)
const TEST_WITNESS_SEED = new Uint8Array(32).fill(0x12)
const TEST_REALM = 'https://core.test'
const TEST_ANCHOR_LOG_SEED = new Uint8Array(32).fill(9)
const TEST_DIRECTORY_LOG_SEED = new Uint8Array(32).fill(0x11)
/** As in `account-labels.fixture.ts`. */
const TEST_LABELS_SEED = new Uint8Array(32).fill(110)
const TEST_LOG_LIST_SEED = new Uint8Array(32).fill(0x21)
const TEST_WEBHOOK_SECRET = 'whsec_of_the_tests_only'
const TEST_INTERNAL_SECRET = 'internal-secret-of-the-tests-only'
/** Each Worker has its own. */
const testRecordsSeed = (name: WorkerName) => Buffer.from(name.padEnd(32, '.')).toString('hex')
/** Tested as a deployment without the seed has them, which writes less and sets fewer alarms. */
const UNRECORDED_PROJECTS = /core(?:-notes)?$/

/**
 * The vitest project of a Worker. Its tests run in the real runtime, together with the Workers it binds to. A project
 * runs on one thread, so a large Worker is split into several.
 */
export function workerProject(name: WorkerName, part?: WorkerPart): UserWorkspaceConfig {
  const project = part?.name ?? name
  return defineProject({
    // The same for all, so that the projects share the cache of transformed modules.
    root: ROOT,
    plugins: [cloudflareTest(() => runtimeFor(name, `vitest-plugin-runner-${project}`))],
    test: {
      name: project,
      dir: join(ROOT, 'workers', name),
      include: part?.include ?? ['test/**/*.test.ts', 'src/**/*.test.ts'],
      exclude: part?.exclude ?? [],
      // One runtime per project instead of one per file takes a third of the time.
      isolate: false,
      ...TEST_DEFAULTS,
      setupFiles: ['patient', 'empty-storage', 'documented-answers'].map((file) =>
        join(ROOT, `scripts/checks/runtime/${file}.ts`),
      ),
      provide: { games: chosenGames(), clocks: chosenClocks(), isLong: isLongRun() },
    },
  })
}

/** `runner` is the name under which the plugin runs the Worker under test. */
async function runtimeFor(name: WorkerName, runner: string) {
  const self = readWorkerConfig(name)
  const bound = boundWorkers(self)
  await buildAssets([self, ...bound])
  const publicKey = await publicKeyOf(TEST_OPERATOR_SEED)
  const publisherKey = await publicKeyOf(TEST_PUBLISHER_SEED)
  const witnessKey = await publicKeyOf(TEST_WITNESS_SEED)
  for (const config of [self, ...bound])
    injectDeclared(config, {
      PUBLIC_ORIGINS: [`https://${config.name}.test`],
      REALMS: [TEST_REALM],
      CORE_ORIGIN: 'https://core.test',
      SERVICES: Object.fromEntries(SIBLING_NAMES.map((sibling) => [sibling, `https://${sibling}.test`])),
      DOCS_URL: 'https://docs.test',
      OPERATOR_PUBLIC_KEY: publicKey,
      PUBLISHER_PUBLIC_KEY: publisherKey,
      ANCHOR_LOG_SEED: '09'.repeat(32),
      RECEIPT_SEED: '0a'.repeat(32),
      INVITE_SEED: '1a'.repeat(32),
      CODES_SEED: '1c'.repeat(32),
      CLAIMANTS_SEED: '1d'.repeat(32),
      QUOTA_RECEIPT_SEED: '0b'.repeat(32),
      DIRECTORY_LOG_SEED: '11'.repeat(32),
      DIRECTORY_RECEIPT_SEED: '14'.repeat(32),
      KEY_LABELS_SEED: '6e'.repeat(32),
      WITNESS_KEYS: [witnessKey],
      STRIPE_WEBHOOK_SECRET: TEST_WEBHOOK_SECRET,
      OPAQUE_SERVER_SEED: '0c'.repeat(32),
      CONSENT_SEED: '0f'.repeat(32),
      RESOLVER_SEED: '0e'.repeat(32),
      IPFS_GATEWAY: 'https://gateway.test',
      // Tests move the clock instead.
      ROTATION_WINDOW_SECONDS: 86_400,
      SVC_INTERNAL_SECRET: TEST_INTERNAL_SECRET,
      ...(UNRECORDED_PROJECTS.test(runner) ? {} : { RECORDS_SEED: testRecordsSeed(config.name) }),
    })
  // Optional, so the configuration does not declare it.
  if (name === 'core') self.options.bindings = { ...self.options.bindings, ANCHOR_LOG_SEED_2: '19'.repeat(32) }
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
      bindings: {
        ...self.options.bindings,
        TEST_MIGRATIONS: await migrationsOf(databases),
        TEST_LOG_LIST: await logListOf([self, ...bound]),
        TEST_APP: join(ROOT, 'workers', name, 'src/app.ts'),
        TEST_MAIN: self.main,
        TEST_RECORDS: recordingMode() !== undefined,
      },
      serviceBindings: {
        ...self.options.serviceBindings,
        ...publicSides([{ name, scriptName: runner }, ...bound]),
        TEST_DOCUMENT: documentHolder(name),
      },
      workers: await Promise.all(bound.map(auxiliaryWorker)),
    },
  }
}

/** The files of a log list that names the logs of these Workers, by binding of the bucket. */
async function logListOf(workers: readonly WorkerConfig[]): Promise<TestLogList> {
  const seeds = { anchors: TEST_ANCHOR_LOG_SEED, transparency: TEST_DIRECTORY_LOG_SEED }
  const logs = localLogs(workers, seeds, { core: TEST_REALM, keys: 'https://keys.test' })
  const list = await localLogList(
    TEST_REALM,
    { open: logs, labelsSeed: TEST_LABELS_SEED },
    TEST_LOG_LIST_SEED,
    Date.now(),
  )
  const bucket = { core: 'BLOBS', keys: 'TILES' }[String(workers[0]?.name)]
  return { bucket: bucket ?? null, files: [...logListFiles(list)] }
}

/** Builds the static assets of the Workers into a new folder for each run. */
async function buildAssets(workers: readonly WorkerConfig[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'worker-assets-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const { name, options } of workers) {
    const directory = join(folder, name)
    if (name === 'docs') await buildSite(directory, madeUpReference(join(folder, 'sdk')))
    writeDescription(name, directory)
    if (options.assets) options.assets.directory = directory
  }
}

/** Making the real reference takes seconds; the tests in a browser have it. */
function madeUpReference(folder: string): string {
  const files = {
    'index.html': '<link rel="stylesheet" href="assets/style.css"><a href="classes/_svc_client.Client.html">Client</a>',
    'classes/_svc_client.Client.html':
      '<link rel="stylesheet" href="../assets/style.css"><a href="../index.html">SDK reference</a>',
    'assets/style.css': 'a { color: blue }',
  }
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), content)
  }
  return folder
}

/** The runner deploys the Worker under test under a name of its own; every Worker that binds to it, itself included, must use it too. */
function renameReferences({ options }: WorkerConfig, from: string, to: string): void {
  for (const service of Object.values(options.serviceBindings ?? {}))
    if (typeof service === 'object' && 'name' in service && service.name === from) service.name = to
  for (const object of Object.values(options.durableObjects ?? {}))
    if (typeof object === 'object' && object.scriptName === from) object.scriptName = to
}

async function auxiliaryWorker(config: WorkerConfig): Promise<V4WorkerOptions> {
  const modules = await bundleModules(config, {
    banner: `globalThis.console.log = () => {};(${waitLonger.toString()})();`,
  })
  return { ...config.options, modules, outboundService: refuseNetwork }
}

function refuseNetwork(): Response {
  return new Response('tests reach no network', { status: 599 })
}

/** The databases of bound Workers under unused names, so that the setup file can migrate them too. */
function foreignDatabases(bound: WorkerConfig[]) {
  return bound.flatMap(({ name, databases }) =>
    databases.map((database) => ({ ...database, binding: `TEST_${name.toUpperCase()}_${database.binding}` })),
  )
}

/**
 * The public routes of the Workers under unused names. A test may need an identity at core, or the Worker under test as
 * clients reach it, behind the router of its static assets.
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
