import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { committedConfigs, committedConsole } from '../account.ts'
import { CloudflareApi } from '../cloudflare-api.ts'
import { AccountDatabases } from '../databases/account-databases.ts'
import { exportDatabases } from '../databases/export-databases.ts'
import { bucketPlace } from '../databases/export-place.ts'
import { importDatabases } from '../databases/import-databases.ts'
import { newKey } from '../databases/sealed-export.ts'
import { DEPLOYMENTS, readDeployment } from '../deployment.ts'
import { ACCOUNT, FakeCloudflare, TOKEN } from '../fake-cloudflare.fixture.ts'
import { provision } from '../provision.ts'
import { rollBack } from '../roll-back.ts'
import { SecretsFile } from '../secrets.ts'
import { OF_ZONE, type Permission, TOKENS } from './token-permissions.ts'

const configs = committedConfigs()
let fake: FakeCloudflare
let api: CloudflareApi
let folder: string

beforeEach(async () => {
  fake = await FakeCloudflare.start()
  api = new CloudflareApi({ accountId: ACCOUNT, token: TOKEN, baseUrl: fake.url })
  folder = mkdtempSync(join(tmpdir(), 'svc-tokens-'))
  cpSync(join(DEPLOYMENTS, 'staging.json'), join(folder, 'staging.json'))
})
afterEach(async () => {
  await fake.stop()
  rmSync(folder, { recursive: true })
})

const key = newKey()
const nothing = () => Promise.resolve()
const provisions = () =>
  provision(
    {
      deployment: readDeployment('staging', folder),
      configs,
      secrets: SecretsFile.read(join(folder, 'secrets/staging.json')),
      fileSets: [],
      print: () => {},
    },
    api,
  )
const rollsBack = () => {
  for (const name of ['console', ...configs.keys()]) fake.upload(`svc-${name}-staging`, 'a'.repeat(12))
  const deployment = readDeployment('staging', folder)
  return rollBack({ deployment, configs, consoleConfig: committedConsole(), print: () => {} }, 'a'.repeat(12), api)
}

const NOW = Date.UTC(2027, 2, 1)
const exported = { at: NOW }
const target = () => ({
  deployment: 'staging',
  databases: new AccountDatabases(api, readDeployment('staging', folder), configs),
  place: bucketPlace(api, '-staging'),
  print: () => {},
})
/** Each export has a name of its own: a locked one is never written again. */
const exports = async () => {
  exported.at += 60_000
  const { recipient, file } = await key
  await exportDatabases({ ...target(), recipients: [recipient], now: exported.at })
  return file
}
const imports = async () =>
  importDatabases({ ...target(), keyFile: (await key).file, lostAt: exported.at, replaces: true, now: exported.at })

it.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
  ['scripts/provision', provisions, nothing],
  ['scripts/deploy --roll-back', rollsBack, nothing],
  ['scripts/operate export-databases', exports, provisions],
  [
    'scripts/operate import-databases',
    imports,
    async () => {
      await provisions()
      await exports()
    },
  ],
])('the token of %s has what it needs, and nothing else', async (command, run, before) => {
  await before()
  const permissions = TOKENS[command] ?? []
  for (const missing of permissions) {
    fake.permissions = new Set(permissions.filter((one) => one !== missing))
    await expect(run(), missing).rejects.toThrow('Cloudflare answered 403')
  }
  fake.permissions = new Set<Permission>(permissions)
  await run()
})

it('are those of the page', () => {
  const page = readFileSync(join(ROOT, 'workers/docs/pages/developer/supply-chain.md'), 'utf8')
  const rows = [...(page.split('\n## Tokens\n')[1] ?? '').matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)]
  const named = (permission: Permission) => (permission === OF_ZONE ? `\`${permission}\` (zone)` : `\`${permission}\``)
  expect(rows.map(([, command, permissions]) => [command, permissions])).toEqual(
    Object.entries(TOKENS).map(([command, permissions]) => [command, permissions.map(named).join(', ')]),
  )
})
