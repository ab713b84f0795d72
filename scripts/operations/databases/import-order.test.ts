import { afterEach, beforeEach, expect, it } from 'vitest'
import { LocalAccount } from '../local-account/local-account.fixture.ts'
import { provision } from '../provision.ts'
import { AccountDatabases } from './account-databases.ts'
import { exportDatabases } from './export-databases.ts'
import { bucketPlace } from './export-place.ts'
import { importDatabases } from './import-databases.ts'
import { newKey } from './sealed-export.ts'

const NOW = Date.UTC(2027, 2, 1, 10)
const FOLDER = 'svc-exports-staging/databases/2027-03-01T10-00-00Z'
let account: LocalAccount

beforeEach(async () => {
  account = await LocalAccount.open()
  await provision(account.provisioning, account.api)
})
afterEach(() => account.close())

it('an export with a file that is missing or damaged replaces no database', async () => {
  const { api, deployment, configs, print, fake } = account
  const key = await newKey()
  const [databases, place] = [new AccountDatabases(api, deployment, configs), bucketPlace(api, '-staging')]
  for (const { sqlite } of fake.databases.values()) sqlite.exec('CREATE TABLE marks (n INTEGER)')
  await exportDatabases({ deployment: 'staging', databases, recipients: [key.recipient], place, now: NOW, print })
  for (const { sqlite } of fake.databases.values()) sqlite.exec('INSERT INTO marks (n) VALUES (1)')
  const marks = () =>
    [...fake.databases.values()].map(({ sqlite }) => sqlite.prepare('SELECT n FROM marks').all().length)
  const before = marks()
  const imports = () => {
    const times = { lostAt: NOW + 60_000, now: NOW + 600_000 }
    return importDatabases({
      deployment: 'staging',
      databases,
      place,
      keyFile: key.file,
      replaces: true,
      print,
      ...times,
    })
  }
  const file = `${FOLDER}/${databases.names.at(-1)}.sql.gz.age`
  const bytes = fake.objects.get(file) ?? Buffer.alloc(0)
  for (const damage of [null, Buffer.from(bytes.map((byte, i) => (i === bytes.length - 1 ? byte ^ 1 : byte)))]) {
    if (damage) fake.objects.set(file, damage)
    else fake.objects.delete(file)
    await expect(imports()).rejects.toThrow('is not the one that the manifest names')
    expect(marks()).toEqual(before)
  }
  fake.objects.set(file, bytes)
  expect(await imports()).toBe(true)
  expect(new Set(marks())).toEqual(new Set([0]))
})
