import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AFTER_IMPORT } from './after-import.ts'
import { newKey, seal } from './sealed-export.ts'
import { MINUTE, NAMES, NOW, StagingDatabases } from './staging-databases.fixture.ts'

let key: Awaited<ReturnType<typeof newKey>>
let staging: StagingDatabases

beforeAll(async () => {
  key = await newKey()
})
beforeEach(async () => {
  staging = await StagingDatabases.open(key)
})
afterEach(() => staging.close())

describe('an import of the databases', () => {
  it('leaves a database that is not empty as it is, and says so', async () => {
    await staging.exports()
    staging.takedown('later')
    staging.lose('svc-did')
    expect(await staging.imports()).toBe(false)
    expect(staging.account.printed).toContain(
      'svc-core: is not empty, and stays as it is; --replace discards what is in it',
    )
    expect(staging.one('svc-core', 'SELECT count(*) AS n FROM takedowns')).toEqual({ n: 1 })
    expect(staging.account.printed).toContain(
      `svc-did: ${staging.all('svc-did', 'SELECT * FROM d1_migrations').length} rows imported`,
    )
  })

  it('replaces what is there if it is told to, once', async () => {
    staging.takedown('before')
    await staging.exports()
    staging.takedown('later')
    expect(await staging.imports({ replaces: true, only: ['svc-core'] })).toBe(true)
    expect(staging.all('svc-core', 'SELECT subject_id FROM takedowns')).toEqual([{ subject_id: 'before' }])
    staging.takedown('since')
    expect(await staging.imports({ replaces: true, only: ['svc-core'] })).toBe(true)
    expect(staging.account.printed.at(-1)).toBe('svc-core: was imported already')
    expect(staging.all('svc-core', 'SELECT subject_id FROM takedowns').length).toBe(2)
    // Another loss is another import.
    await staging.imports({ replaces: true, only: ['svc-core'], lostAt: NOW + 5 * MINUTE })
    expect(staging.all('svc-core', 'SELECT subject_id FROM takedowns').length).toBe(1)
  })

  it('continues after an interruption', async () => {
    await staging.exports()
    for (const name of NAMES) staging.lose(name)
    const [, , third = ''] = NAMES
    staging.account.fake.failing = `POST /d1/database/${staging.account.fake.databases.get(`${third}-staging`)?.id}/import`
    await expect(staging.imports()).rejects.toThrow('answered 500')
    staging.account.fake.failing = null
    staging.account.printed.length = 0
    expect(await staging.imports()).toBe(true)
    expect(staging.account.printed.filter((line) => line.endsWith('was imported already')).length).toBe(2)
    for (const name of NAMES) expect(staging.one(name, 'SELECT count(*) AS n FROM restores'), name).toEqual({ n: 1 })
  })

  it('refuses an export that was changed, one of another environment, and one from after the loss', async () => {
    const { manifestHash } = await staging.exports()
    staging.lose('svc-core')
    const wanted = { only: ['svc-core'] }
    await expect(staging.imports({ ...wanted, manifestHash: '0'.repeat(64) })).rejects.toThrow(
      'not the one that the export',
    )
    await expect(staging.imports({ ...wanted, deployment: 'production' })).rejects.toThrow(
      'of staging, not of production',
    )
    await expect(staging.imports({ ...wanted, lostAt: NOW - 1 })).rejects.toThrow('after the loss')
    await expect(staging.imports({ ...wanted, from: '2027-03-01T09-00-00Z' })).rejects.toThrow('has no manifest')
    const file = 'svc-exports-staging/databases/2027-03-01T10-00-00Z/svc-core.sql.gz.age'
    const kept = staging.account.fake.objects.get(file)
    staging.account.fake.objects.set(file, Buffer.from(await seal('CREATE TABLE planted (a)', [staging.key.recipient])))
    await expect(staging.imports(wanted)).rejects.toThrow('The file of svc-core is not the one that the manifest names')
    staging.account.fake.objects.set(file, kept ?? Buffer.alloc(0))
    expect(await staging.imports({ ...wanted, manifestHash })).toBe(true)
  })

  it('has a rule for every database', () => {
    expect(Object.keys(AFTER_IMPORT).toSorted()).toEqual(NAMES)
  })
})
