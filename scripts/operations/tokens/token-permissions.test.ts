import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { committedConfigs, committedConsole } from '../account.ts'
import { CloudflareApi } from '../cloudflare-api.ts'
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

it.each<[string, () => Promise<unknown>]>([
  ['scripts/provision', provisions],
  ['scripts/deploy --roll-back', rollsBack],
])('the token of %s has what it needs, and nothing else', async (command, run) => {
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
