import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { exportDatabases } from './export-databases.ts'
import { bucketPlace } from './export-place.ts'
import { newKey } from './sealed-export.ts'
import { MINUTE, NAMES, NOW, StagingDatabases } from './staging-databases.fixture.ts'

let key: Awaited<ReturnType<typeof newKey>>
let stranger: Awaited<ReturnType<typeof newKey>>
let staging: StagingDatabases

beforeAll(async () => {
  key = await newKey()
  stranger = await newKey()
})
beforeEach(async () => {
  staging = await StagingDatabases.open(key)
})
afterEach(() => staging.close())

describe('an export of the databases', () => {
  it('brings every table, index, trigger and view of every database back', async () => {
    const schemaOf = (name: string) =>
      staging.all(
        name,
        `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'restores' ORDER BY name`,
      )
    const before = new Map(NAMES.map((name) => [name, schemaOf(name)]))
    const prices = staging.all('svc-pay', 'SELECT * FROM prices ORDER BY sku, region')
    await staging.exports()
    for (const name of NAMES) staging.lose(name)
    expect(await staging.imports()).toBe(true)
    for (const name of NAMES) expect(schemaOf(name), name).toEqual(before.get(name))
    expect(staging.all('svc-pay', 'SELECT * FROM prices ORDER BY sku, region')).toEqual(prices)
    expect(staging.all('svc-core', 'SELECT name FROM d1_migrations ORDER BY id').length).toBeGreaterThan(3)
    // The API was asked for nothing that it does not have.
    expect(staging.account.fake.unknown).toEqual([])
  })

  it('brings texts, bytes and numbers back as they were, and rows that are longer than a statement of D1', async () => {
    const values = ["it's", 'line\nbreak\r', 'nul\0byte', '🙂', '\\n']
    const asset = `{"long":"${"'é🙂".repeat(60_000)}"}`
    const core = staging.sqliteOf('svc-core')
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
    staging
      .sqliteOf('svc-auth')
      .prepare('INSERT INTO opaque_records VALUES (?, ?, ?, ?, ?)')
      .run('i', 'a', record, 1, 1)
    await staging.exports()
    for (const name of ['svc-core', 'svc-auth']) staging.lose(name)
    await staging.imports({ only: ['svc-core', 'svc-auth'] })
    expect(staging.all('svc-core', 'SELECT name, pinned_at FROM pins ORDER BY cid')).toEqual(
      values.map((name) => ({ name, pinned_at: 2 ** 52 })),
    )
    expect(staging.one('svc-core', 'SELECT asset FROM assets')).toEqual({ asset })
    expect(staging.one('svc-auth', 'SELECT record FROM opaque_records')?.['record']).toEqual(record)
  })

  it('is not readable without the key, and says nothing of what is in it', async () => {
    staging.sqliteOf('svc-core').prepare(`INSERT INTO loose_objects VALUES ('a key that nobody may see', 1)`).run()
    await staging.exports()
    const stored = [...staging.account.fake.objects.entries()]
    expect(stored.map(([name]) => name)).toEqual([
      ...NAMES.map((name) => `svc-exports-staging/databases/2027-03-01T10-00-00Z/${name}.sql.gz.age`),
      'svc-exports-staging/databases/2027-03-01T10-00-00Z/manifest.json',
      'svc-exports-staging/newest-databases',
    ])
    for (const [name, bytes] of stored) expect(bytes.includes('nobody may see'), name).toBe(false)
    staging.lose('svc-core')
    await expect(staging.imports({ only: ['svc-core'], keyFile: stranger.file })).rejects.toThrow(
      'The key does not open this export',
    )
    expect(staging.one('svc-core', 'SELECT name FROM sqlite_schema')).toBeUndefined()
  })

  it('without a recipient is refused before anything is read', async () => {
    await expect(
      exportDatabases({
        deployment: 'staging',
        databases: staging.databases(),
        recipients: [],
        place: bucketPlace(staging.account.api, '-staging'),
        now: NOW,
        print: staging.account.print,
      }),
    ).rejects.toThrow('put its recipient into exportRecipients of deployments/staging.json')
    expect(staging.account.fake.changes.filter((change) => change.includes('/export'))).toEqual([])
  })

  it('that stops halfway has no manifest, and the one before stays the newest', async () => {
    await staging.exports()
    staging.account.fake.failing = 'PUT /r2/buckets/svc-exports-staging/objects/databases/2027-03-01T11-00-00Z/svc-keys'
    await expect(staging.exports(NOW + 60 * MINUTE)).rejects.toThrow('answered 500')
    expect(staging.account.fake.objects.get('svc-exports-staging/newest-databases')?.toString()).toBe(
      '2027-03-01T10-00-00Z',
    )
    expect(staging.account.fake.objects.has('svc-exports-staging/databases/2027-03-01T11-00-00Z/manifest.json')).toBe(
      false,
    )
  })

  it('cannot be replaced or deleted once it is there, and is deleted when its lock ends', async () => {
    await staging.exports()
    await expect(staging.exports()).rejects.toThrow('answered 403 to PUT')
    const [rule] = await staging.account.api.lifecycleRules('svc-exports-staging')
    const [lock] = await staging.account.api.lockRules('svc-exports-staging')
    const days = lock?.condition.type === 'Age' ? lock.condition.maxAgeSeconds / 86_400 : 0
    expect([days, rule?.deleteObjectsTransition.condition.maxAge]).toEqual([35, 36 * 86_400])
  })
})
