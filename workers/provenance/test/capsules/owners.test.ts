import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { TIER_BUDGETS } from '@svc/protocol/pay/tiers'
import { delaysDuring } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { CapsuleBucketObject } from '../../src/capsules/bucket/object.ts'
import { keptCapsules, leaveCapsules } from '../budget/budget.fixture.ts'
import { caller } from '../harness.ts'
import {
  alarmsAt,
  allRowsOf,
  atTime,
  bucketOfAsset,
  bucketsAround,
  bucketsLosing,
  bucketWith,
} from './buckets.fixture.ts'
import { freshFile, register, signed } from './capsules.fixture.ts'

const HOUR = 3_600_000
const ownerOf = ({ identity }: Pick<TestCaller, 'identity'>) => env.CAPSULE_OWNERS.getByName(identity.did)
const reservedOf = (by: Pick<TestCaller, 'identity'>) =>
  runInDurableObject(ownerOf(by), (_, { storage }) => storage.sql.exec('SELECT asset_id FROM reserved').toArray())
const ownersDown = {
  CAPSULE_OWNERS: { getByName: () => new Proxy({}, { get: () => () => Promise.reject(new Error('down')) }) },
}

const gone = () => Promise.reject(new Error('gone'))

afterEach(() => {
  vi.useRealTimers()
})

describe('the list of an owner', () => {
  it('hears later of a registration that it could not be told about, and its room stays taken meanwhile', async () => {
    const by = await caller()
    const sent = await signed(by)
    await leaveCapsules(by, 1)
    const before = await keptCapsules(by)
    const { assetId } = sent.capsule
    const replaced = bucketsAround(async (method, work, values) => {
      if (method !== 'complete') return work()
      const [entry, chain, now] = values as Parameters<CapsuleBucketObject['complete']>
      return bucketWith(assetId, ownersDown, (bucket) => bucket.complete(entry, chain, now))
    })
    const delays = await delaysDuring(async () => expect((await register(by, sent, { replaced })).status).toBe(200))
    expect(delays).toEqual(['capsule owners'])
    expect(await keptCapsules(by)).toBe(before)
    expect(await allRowsOf('untold')).toHaveLength(1)
    expect((await register(by, await signed(by))).status).toBe(402)
    await atTime(Date.now() + 10_000, () => bucketWith(assetId, ownersDown, (bucket) => bucket.alarm()))
    // By the call, and by the alarm.
    expect(await allRowsOf('untold')).toMatchObject([{ attempts: 2 }])
    await alarmsAt(Date.now() + 2 * HOUR)
    expect(await allRowsOf('untold')).toEqual([])
    expect(await keptCapsules(by)).toBe(before + 1)
    expect(await reservedOf(by)).toEqual([])
  })

  it('takes the newest news of an asset, whatever the order, and once', async () => {
    const by = await caller()
    const owner = ownerOf(by)
    const news = (revision: number, isHeld: boolean) =>
      owner.take([{ assetId: 'asset', revision, isHeld, bodyKey: 'key' }], Date.now())
    await news(3, false)
    await news(2, true)
    expect(await keptCapsules(by)).toBe(0)
    await news(4, true)
    await news(4, true)
    await news(3, false)
    expect(await keptCapsules(by)).toBe(1)
    await news(5, false)
    expect(await keptCapsules(by)).toBe(0)
  })

  it('frees the room of an attempt that failed at once; one that was cut off shares its room with the next', async () => {
    const by = await caller()
    await leaveCapsules(by, 1)
    const failed = await register(by, await signed(by), {
      replaced: { BLOBS: { put: () => Promise.reject(new Error('down')) } },
    })
    expect(failed.status).toBe(503)
    expect(await reservedOf(by)).toEqual([])
    const cut = await signed(by)
    expect((await register(by, cut, { replaced: bucketsLosing('complete', 'before') })).status).toBe(503)
    expect(await reservedOf(by)).toHaveLength(1)
    expect((await register(by, await signed(by))).status).toBe(402)
    // The same asset again shares the room, which the one that was cut off keeps: it may yet be completed.
    expect((await register(by, cut)).status).toBe(200)
    expect(await reservedOf(by)).toEqual([{ asset_id: cut.capsule.assetId }])
    expect((await register(by, await signed(by))).status).toBe(402)
  })

  it('counts an attempt that is still under way when another of the same asset was registered and deleted', async () => {
    const by = await caller()
    await leaveCapsules(by, 1)
    const file = freshFile()
    const [first, parked] = await Promise.all([
      by.client.provenance.sign(file, { kind: 'image', mime: 'image/png' }),
      by.client.provenance.sign(file, { kind: 'image', mime: 'image/gif' }),
    ])
    const [isParked, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const replaced = bucketsAround(async (method, work) => {
      if (method !== 'complete') return work()
      isParked.resolve()
      await goesOn.promise
      return work()
    })
    const late = register(by, parked, { replaced })
    await isParked.promise
    expect((await register(by, first)).status).toBe(200)
    await by.client.provenance.deleteCapsule(first.capsule.assetId)
    // The room of the last one is still taken.
    expect((await register(by, await signed(by))).status).toBe(402)
    goesOn.resolve()
    expect((await late).status).toBe(200)
    expect(await keptCapsules(by)).toBe(TIER_BUDGETS.notes.capsules)
    expect(await reservedOf(by)).toEqual([])
  })

  it('forgets a deleted registration after a day, and void room', async () => {
    const by = await caller()
    const { assetId } = await by.client.provenance.register(await signed(by))
    await by.client.provenance.deleteCapsule(assetId)
    await ownerOf(by).reserve('key', 'other', 10, Date.now())
    const rows = () =>
      runInDurableObject(ownerOf(by), (_, { storage }) =>
        ['held', 'reserved'].map((table) => storage.sql.exec(`SELECT 1 FROM ${table}`).toArray().length),
      )
    expect(await rows()).toEqual([1, 1])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * HOUR })
    await runDurableObjectAlarm(ownerOf(by))
    expect(await rows()).toEqual([1, 0])
    vi.setSystemTime(Date.now() + 24 * HOUR)
    await runDurableObjectAlarm(ownerOf(by))
    expect(await rows()).toEqual([0, 0])
  })
})

describe('a bucket', () => {
  it('names revisions that go on growing after it was restored to an earlier state', async () => {
    const by = await caller()
    const sent = await signed(by)
    const { assetId } = await by.client.provenance.register(sent)
    await runInDurableObject(bucketOfAsset(assetId), ({ stored }) => {
      stored.sql.exec('DELETE FROM capsules')
      stored.facts.put('revision', 1)
    })
    expect(await by.client.provenance.register(sent)).toMatchObject({ duplicate: false })
    await by.client.provenance.deleteCapsule(assetId)
    expect(await keptCapsules(by)).toBe(0)
  })

  it('registers nothing whose body may be deleted already', async () => {
    const by = await caller()
    const { capsule } = await signed(by)
    const entry = {
      assetId: capsule.assetId,
      did: by.identity.did,
      kind: 'image',
      capsuleHash: '00'.repeat(48),
      bodyKey: 'capsules/late',
    } as const
    const bucket = bucketOfAsset(entry.assetId)
    expect(await bucket.admit(entry, Date.now())).toEqual({ ok: true, value: true })
    await alarmsAt(Date.now() + HOUR + 1)
    expect(await bucket.complete(entry, null, Date.now())).toEqual({ ok: true, value: null })
    expect(await bucket.find(entry.assetId, entry.did)).toBeNull()
  })

  it.each<[string, object]>([
    ['could not be deleted', { delete: () => Promise.reject(new Error('down')) }],
    ['was deleted, and the answer is lost', { delete: async (keys: string[]) => env.BLOBS.delete(keys).then(gone) }],
  ])('registers nothing whose body was due and %s', async (_, BLOBS) => {
    const by = await caller()
    const { capsule } = await signed(by)
    const { assetId, did } = capsule
    const entry = { assetId, did, kind: 'image', capsuleHash: '00'.repeat(48), bodyKey: `capsules/${did}` } as const
    const now = Date.now()
    await bucketOfAsset(assetId).admit(entry, now)
    await atTime(now + HOUR + 1, () => bucketWith(assetId, { BLOBS }, (bucket) => bucket.alarm()))
    expect(await bucketOfAsset(assetId).complete(entry, null, now)).toEqual({ ok: true, value: null })
  })

  it('registers nothing that comes after its hour, whenever the alarm does', async () => {
    const by = await caller()
    const { capsule } = await signed(by)
    const { assetId, did } = capsule
    const entry = { assetId, did, kind: 'image', capsuleHash: '00'.repeat(48), bodyKey: `capsules/${did}` } as const
    const now = Date.now()
    await bucketOfAsset(assetId).admit(entry, now)
    expect(await bucketOfAsset(assetId).complete(entry, null, now + HOUR)).toEqual({ ok: true, value: null })
  })
})
