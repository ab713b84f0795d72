import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newKey } from './sealed-export.ts'
import { MINUTE, NOW, StagingDatabases } from './staging-databases.fixture.ts'

let key: Awaited<ReturnType<typeof newKey>>
let staging: StagingDatabases

beforeAll(async () => {
  key = await newKey()
})
beforeEach(async () => {
  staging = await StagingDatabases.open(key)
})
afterEach(() => staging.close())

describe('what an earlier state would allow again', () => {
  const auth = () => {
    const sqlite = staging.sqliteOf('svc-auth')
    sqlite.exec(`INSERT INTO accounts VALUES ('a', 1, 3)`)
    sqlite.exec(`INSERT INTO sessions VALUES ('hash', 's', 'a', 'password', 1, 1, 9999999999999)`)
    sqlite.exec(`INSERT INTO known_devices VALUES ('hash', 'd', 'a', NULL, 1, 9999999999999)`)
  }

  it('sessions and devices end, and no used grant for a recovery fits again', async () => {
    auth()
    await staging.exports()
    staging.lose('svc-auth')
    await staging.imports({ only: ['svc-auth'] })
    expect(staging.one('svc-auth', 'SELECT count(*) AS n FROM sessions')).toEqual({ n: 0 })
    expect(staging.one('svc-auth', 'SELECT count(*) AS n FROM known_devices')).toEqual({ n: 0 })
    expect(staging.one('svc-auth', 'SELECT recoveries FROM accounts')?.['recoveries']).toBeGreaterThan(1_000)
  })

  it('acts that were signed until five minutes after the loss are refused', async () => {
    await staging.exports()
    staging.lose('svc-control')
    await staging.imports({ only: ['svc-control'] })
    expect(staging.one('svc-control', 'SELECT lost_at, signed_from FROM restores')).toEqual({
      lost_at: NOW + MINUTE,
      signed_from: NOW + 6 * MINUTE,
    })
  })

  it('acts that a replaced database could accept until then are refused too', async () => {
    await staging.exports()
    await staging.imports({ only: ['svc-control'], replaces: true })
    expect(staging.one('svc-control', 'SELECT signed_from FROM restores')).toEqual({ signed_from: NOW + 15 * MINUTE })
  })

  it('no number is given again that a reader or an index may know something else by', async () => {
    await staging.exports()
    staging.takedown('lost')
    staging.lose('svc-core')
    staging.lose('svc-provenance')
    await staging.imports({ only: ['svc-core', 'svc-provenance'] })
    staging.takedown('next')
    expect(staging.one('svc-core', 'SELECT seq FROM takedowns')?.['seq']).toBe(1_000_001)
    staging
      .sqliteOf('svc-provenance')
      .exec(`INSERT INTO vector_sets (service, asset_id, did, body_key) VALUES ('text', 'a', '', 'b')`)
    expect(staging.one('svc-provenance', 'SELECT id FROM vector_sets')?.['id']).toBe(1_000_001)
  })

  it('the provider’s events since the export are compared again', async () => {
    const pay = staging.sqliteOf('svc-pay')
    pay.exec(`INSERT INTO reconciliation VALUES (1, ${NOW - MINUTE})`)
    await staging.exports()
    pay.exec(`UPDATE reconciliation SET compared_until = ${NOW + MINUTE}`)
    pay.exec(`INSERT INTO provider_events VALUES ('refund', 't', 'c', ${NOW + 1})`)
    await staging.imports({ only: ['svc-pay'], replaces: true })
    expect(staging.one('svc-pay', 'SELECT compared_until FROM reconciliation')).toEqual({
      compared_until: NOW - MINUTE,
    })
    expect(staging.one('svc-pay', 'SELECT count(*) AS n FROM provider_events')).toEqual({ n: 0 })
  })
})
