import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { committedConsole } from '../account.ts'
import { AccountDatabases } from '../databases/account-databases.ts'
import { exportDatabases } from '../databases/export-databases.ts'
import { bucketPlace } from '../databases/export-place.ts'
import { importDatabases } from '../databases/import-databases.ts'
import { newKey } from '../databases/sealed-export.ts'
import { countNamedRows } from '../databases/seed-versions.ts'
import { migrate } from '../databases/staging-databases.fixture.ts'
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

const key = newKey()
const nothing = () => Promise.resolve()
const provisions = () => provision(account.provisioning, account.api)
const rollsBack = () => {
  const { configs, deployment, print } = account
  for (const name of ['console', ...configs.keys()]) account.fake.upload(`svc-${name}-staging`, UPLOADED)
  return rollBack({ deployment, configs, consoleConfig: committedConsole(), print }, UPLOADED, account.api)
}

const NOW = Date.UTC(2027, 2, 1)
const exported = { at: NOW }
const target = () => ({
  deployment: 'staging',
  databases: new AccountDatabases(account.api, account.deployment, account.configs),
  place: bucketPlace(account.api, '-staging'),
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
  [
    'scripts/operate seed-versions',
    () => countNamedRows(target().databases),
    async () => {
      await provisions()
      for (const [name, { sqlite }] of account.fake.databases) migrate(sqlite, name.replace('-staging', ''))
    },
  ],
])('the token of %s has what it needs, and nothing else', async (command, run, before) => {
  await before()
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
