import { afterEach, beforeEach, expect, it } from 'vitest'
import { newKey } from './sealed-export.ts'
import { countNamedRows, seedVersionLines } from './seed-versions.ts'
import { StagingDatabases } from './staging-databases.fixture.ts'

let staging: StagingDatabases

beforeEach(async () => {
  staging = await StagingDatabases.open(await newKey())
})
afterEach(() => staging.close())

it('counts what each version of a seed names', async () => {
  const auth = staging.sqliteOf('svc-auth')
  const record = auth.prepare('INSERT INTO opaque_records VALUES (?, ?, ?, ?, ?)')
  for (const [name, version] of [
    ['a', 1],
    ['b', 2],
    ['c', 2],
  ] as const)
    record.run(name, name, new Uint8Array(192), 1, version)
  auth.prepare('INSERT INTO subjects VALUES (?, ?, ?)').run('s', 'a', 1)
  const claimant = staging.sqliteOf('svc-provenance').prepare('INSERT INTO text_claimants VALUES (?, ?)')
  for (const name of ['1.a', '12.b', '12.c']) claimant.run('text', name)
  expect(seedVersionLines(await countNamedRows(staging.databases()))).toEqual([
    'OPAQUE_SERVER_SEED version 1: passwords: 1',
    'OPAQUE_SERVER_SEED version 2: passwords: 2',
    'OPAQUE_SERVER_SEED version 1: people at providers: 1',
    'CLAIMANTS_SEED version 1: claimants of texts: 1',
    'CLAIMANTS_SEED version 12: claimants of texts: 2',
  ])
})
