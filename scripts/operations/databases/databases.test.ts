import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ROOT } from '@svc/platform/workspace'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { committedConfigs } from '../account.ts'
import { LocalAccount } from '../local-account/local-account.fixture.ts'
import { provision } from '../provision.ts'
import { AccountDatabases, databaseNames } from './account-databases.ts'
import { AFTER_IMPORT } from './after-import.ts'
import { exportDatabases } from './export-databases.ts'
import { bucketPlace } from './export-place.ts'
import { type DatabaseImport, importDatabases } from './import-databases.ts'
import { newKey, seal } from './sealed-export.ts'

const NAMES = databaseNames(committedConfigs())
const NOW = Date.UTC(2027, 2, 1, 10)
const MINUTE = 60_000

let key: Awaited<ReturnType<typeof newKey>>
let stranger: Awaited<ReturnType<typeof newKey>>
let account: LocalAccount

beforeAll(async () => {
  key = await newKey()
  stranger = await newKey()
})

beforeEach(async () => {
  account = await LocalAccount.open()
  await provision(account.provisioning, account.api)
  account.printed.length = 0
  for (const name of NAMES) migrate(name)
})
afterEach(() => account.close())

const databases = () => new AccountDatabases(account.api, account.deployment, account.configs)

function sqliteOf(name: string): DatabaseSync {
  const found = account.fake.databases.get(`${name}-staging`)
  if (!found) throw new Error(`there is no ${name}`)
  return found.sqlite
}

function migrate(name: string): void {
  const sqlite = sqliteOf(name)
  sqlite.exec('CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TEXT)')
  const files = globSync(`migrations/${name.replace('svc-', '')}/*.sql`, { cwd: ROOT }).toSorted()
  for (const file of files) {
    sqlite.exec(readFileSync(join(ROOT, file), 'utf8'))
    sqlite.prepare('INSERT INTO d1_migrations (name, applied_at) VALUES (?, ?)').run(file, 'then')
  }
}

/** The account loses a database, and the operator makes an empty one of the same name. */
function lose(name: string): void {
  const found = account.fake.databases.get(`${name}-staging`)
  if (found) found.sqlite = new DatabaseSync(':memory:')
}

const exports = (now = NOW) =>
  exportDatabases({
    deployment: 'staging',
    databases: databases(),
    recipients: [key.recipient],
    place: bucketPlace(account.api, '-staging'),
    now,
    print: account.print,
  })
const imports = (changes: Partial<DatabaseImport> = {}) =>
  importDatabases({
    deployment: 'staging',
    databases: databases(),
    place: bucketPlace(account.api, '-staging'),
    keyFile: key.file,
    lostAt: NOW + MINUTE,
    replaces: false,
    now: NOW + 10 * MINUTE,
    print: account.print,
    ...changes,
  })

const one = (name: string, sql: string) => sqliteOf(name).prepare(sql).get() as Record<string, unknown> | undefined
const all = (name: string, sql: string) => sqliteOf(name).prepare(sql).all() as Record<string, unknown>[]

function takedown(subject: string): void {
  sqliteOf('svc-core')
    .prepare(
      `INSERT INTO takedowns (kind, subject_id, reason, operator, nonce, taken_down_at) VALUES ('pin', ?, 'law', 'o', ?, 1)`,
    )
    .run(subject, subject)
}

describe('an export of the databases', () => {
  it('brings every table, index, trigger and view of every database back', async () => {
    const schemaOf = (name: string) =>
      all(name, `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'restores' ORDER BY name`)
    const before = new Map(NAMES.map((name) => [name, schemaOf(name)]))
    const prices = all('svc-pay', 'SELECT * FROM prices ORDER BY sku, region')
    await exports()
    NAMES.forEach(lose)
    expect(await imports()).toBe(true)
    for (const name of NAMES) expect(schemaOf(name), name).toEqual(before.get(name))
    expect(all('svc-pay', 'SELECT * FROM prices ORDER BY sku, region')).toEqual(prices)
    expect(all('svc-core', 'SELECT name FROM d1_migrations ORDER BY id').length).toBeGreaterThan(3)
    // The API was asked for nothing that it does not have.
    expect(account.fake.unknown).toEqual([])
  })

  it('brings texts, bytes and numbers back as they were, and rows that are longer than a statement of D1', async () => {
    const values = ["it's", 'line\nbreak\r', 'nul\0byte', '🙂', '\\n']
    const asset = `{"long":"${"'é🙂".repeat(60_000)}"}`
    const core = sqliteOf('svc-core')
    for (const [i, text] of values.entries())
      core
        .prepare('INSERT INTO pins (did, cid, name, provider, status, pinned_at) VALUES (?, ?, ?, ?, ?, ?)')
        .run('did', `cid-${i}`, text, 'p', 's', 2 ** 52)
    core
      .prepare(
        `INSERT INTO assets (asset_id, proved, header, asset, attestations, owner, transfers, head, created_at, updated_at)
         VALUES ('a', 1, 'h', ?, 'x', 'o', 0, 'h', 1, 1)`,
      )
      .run(asset)
    const record = Uint8Array.from({ length: 256 }, (_, i) => i)
    sqliteOf('svc-auth').prepare('INSERT INTO opaque_records VALUES (?, ?, ?, ?)').run('i', 'a', record, 1)
    await exports()
    for (const name of ['svc-core', 'svc-auth']) lose(name)
    await imports({ only: ['svc-core', 'svc-auth'] })
    expect(all('svc-core', 'SELECT name, pinned_at FROM pins ORDER BY cid')).toEqual(
      values.map((name) => ({ name, pinned_at: 2 ** 52 })),
    )
    expect(one('svc-core', 'SELECT asset FROM assets')).toEqual({ asset })
    expect(one('svc-auth', 'SELECT record FROM opaque_records')?.['record']).toEqual(record)
  })

  it('is not readable without the key, and says nothing of what is in it', async () => {
    sqliteOf('svc-core').prepare(`INSERT INTO loose_objects VALUES ('a key that nobody may see', 1)`).run()
    await exports()
    const stored = [...account.fake.objects.entries()]
    expect(stored.map(([name]) => name)).toEqual([
      ...NAMES.map((name) => `svc-exports-staging/databases/2027-03-01T10-00-00Z/${name}.sql.gz.age`),
      'svc-exports-staging/databases/2027-03-01T10-00-00Z/manifest.json',
      'svc-exports-staging/newest-databases',
    ])
    for (const [name, bytes] of stored) expect(bytes.includes('nobody may see'), name).toBe(false)
    lose('svc-core')
    await expect(imports({ only: ['svc-core'], keyFile: stranger.file })).rejects.toThrow(
      'The key does not open this export',
    )
    expect(one('svc-core', 'SELECT name FROM sqlite_schema')).toBeUndefined()
  })

  it('without a recipient is refused before anything is read', async () => {
    await expect(
      exportDatabases({
        deployment: 'staging',
        databases: databases(),
        recipients: [],
        place: bucketPlace(account.api, '-staging'),
        now: NOW,
        print: account.print,
      }),
    ).rejects.toThrow('put its recipient into exportRecipients of deployments/staging.json')
    expect(account.fake.changes.filter((change) => change.includes('/export'))).toEqual([])
  })

  it('that stops halfway has no manifest, and the one before stays the newest', async () => {
    await exports()
    account.fake.failing = 'PUT /r2/buckets/svc-exports-staging/objects/databases/2027-03-01T11-00-00Z/svc-keys'
    await expect(exports(NOW + 60 * MINUTE)).rejects.toThrow('answered 500')
    expect(account.fake.objects.get('svc-exports-staging/newest-databases')?.toString()).toBe('2027-03-01T10-00-00Z')
    expect(account.fake.objects.has('svc-exports-staging/databases/2027-03-01T11-00-00Z/manifest.json')).toBe(false)
  })

  it('cannot be replaced or deleted once it is there, and is deleted when its lock ends', async () => {
    await exports()
    await expect(exports()).rejects.toThrow('answered 403 to PUT')
    const [rule] = await account.api.lifecycleRules('svc-exports-staging')
    const [lock] = await account.api.lockRules('svc-exports-staging')
    const days = lock?.condition.type === 'Age' ? lock.condition.maxAgeSeconds / 86_400 : 0
    expect([days, rule?.deleteObjectsTransition.condition.maxAge]).toEqual([35, 36 * 86_400])
  })
})

describe('an import of the databases', () => {
  it('leaves a database that is not empty as it is, and says so', async () => {
    await exports()
    takedown('later')
    lose('svc-did')
    expect(await imports()).toBe(false)
    expect(account.printed).toContain('svc-core: is not empty, and stays as it is; --replace discards what is in it')
    expect(one('svc-core', 'SELECT count(*) AS n FROM takedowns')).toEqual({ n: 1 })
    expect(account.printed).toContain(`svc-did: ${all('svc-did', 'SELECT * FROM d1_migrations').length} rows imported`)
  })

  it('replaces what is there if it is told to, once', async () => {
    takedown('before')
    await exports()
    takedown('later')
    expect(await imports({ replaces: true, only: ['svc-core'] })).toBe(true)
    expect(all('svc-core', 'SELECT subject_id FROM takedowns')).toEqual([{ subject_id: 'before' }])
    takedown('since')
    expect(await imports({ replaces: true, only: ['svc-core'] })).toBe(true)
    expect(account.printed.at(-1)).toBe('svc-core: was imported already')
    expect(all('svc-core', 'SELECT subject_id FROM takedowns').length).toBe(2)
    // Another loss is another import.
    await imports({ replaces: true, only: ['svc-core'], lostAt: NOW + 5 * MINUTE })
    expect(all('svc-core', 'SELECT subject_id FROM takedowns').length).toBe(1)
  })

  it('continues after an interruption', async () => {
    await exports()
    NAMES.forEach(lose)
    const [, , third = ''] = NAMES
    account.fake.failing = `POST /d1/database/${account.fake.databases.get(`${third}-staging`)?.id}/import`
    await expect(imports()).rejects.toThrow('answered 500')
    account.fake.failing = null
    account.printed.length = 0
    expect(await imports()).toBe(true)
    expect(account.printed.filter((line) => line.endsWith('was imported already')).length).toBe(2)
    for (const name of NAMES) expect(one(name, 'SELECT count(*) AS n FROM restores'), name).toEqual({ n: 1 })
  })

  it('refuses an export that was changed, one of another environment, and one from after the loss', async () => {
    const { manifestHash } = await exports()
    lose('svc-core')
    const wanted = { only: ['svc-core'] }
    await expect(imports({ ...wanted, manifestHash: '0'.repeat(64) })).rejects.toThrow('not the one that the export')
    await expect(imports({ ...wanted, deployment: 'production' })).rejects.toThrow('of staging, not of production')
    await expect(imports({ ...wanted, lostAt: NOW - 1 })).rejects.toThrow('after the loss')
    await expect(imports({ ...wanted, from: '2027-03-01T09-00-00Z' })).rejects.toThrow('has no manifest')
    const file = 'svc-exports-staging/databases/2027-03-01T10-00-00Z/svc-core.sql.gz.age'
    const kept = account.fake.objects.get(file)
    account.fake.objects.set(file, Buffer.from(await seal('CREATE TABLE planted (a)', [key.recipient])))
    await expect(imports(wanted)).rejects.toThrow('The file of svc-core is not the one that the manifest names')
    account.fake.objects.set(file, kept ?? Buffer.alloc(0))
    expect(await imports({ ...wanted, manifestHash })).toBe(true)
  })

  it('has a rule for every database', () => {
    expect(Object.keys(AFTER_IMPORT).toSorted()).toEqual(NAMES)
  })
})

describe('what an earlier state would allow again', () => {
  const auth = () => {
    const sqlite = sqliteOf('svc-auth')
    sqlite.exec(`INSERT INTO accounts VALUES ('a', 1, 3)`)
    sqlite.exec(`INSERT INTO sessions VALUES ('hash', 's', 'a', 'password', 1, 1, 9999999999999)`)
    sqlite.exec(`INSERT INTO known_devices VALUES ('hash', 'd', 'a', NULL, 1, 9999999999999)`)
  }

  it('sessions and devices end, and no used grant for a recovery fits again', async () => {
    auth()
    await exports()
    lose('svc-auth')
    await imports({ only: ['svc-auth'] })
    expect(one('svc-auth', 'SELECT count(*) AS n FROM sessions')).toEqual({ n: 0 })
    expect(one('svc-auth', 'SELECT count(*) AS n FROM known_devices')).toEqual({ n: 0 })
    expect(one('svc-auth', 'SELECT recoveries FROM accounts')?.['recoveries']).toBeGreaterThan(1_000)
  })

  it('acts that were signed until five minutes after the loss are refused', async () => {
    await exports()
    lose('svc-control')
    await imports({ only: ['svc-control'] })
    expect(one('svc-control', 'SELECT lost_at, signed_from FROM restores')).toEqual({
      lost_at: NOW + MINUTE,
      signed_from: NOW + 6 * MINUTE,
    })
  })

  it('acts that a replaced database could accept until then are refused too', async () => {
    await exports()
    await imports({ only: ['svc-control'], replaces: true })
    expect(one('svc-control', 'SELECT signed_from FROM restores')).toEqual({ signed_from: NOW + 15 * MINUTE })
  })

  it('no number is given again that a reader or an index may know something else by', async () => {
    await exports()
    takedown('lost')
    lose('svc-core')
    lose('svc-provenance')
    await imports({ only: ['svc-core', 'svc-provenance'] })
    takedown('next')
    expect(one('svc-core', 'SELECT seq FROM takedowns')?.['seq']).toBe(1_000_001)
    sqliteOf('svc-provenance').exec(
      `INSERT INTO vector_sets (service, asset_id, did, body_key) VALUES ('text', 'a', '', 'b')`,
    )
    expect(one('svc-provenance', 'SELECT id FROM vector_sets')?.['id']).toBe(1_000_001)
  })

  it('the provider’s events since the export are compared again', async () => {
    const pay = sqliteOf('svc-pay')
    pay.exec(`INSERT INTO reconciliation VALUES (1, ${NOW - MINUTE})`)
    await exports()
    pay.exec(`UPDATE reconciliation SET compared_until = ${NOW + MINUTE}`)
    pay.exec(`INSERT INTO provider_events VALUES ('refund', 't', 'c', ${NOW + 1})`)
    await imports({ only: ['svc-pay'], replaces: true })
    expect(one('svc-pay', 'SELECT compared_until FROM reconciliation')).toEqual({ compared_until: NOW - MINUTE })
    expect(one('svc-pay', 'SELECT count(*) AS n FROM provider_events')).toEqual({ n: 0 })
  })
})
