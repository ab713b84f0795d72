import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isWorkerName, WORKER_NAMES } from '@svc/platform/workspace'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { committedConfigs, committedConsole } from '../account.ts'
import { CloudflareApi } from '../cloudflare-api.ts'
import { type Deploying, deploy, deployDryly } from '../deploy.ts'
import { DEPLOYMENTS, readDeployment } from '../deployment.ts'
import { ACCOUNT, FakeCloudflare, TOKEN } from '../fake-cloudflare.fixture.ts'
import { provision } from '../provision.ts'
import { SecretsFile } from '../secrets.ts'
import { type Permission, TOKENS } from '../tokens/token-permissions.ts'

const TESTED = ['core', 'provenance', 'keys', 'auth', 'pay']

let fake: FakeCloudflare
let api: CloudflareApi
let folder: string
const printed: string[] = []

beforeAll(async () => {
  fake = await FakeCloudflare.start()
  api = new CloudflareApi({ accountId: ACCOUNT, token: TOKEN, baseUrl: fake.url })
  folder = mkdtempSync(join(tmpdir(), 'svc-deploy-'))
  // An operator's configuration: nothing of the example is left.
  const file = readFileSync(join(DEPLOYMENTS, 'staging.json'), 'utf8')
    .replaceAll('site key of example.com', '0x4AAAAAAA')
    .replaceAll(/example\.com/g, 'svc.test')
  writeFileSync(join(folder, 'staging.json'), file)
  // Wrangler talks to the fake too.
  vi.stubEnv('CLOUDFLARE_API_BASE_URL', fake.url)
  vi.stubEnv('CLOUDFLARE_API_TOKEN', TOKEN)
  vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', ACCOUNT)
  vi.stubEnv('WRANGLER_SEND_METRICS', 'false')
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await fake.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Workers that cover every difficulty: databases, shared secrets, cycles of bindings, and the origin of the console. */
const deploying = (sha: string): Deploying => ({
  deployment: readDeployment('staging', folder),
  configs: new Map([...committedConfigs()].filter(([worker]) => TESTED.includes(worker))),
  consoleConfig: committedConsole(),
  secrets: SecretsFile.read(join(folder, 'secrets.json')),
  sha,
  folder: join(folder, 'work'),
  print: (line) => printed.push(line),
})
const uploads = () =>
  [...fake.scripts].flatMap(([name, script]) => script.uploads.map((upload) => ({ name, ...upload })))
const secretsOf = (name: string) => Object.fromEntries(fake.script(name).secrets)

it('refuses an account without resources', async () => {
  await expect(deploy(deploying('a'.repeat(40)), api)).rejects.toThrow('scripts/provision')
  expect(uploads()).toEqual([])
})

it('refuses a console that passkeys would not work on, before it uploads anything', async () => {
  const first = deploying('a'.repeat(40))
  const provisioned = await provision({ ...first, fileSets: [] }, api)
  const console = { host: 'console.other.test', turnstileSiteKey: '0x4AAAAAAA' }
  await expect(deploy({ ...first, deployment: { ...provisioned, console } }, api)).rejects.toThrow(
    'console: host must be RP_ID of auth (svc.test) or below it',
  )
  expect(uploads()).toEqual([])
})

it('migrates, uploads in binding order, and sends a new Worker its secrets', async () => {
  printed.length = 0
  fake.permissions = new Set<Permission>(TOKENS['scripts/deploy'])
  await deploy(deploying('a'.repeat(40)), api)
  expect(printed.map((line) => line.replace(/, with \d+ secrets/, ', with secrets'))).toEqual([
    'svc-auth-staging: migrated',
    'svc-core-staging: migrated',
    'svc-control-staging: migrated',
    'svc-keys-staging: migrated',
    'svc-provenance-staging: migrated',
    'svc-pay-staging: migrated',
    'svc-auth-staging: deployed, with secrets',
    'svc-core-staging: deployed without its bindings to svc-keys and svc-pay, with secrets',
    'svc-keys-staging: deployed, with secrets',
    'svc-provenance-staging: deployed without its binding to svc-pay, with secrets',
    'svc-pay-staging: deployed, with secrets',
    'svc-core-staging: deployed',
    'svc-provenance-staging: deployed',
    'svc-console-staging: deployed',
  ])
  const [first, second] = fake.script('svc-provenance-staging').uploads
  const toPay = (upload: typeof first) => upload?.bindings.some(({ service }) => service === 'svc-pay-staging')
  expect([toPay(first), toPay(second)]).toEqual([false, true])
  expect(fake.script('svc-core-staging').uploads.map((upload) => toPay(upload))).toEqual([false, true])
  expect(new Set(uploads().map(({ tag }) => tag))).toEqual(new Set(['a'.repeat(12)]))
  // Auth calls no other Worker, so it has no internal secret.
  const internal = new Set(
    TESTED.filter((name) => name !== 'auth').map((name) => secretsOf(`svc-${name}-staging`)['SVC_INTERNAL_SECRET']),
  )
  expect(internal).toEqual(new Set([SecretsFile.read(join(folder, 'secrets.json')).get('SVC_INTERNAL_SECRET')]))
  const tables = fake.databases
    .get('svc-control-staging')
    ?.sqlite.prepare("SELECT name FROM sqlite_master WHERE name = 'operator_acts'")
    .all()
  expect(tables).toHaveLength(1)
})

it.each(TOKENS['scripts/deploy'] ?? [])('needs the permission %s', async (missing) => {
  fake.permissions = new Set(TOKENS['scripts/deploy']?.filter((one) => one !== missing))
  await expect(deploy(deploying('a'.repeat(40)), api)).rejects.toThrow(/403|Authentication|refused/)
  fake.permissions = null
})

it('uploads the console as files without a binding or a secret', () => {
  const { uploads: versions, secrets } = fake.script('svc-console-staging')
  expect(versions.map(({ bindings, tag }) => ({ bindings, tag }))).toEqual([{ bindings: [], tag: 'a'.repeat(12) }])
  expect(secrets.size).toBe(0)
  const files = fake.assets.get('svc-console-staging') ?? []
  expect(files).toEqual(expect.arrayContaining(['/config.json', '/icon.svg', '/index.html']))
  expect(files.filter((file) => file.endsWith('.js')).length).toBeGreaterThan(1)
  // Wrangler sends these as headers, and not as a file that anybody can read.
  expect(files).not.toContain('/_headers')
})

it('repeats no migration, leaves out no binding and sends no secret the next time', async () => {
  const before = TESTED.map((name) => secretsOf(`svc-${name}-staging`))
  const count = uploads().length
  printed.length = 0
  await deploy(deploying('b'.repeat(40)), api)
  expect(printed.slice(6)).toEqual([
    'svc-auth-staging: deployed',
    'svc-core-staging: deployed',
    'svc-keys-staging: deployed',
    'svc-pay-staging: deployed',
    'svc-provenance-staging: deployed',
    'svc-console-staging: deployed',
  ])
  expect(uploads().length).toBe(count + 6)
  const { uploads: versions, deployments } = fake.script('svc-console-staging')
  expect(deployments.map(({ shares }) => shares)).toEqual(versions.map(({ id }) => [{ id, percentage: 100 }]))
  expect(TESTED.map((name) => secretsOf(`svc-${name}-staging`))).toEqual(before)
})

it('bundles all eight without an account', async () => {
  vi.stubEnv('CLOUDFLARE_API_TOKEN', undefined)
  vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', undefined)
  const asked = fake.changes.length
  printed.length = 0
  await deployDryly({ ...deploying('c'.repeat(40)), configs: committedConfigs() })
  const workers = printed.map((line) => /svc-([a-z]+)-staging/.exec(line)?.[1] ?? '')
  expect(workers.filter(isWorkerName).toSorted()).toEqual(expect.arrayContaining([...WORKER_NAMES].toSorted()))
  expect(printed.filter((line) => line.includes('KiB compressed'))).toHaveLength(WORKER_NAMES.length)
  expect(printed.at(-2)).toContain('svc-provenance-staging again, with all bindings')
  expect(printed.at(-1)).toContain('svc-console-staging  static files')
  expect(fake.changes.length).toBe(asked)
})
