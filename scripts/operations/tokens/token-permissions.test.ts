import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { committedConsole } from '../account.ts'
import { LocalAccount } from '../local-account/local-account.fixture.ts'
import { provision } from '../provision.ts'
import { rollBack } from '../roll-back.ts'
import { OF_ZONE, type Permission, TOKENS } from './token-permissions.ts'

const UPLOADED = 'a'.repeat(12)
let account: LocalAccount

beforeEach(async () => {
  account = await LocalAccount.open()
})
afterEach(() => account.close())

const provisions = () => provision(account.provisioning, account.api)
const rollsBack = () => {
  const { configs, deployment, print } = account
  for (const name of ['console', ...configs.keys()]) account.fake.upload(`svc-${name}-staging`, UPLOADED)
  return rollBack({ deployment, configs, consoleConfig: committedConsole(), print }, UPLOADED, account.api)
}

it.each<[string, () => Promise<unknown>]>([
  ['scripts/provision', provisions],
  ['scripts/deploy --roll-back', rollsBack],
])('the token of %s has what it needs, and nothing else', async (command, run) => {
  const permissions = TOKENS[command] ?? []
  for (const missing of permissions) {
    account.fake.permissions = new Set(permissions.filter((one) => one !== missing))
    await expect(run(), missing).rejects.toThrow('Cloudflare answered 403')
  }
  account.fake.permissions = new Set<Permission>(permissions)
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
