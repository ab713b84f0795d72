import {
  createExecutionContext,
  createScheduledController,
  runDurableObjectAlarm,
  runInDurableObject,
  waitOnExecutionContext,
} from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { makeContactPass } from '@svc/client/functions'
import type { RootStatement } from '@svc/protocol/internal/keys'
import { MIGRATION_SUNSET } from '@svc/protocol/keys/capabilities'
import { REALM, type TestCaller } from '@svc/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { recordRootStatements } from '../src/directory/root-statements.ts'
import worker from '../src/index.ts'
import { publishedDevice } from './directory/directory.fixture.ts'
import { caller } from './harness.ts'
import { accountOf, opened } from './transparency/log.fixture.ts'

const DAY = 86_400_000
const SUNSET = Date.parse(MIGRATION_SUNSET)
/** More than one statement deletes. */
const MANY = 12_000

beforeEach(async () => {
  await env.DB.batch(
    ['epoch_members', 'epochs', 'prekey_inventory'].map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
  )
})

async function sweepAt(time: number, replaced: object = {}): Promise<void> {
  const context = createExecutionContext()
  worker.scheduled(createScheduledController({ scheduledTime: new Date(time) }), { ...env, ...replaced }, context)
  await waitOnExecutionContext(context)
}

async function record(did: string, statement: RootStatement, replaced: object = {}): Promise<void> {
  const context = createExecutionContext()
  await recordRootStatements({ ...env, ...replaced }, context, did, [statement])
  await waitOnExecutionContext(context)
}

const epoch = (number: number, opensAt: number, closesAt: number) =>
  env.DB.prepare('INSERT INTO epochs (epoch, opens_at, closes_at) VALUES (?, ?, ?)')
    .bind(number, opensAt, closesAt)
    .run()
const join = (number: number, did: string) =>
  env.DB.prepare("INSERT INTO epoch_members (epoch, did, user_id, joined_at) VALUES (?, ?, 'u', 1)")
    .bind(number, did)
    .run()
const inventory = (did: string, count: number) =>
  env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     INSERT INTO prekey_inventory (did, key_id, key_hash, recorded_at) SELECT ?1, 'k' || i, 'h', 1 FROM n`,
  )
    .bind(did, count)
    .run()
const left = async () => {
  const members = await env.DB.prepare('SELECT epoch, did FROM epoch_members ORDER BY epoch, did').all()
  const keys = await env.DB.prepare(
    'SELECT did, count(*) AS keys FROM prekey_inventory GROUP BY did ORDER BY did',
  ).all()
  return { members: members.results, inventory: keys.results }
}

describe('the hourly sweep', () => {
  it('forgets the members of an epoch 30 days after it closed, and the epoch stays', async () => {
    const now = Date.now()
    await epoch(1, now - 70 * DAY, now - 31 * DAY)
    await epoch(2, now - 31 * DAY, now - 29 * DAY)
    await epoch(3, now - 29 * DAY, now + DAY)
    for (const number of [1, 2, 3]) for (const did of ['a', 'b']) await join(number, did)
    await sweepAt(now)
    const kept = [2, 3].flatMap((number) => ['a', 'b'].map((did) => ({ epoch: number, did })))
    expect((await left()).members).toEqual(kept)
    await sweepAt(now + 32 * DAY)
    expect((await left()).members).toEqual([])
    const { results } = await env.DB.prepare('SELECT epoch FROM epochs ORDER BY epoch').all()
    expect(results).toEqual([{ epoch: 1 }, { epoch: 2 }, { epoch: 3 }])
  })

  it('forgets the inventory once its routes have ended', async () => {
    await inventory('a', MANY)
    await inventory('b', 1)
    await sweepAt(SUNSET - 1)
    expect((await left()).inventory).toEqual([
      { did: 'a', keys: MANY },
      { did: 'b', keys: 1 },
    ])
    await sweepAt(SUNSET)
    expect((await left()).inventory).toEqual([])
  })

  it('forgets the one though the other fails', async () => {
    await epoch(1, 1, 2)
    await join(1, 'a')
    await inventory('a', 1)
    const failing = (table: string) => ({
      DB: { prepare: (sql: string) => env.DB.prepare(sql.includes(table) ? 'SELECT broken' : sql) },
    })
    await sweepAt(SUNSET, failing('epoch_members')).catch(() => {})
    expect(await left()).toEqual({ members: [{ epoch: 1, did: 'a' }], inventory: [] })
    await sweepAt(SUNSET, failing('prekey_inventory')).catch(() => {})
    expect((await left()).members).toEqual([])
  })
})

describe('an identity that was deactivated', () => {
  const rowsOf = (owner: TestCaller) =>
    runInDurableObject(accountOf(owner), (_, { storage: { sql } }) =>
      ['prekeys', 'batches', 'contacts', 'settings', 'pools'].map(
        (table) => sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n,
      ),
    )

  it('is forgotten where nobody can ask for it any more; others are not', async () => {
    await opened()
    const [owner, other] = [await caller(), await caller()]
    const now = Date.now()
    await epoch(1, now - DAY, now + DAY)
    for (const { identity, client } of [owner, other]) {
      await join(1, identity.did)
      await inventory(identity.did, 2)
      await client.keyDirectory.configure({
        reserve: 'contacts',
        contacts: [owner, other].map((one) => ({ did: one.identity.did, passB64u: makeContactPass() })),
      })
    }
    await publishedDevice(owner, { count: 4 })
    await publishedDevice(other, { count: 4 })
    const { did, scope, epoch: rootEpoch } = owner.identity
    const statement = {
      type: 'svc/did-deactivate/v1',
      realm: REALM,
      did,
      scope,
      epoch: rootEpoch,
      inception: null,
      issuedAt: now,
    } as const
    const down = { DB: { prepare: () => env.DB.prepare('SELECT broken') } }
    await expect(record(did, statement, down)).rejects.toThrow()
    await record(did, statement)
    await record(did, statement)
    const kept = { did: other.identity.did }
    expect(await left()).toEqual({ members: [{ epoch: 1, ...kept }], inventory: [{ ...kept, keys: 2 }] })
    expect(await rowsOf(other)).toEqual([4, 1, 2, 1, 1])
    // What was uploaded is kept as long as it could be uploaded again.
    expect(await rowsOf(owner)).toEqual([4, 1, 0, 0, 0])
    vi.useFakeTimers({ toFake: ['Date'], now: now + 91 * DAY })
    await runDurableObjectAlarm(accountOf(owner))
    vi.useRealTimers()
    expect(await rowsOf(owner)).toEqual([0, 0, 0, 0, 0])
  })

  it('is told from one that rotated, which keeps everything', async () => {
    const { identity, client } = await caller()
    await inventory(identity.did, 1)
    const { statement } = await client.rotation.makeRequest(await identity.successor(), { version: 2 })
    await record(identity.did, statement)
    expect((await left()).inventory).toEqual([{ did: identity.did, keys: 1 }])
  })
})
