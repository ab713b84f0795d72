import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { AnchorRecord } from '@svc/protocol/ledger/anchors'
import { delaysDuring } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { anonymous, freshCaller } from '../harness.ts'
import { anchored, fill, freshRoot, indexOf, LOG, log, reader, sizeOf, submission, submit } from './anchors.fixture.ts'

/** D1 with every statement on anchors failing. */
const breakD1 = () => env.DB.exec('ALTER TABLE anchors RENAME TO anchors_out_of_reach')
const mendD1 = () => env.DB.exec('ALTER TABLE anchors_out_of_reach RENAME TO anchors')
const isBroken = async () =>
  (await env.DB.prepare("SELECT 1 FROM sqlite_master WHERE name = 'anchors_out_of_reach'").first()) !== null

const query = (sql: string) => runInDurableObject(log(), (_, { storage }) => void storage.sql.exec(sql))
/** The log with every batch failing once it is decided. */
const breakLog = () =>
  query("CREATE TRIGGER refuses BEFORE INSERT ON head BEGIN SELECT RAISE(ABORT, 'canary: the log is down'); END")
const mendLog = () => query('DROP TRIGGER refuses')

const ownerOf = ({ identity }: TestCaller) => env.IDENTITIES.getByName(identity.did)
const owned = (caller: TestCaller, sql: string) =>
  runInDurableObject(ownerOf(caller), (_, { storage }) => storage.sql.exec(sql).toArray())
const waiting = async (caller: TestCaller) => (await owned(caller, 'SELECT id FROM undelivered_anchors')).length
/** The next delivery, as if it was due now. */
async function deliver(caller: TestCaller): Promise<void> {
  await owned(caller, 'UPDATE undelivered_anchors SET due_at = 0')
  await runDurableObjectAlarm(ownerOf(caller))
}
const submitted = async (caller: TestCaller, root = freshRoot()) => {
  const answer = await submit(caller, await submission(caller, { root }))
  expect(answer.status).toBe(200)
  return answer.body as unknown as AnchorRecord
}

afterEach(async () => {
  if (await isBroken()) await mendD1()
})

describe('while D1 rejects anchors', () => {
  it('acknowledges what the log holds, and lists it later as acknowledged', async () => {
    const callers = [await freshCaller(), await freshCaller(), await freshCaller()]
    await breakD1()
    const records: AnchorRecord[] = []
    for (const caller of callers) records.push(await submitted(caller))
    expect(records.map(({ position }) => position?.log)).toEqual([LOG, LOG, LOG])
    expect(await Promise.all(callers.map(waiting))).toEqual([1, 1, 1])
    expect((await anonymous('GET', '/api/anchors')).status).toBe(503)
    await mendD1()
    expect((await reader().page()).items).toEqual([])
    for (const caller of callers) await deliver(caller)
    expect((await reader().page({ attestations: 'include' })).items).toEqual(records.toReversed())
    expect(await Promise.all(callers.map(waiting))).toEqual([0, 0, 0])
  })

  it('still creates one anchor per submission', async () => {
    const caller = await freshCaller()
    const root = freshRoot()
    const size = await sizeOf()
    await breakD1()
    const first = await submitted(caller, root)
    expect(first.position).toEqual({ log: LOG, index: size })
    await mendD1()
    expect(await submitted(caller, root)).toEqual(first)
    expect(await sizeOf()).toBe(size + 1)
  })

  it('fails rather than answering that there is nothing', async () => {
    const { anchorId } = await anchored()
    await breakD1()
    for (const path of ['', '/state-proof', `/${anchorId}`, `/${anchorId}/bundle`]) {
      expect(await anonymous('GET', `/api/anchors${path}`)).toMatchObject({
        status: 503,
        body: { success: false, error: 'dependency_unavailable' },
      })
    }
  })

  it('retries until D1 accepts them, also when the owner’s object is evicted', async () => {
    const caller = await freshCaller()
    await breakD1()
    const record = await submitted(caller)
    for (let attempt = 0; attempt < 3; attempt++) {
      await evictDurableObject(ownerOf(caller))
      expect(await delaysDuring(() => deliver(caller))).toEqual(['anchors'])
      expect(await waiting(caller)).toBe(1)
      expect(await runInDurableObject(ownerOf(caller), (_, { storage }) => storage.getAlarm())).toEqual(
        expect.any(Number),
      )
    }
    await mendD1()
    await deliver(caller)
    expect(await reader().read(record.anchorId)).toEqual(record)
  })
})

describe('while the log makes no batch', () => {
  it('acknowledges an anchor without its place, and gives it one later', async () => {
    const caller = await freshCaller()
    const size = await sizeOf()
    await breakLog()
    const record = await submitted(caller)
    expect(record.position).toBeNull()
    expect(await reader().read(record.anchorId)).toEqual(record)
    expect(await anonymous('GET', `/api/anchors/${record.anchorId}/bundle`)).toMatchObject({ status: 404 })
    await mendLog()
    await deliver(caller)
    const placed = { ...record, position: { log: LOG, index: size } }
    expect(await reader().read(record.anchorId)).toEqual(placed)
    expect(await sizeOf()).toBe(size + 1)
  })

  it('keeps the anchors of one owner in their order', async () => {
    const caller = await freshCaller()
    await fill(1)
    await breakLog()
    const records = [await submitted(caller), await submitted(caller), await submitted(caller)]
    await mendLog()
    await deliver(caller)
    const placed = await Promise.all(records.map(({ anchorId }) => reader().read(anchorId)))
    const indexes = placed.map(indexOf)
    expect(indexes).toEqual(indexes.toSorted((a, b) => a - b))
    expect(new Set(indexes).size).toBe(3)
  })
})

describe('a restore', () => {
  it('of D1 to before an anchor loses nothing: it is read from its owner, and submitted again it is the same', async () => {
    const caller = await freshCaller()
    const root = freshRoot()
    const record = await submitted(caller, root)
    const size = await sizeOf()
    await env.DB.exec('DELETE FROM anchors')
    expect(await reader().read(record.anchorId)).toEqual(record)
    expect((await reader().bundle(record.anchorId)).record).toEqual(record)
    expect(await submitted(caller, root)).toEqual(record)
    expect(await sizeOf()).toBe(size)
  })

  it('of the owner’s object to before an anchor takes back what was published of it', async () => {
    const caller = await freshCaller()
    const root = freshRoot()
    const record = await submitted(caller, root)
    const size = await sizeOf()
    await owned(caller, 'DELETE FROM anchors')
    await owned(caller, "DELETE FROM kept_items WHERE kind = 'anchors'")
    expect(await submitted(caller, root)).toEqual(record)
    expect(await sizeOf()).toBe(size)
  })
})

describe('an evicted object', () => {
  it('of the log continues where its log ended', async () => {
    const first = await anchored()
    const checkpoint = await reader().checkpoint()
    await evictDurableObject(log())
    const second = await anchored()
    expect(indexOf(second)).toBe(indexOf(first) + 1)
    expect((await reader().safeVerifyExtension(checkpoint, await reader().checkpoint())).ok).toBe(true)
  })

  it('of the owner still recognizes earlier submissions', async () => {
    const caller = await freshCaller()
    const root = freshRoot()
    const record = await submitted(caller, root)
    await evictDurableObject(ownerOf(caller))
    expect(await submitted(caller, root)).toEqual(record)
  })
})
