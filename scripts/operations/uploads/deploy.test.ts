import { isWorkerName, WORKER_NAMES, type WorkerName } from '@svc/platform/workspace'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { committedConfigs } from '../account.ts'
import { compareBundles, deploy, deployDryly } from '../deploy.ts'
import { LocalAccount } from '../local-account/local-account.fixture.ts'
import { provision } from '../provision.ts'
import { type Permission, TOKENS } from '../tokens/token-permissions.ts'

/** They cover every difficulty: databases, shared secrets, a cycle of bindings, and the origin of the console. */
const TESTED: readonly WorkerName[] = ['core', 'provenance', 'keys', 'auth', 'pay']

let account: LocalAccount

beforeAll(async () => {
  account = await LocalAccount.open()
  account.forWrangler()
})
afterAll(() => account.close())

const deploying = (sha: string) => account.deploying(sha, TESTED)
/** What was printed, without the hashes. */
const printedFrom = (first: number) =>
  account.printed.slice(first).map((line) => line.replace(/, sha256 [0-9a-f]{64}$/, ''))
const uploads = () =>
  [...account.fake.scripts].flatMap(([name, script]) => script.uploads.map((upload) => ({ name, ...upload })))
const secretsOf = (name: string) => Object.fromEntries(account.fake.script(name).secrets)

it('refuses an account without resources', async () => {
  await expect(deploy(deploying('a'.repeat(40)), account.api)).rejects.toThrow('scripts/provision')
  expect(uploads()).toEqual([])
})

it('refuses a console that passkeys would not work on, before it uploads anything', async () => {
  const first = deploying('a'.repeat(40))
  const provisioned = await provision({ ...first, fileSets: [] }, account.api)
  const console = { host: 'console.other.test', turnstileSiteKey: '0x4AAAAAAA' }
  await expect(deploy({ ...first, deployment: { ...provisioned, console } }, account.api)).rejects.toThrow(
    'console: host must be RP_ID of auth (svc.test) or below it',
  )
  expect(uploads()).toEqual([])
})

it('migrates, uploads in binding order, and sends a new Worker its secrets', async () => {
  account.printed.length = 0
  account.fake.permissions = new Set<Permission>(TOKENS['scripts/deploy'])
  await deploy(deploying('a'.repeat(40)), account.api)
  expect(printedFrom(0).map((line) => line.replace(/, with \d+ secrets/, ', with secrets'))).toEqual([
    'svc-auth-staging: migrated',
    'svc-core-staging: migrated',
    'svc-control-staging: migrated',
    'svc-keys-staging: migrated',
    'svc-pay-staging: migrated',
    'svc-provenance-staging: migrated',
    'svc-auth-staging: deployed, with secrets',
    'svc-core-staging: deployed without its bindings to svc-keys and svc-pay, with secrets',
    'svc-keys-staging: deployed, with secrets',
    'svc-pay-staging: deployed, with secrets',
    'svc-provenance-staging: deployed, with secrets',
    'svc-core-staging: deployed',
    'svc-console-staging: deployed',
  ])
  const toPay = (script: string) =>
    account.fake
      .script(script)
      .uploads.map(({ bindings }) => bindings.some(({ service }) => service === 'svc-pay-staging'))
  expect(toPay('svc-provenance-staging')).toEqual([true])
  expect(toPay('svc-core-staging')).toEqual([false, true])
  expect(new Set(uploads().map(({ tag }) => tag))).toEqual(new Set(['a'.repeat(12)]))
  // Auth calls no other Worker, so it has no internal secret.
  const internal = new Set(
    TESTED.filter((name) => name !== 'auth').map((name) => secretsOf(`svc-${name}-staging`)['SVC_INTERNAL_SECRET']),
  )
  expect(internal).toEqual(new Set([account.secrets.get('SVC_INTERNAL_SECRET')]))
  const tables = account.fake.databases
    .get('svc-control-staging')
    ?.sqlite.prepare("SELECT name FROM sqlite_master WHERE name = 'operator_acts'")
    .all()
  expect(tables).toHaveLength(1)
  // Wrangler asks for no other account, and for no list of them.
  expect(account.fake.elsewhere.filter((path) => /\/(?:accounts|memberships)\b/.test(path))).toEqual([])
})

it.each(TOKENS['scripts/deploy'] ?? [])('needs the permission %s', async (missing) => {
  account.fake.permissions = new Set(TOKENS['scripts/deploy']?.filter((one) => one !== missing))
  await expect(deploy(deploying('a'.repeat(40)), account.api)).rejects.toThrow(/403|Authentication|refused/)
  account.fake.permissions = null
})

it('uploads the console as files, with no binding but to them and without a secret', () => {
  const { uploads: versions, secrets } = account.fake.script('svc-console-staging')
  expect(versions.map(({ bindings, tag }) => ({ bindings, tag }))).toEqual([
    { bindings: [{ name: 'FILES', type: 'assets' }], tag: 'a'.repeat(12) },
  ])
  expect(secrets.size).toBe(0)
  const files = account.fake.assets.get('svc-console-staging') ?? []
  expect(files).toEqual(expect.arrayContaining(['/config.json', '/icon.svg', '/index.html']))
  expect(files.filter((file) => file.endsWith('.js')).length).toBeGreaterThan(1)
  // Wrangler sends these as headers, and not as a file that anybody can read.
  expect(files).not.toContain('/_headers')
})

it('uploads with each Worker the description of its API', () => {
  for (const worker of TESTED)
    expect(account.fake.assets.get(`svc-${worker}-staging`), worker).toContain('/openapi.json')
  expect(account.fake.assets.get('svc-core-staging')?.toSorted()).toEqual(['/openapi.json', '/openapi.md'])
})

it('repeats no migration, leaves out no binding and sends no secret the next time', async () => {
  const before = TESTED.map((name) => secretsOf(`svc-${name}-staging`))
  const count = uploads().length
  account.printed.length = 0
  await deploy(deploying('b'.repeat(40)), account.api)
  expect(printedFrom(6)).toEqual([
    'svc-auth-staging: deployed',
    'svc-core-staging: deployed',
    'svc-keys-staging: deployed',
    'svc-pay-staging: deployed',
    'svc-provenance-staging: deployed',
    'svc-console-staging: deployed',
  ])
  expect(uploads().length).toBe(count + 6)
  const { uploads: versions, deployments } = account.fake.script('svc-console-staging')
  expect(deployments.map(({ shares }) => shares)).toEqual(versions.map(({ id }) => [{ id, percentage: 100 }]))
  expect(TESTED.map((name) => secretsOf(`svc-${name}-staging`))).toEqual(before)
})

it('finds the code that was uploaded at Cloudflare, and any other', async () => {
  account.fake.permissions = new Set<Permission>(TOKENS['scripts/deploy --check'])
  account.printed.length = 0
  expect(await compareBundles(deploying('b'.repeat(40)), account.api)).toEqual([])
  expect(account.printed).toHaveLength(TESTED.length)
  for (const line of account.printed) expect(line).toMatch(/^svc-[a-z]+-staging: sha256 [0-9a-f]{64}, as uploaded$/)

  const modules = account.fake.script('svc-auth-staging').uploads.at(-1)?.modules as Map<string, File>
  modules.set('index.js', new File(['export default {}'], 'index.js'))
  expect(await compareBundles(deploying('b'.repeat(40)), account.api)).toEqual(['auth'])
  account.fake.permissions = new Set()
  await expect(compareBundles(deploying('b'.repeat(40)), account.api)).rejects.toThrow('Cloudflare answered 403')
  account.fake.permissions = null
})

it('bundles all eight without an account', async () => {
  const asked = account.fake.changes.length
  account.printed.length = 0
  await deployDryly({ ...deploying('c'.repeat(40)), configs: committedConfigs() })
  const workers = account.printed.map((line) => /svc-([a-z]+)-staging/.exec(line)?.[1] ?? '')
  expect(workers.filter(isWorkerName).toSorted()).toEqual(expect.arrayContaining([...WORKER_NAMES].toSorted()))
  expect(account.printed.filter((line) => line.includes('KiB compressed'))).toHaveLength(WORKER_NAMES.length)
  expect(account.printed.at(-2)).toContain('svc-core-staging again, with all bindings')
  expect(account.printed.at(-1)).toContain('svc-console-staging  static files')
  expect(account.fake.changes.length).toBe(asked)
})
