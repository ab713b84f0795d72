import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { committedConfigs, committedConsole } from '../account.ts'
import { CloudflareApi } from '../cloudflare-api.ts'
import { type Deploying, deploy } from '../deploy.ts'
import { DEPLOYMENTS, readDeployment } from '../deployment.ts'
import { ACCOUNT, FakeCloudflare, TOKEN } from '../fake-cloudflare.fixture.ts'
import { provision } from '../provision.ts'
import { SecretsFile } from '../secrets.ts'
import { OBJECT_UPDATE_SECONDS } from '../worker-deployment.ts'

const SCRIPT = 'svc-auth-staging'
let fake: FakeCloudflare
let api: CloudflareApi
let folder: string
const printed: string[] = []

beforeAll(async () => {
  fake = await FakeCloudflare.start()
  api = new CloudflareApi({ accountId: ACCOUNT, token: TOKEN, baseUrl: fake.url })
  folder = mkdtempSync(join(tmpdir(), 'svc-gradual-'))
  const file = readFileSync(join(DEPLOYMENTS, 'staging.json'), 'utf8')
    .replaceAll('site key of example.com', '0x4AAAAAAA')
    .replaceAll(/example\.com/g, 'svc.test')
  writeFileSync(join(folder, 'staging.json'), file)
  vi.stubEnv('CLOUDFLARE_API_BASE_URL', fake.url)
  vi.stubEnv('CLOUDFLARE_API_TOKEN', TOKEN)
  vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', ACCOUNT)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await fake.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** The Worker that calls no other. */
const deploying = (sha: string): Deploying => ({
  deployment: { ...readDeployment('staging', folder), console: null },
  configs: new Map([...committedConfigs()].filter(([worker]) => worker === 'auth')),
  consoleConfig: committedConsole(),
  secrets: SecretsFile.read(join(folder, 'secrets.json')),
  sha,
  folder: join(folder, 'work'),
  print: (line) => printed.push(line),
})
const script = () => fake.script(SCRIPT)
const active = () => script().deployments.at(-1)
const newest = () => script().uploads.at(-1)

it('deploys to an account without Workers at once, whatever is asked for', async () => {
  await provision({ ...deploying('a'.repeat(40)), fileSets: [] }, api)
  await deploy(deploying('a'.repeat(40)), api, () => Promise.reject(new Error('never checked')))
  expect(active()?.shares).toEqual([{ id: newest()?.id, percentage: 100 }])
  expect(script().migration).toBe('v2')
})

it('uploads a version without traffic, and gives it traffic in steps', async () => {
  const [before, seen] = [newest()?.id, [] as unknown[]]
  fake.changes.length = 0
  printed.length = 0
  await deploy(deploying('b'.repeat(40)), api, ({ percentage, toNew, toOld }) => {
    seen.push([percentage, active()?.shares, toNew, toOld])
    return Promise.resolve()
  })
  const override = (id = '') => ({ 'cloudflare-workers-version-overrides': `${SCRIPT}="${id}"` })
  const after = newest()?.id
  const shares = (...percentages: number[]) =>
    percentages.map((percentage, i) => ({ id: [before, after][i], percentage }))
  expect(seen).toEqual([
    [5, shares(95, 5), override(after), override(before)],
    [50, shares(50, 50), override(after), override(before)],
    [100, [{ id: after, percentage: 100 }], override(after), null],
  ])
  expect(newest()?.tag).toBe('b'.repeat(12))
  expect(active()?.update).toEqual({ mode: 'deferred', max_delay: OBJECT_UPDATE_SECONDS })
  expect(printed).toEqual([
    `${SCRIPT}: migrated`,
    `${SCRIPT}: uploaded`,
    ...[5, 50, 100].flatMap((share) => [`${share} % of the traffic of ${SCRIPT}`, `${share} %: checked`]),
  ])
  // A version does not have settings.
  expect(fake.changes).toContain(`PATCH /workers/scripts/${SCRIPT}/script-settings`)
  expect(fake.unknown).toEqual([])
})

it('goes back if something does not work, and fails', async () => {
  const before = active()?.shares
  const failing = deploy(deploying('c'.repeat(40)), api, () => Promise.reject(new Error('answered 500')))
  await expect(failing).rejects.toThrow('Rolled back at 5 %: answered 500')
  expect(active()?.shares).toEqual(before)
  expect(newest()?.tag).toBe('c'.repeat(12))
})

it('deploys a Worker that changes its Durable Object classes at once', async () => {
  script().migration = 'v1'
  printed.length = 0
  await deploy(deploying('d'.repeat(40)), api, () => Promise.resolve())
  expect(printed[1]).toBe(`${SCRIPT}: deployed at once, because it changes its Durable Object classes`)
  expect(script().migration).toBe('v2')
  expect(active()?.shares).toEqual([{ id: newest()?.id, percentage: 100 }])
})
