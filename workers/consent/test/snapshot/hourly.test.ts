import { createExecutionContext, createScheduledController, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { consentBucketOf } from '@svc/protocol/consent/buckets'
import { type SnapshotPage, verifySnapshotPage } from '@svc/protocol/consent/snapshot'
import { REALMS } from '@svc/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import worker from '../../src/index.ts'
import { createRuntime } from '../../src/services.ts'
import { SnapshotMaker } from '../../src/snapshot/maker.ts'
import { PageStore } from '../../src/snapshot/page-store.ts'
import { caller, creation, freshHash, get, put, rootKey } from '../harness.ts'
import { NO_STORES, objectsWith, rowsIn, storeAt } from '../stores.fixture.ts'

const PATH = '/api/v1/consent/snapshot'
const HOUR = 3_600_000
const key = (await new DeploymentSigner('0f'.repeat(32), REALMS).publicKey(0)) ?? ''
const pages = new PageStore(env.BLOBS)
let at = Math.ceil(Date.now() / HOUR) * HOUR
/** The cron trigger goes off two minutes after an hour. */
const now = () => at + 120_000

beforeEach(() => {
  at += HOUR
  vi.useFakeTimers({ toFake: ['Date'], now: now() })
})
afterEach(() => {
  vi.useRealTimers()
})

function inBucket(bucket: number): string {
  for (;;) {
    const hash = freshHash()
    if (consentBucketOf(hash) === bucket) return hash
  }
}

const make = (maxPages: number, replaced: object = {}) =>
  new SnapshotMaker(createRuntime({ ...env, ...replaced }).deps.snapshots, pages, maxPages).run(now())

async function scheduled(): Promise<void> {
  const context = createExecutionContext()
  worker.scheduled(createScheduledController({ scheduledTime: new Date(now()), cron: '2-57/5 * * * *' }), env, context)
  await waitOnExecutionContext(context)
}

/** How many pages each bucket has, of those that have one. */
async function made(): Promise<Record<string, number>> {
  const { objects } = await env.BLOBS.list({ prefix: `snapshots/${at}/` })
  const buckets = objects.map((object) => object.key.split('/')[2] ?? '').filter((part) => /^[0-9]+$/.test(part))
  return Object.fromEntries([...Map.groupBy(buckets, (bucket) => bucket)].map(([bucket, all]) => [bucket, all.length]))
}

const etags = async () =>
  (await env.BLOBS.list({ prefix: `snapshots/${at}/` })).objects
    .filter((object) => !object.key.includes('place-'))
    .map((object) => `${object.key} ${object.etag}`)

describe('the snapshot of an hour', () => {
  it('is made a few pages per run, and each run goes on where the one before has ended', async () => {
    await make(3)
    expect(await made()).toEqual({ 0: 1, 1: 1, 2: 1 })
    await make(2)
    expect(await made()).toEqual({ 0: 1, 1: 1, 2: 1, 3: 1, 4: 1 })
    expect(await pages.place(at, key)).toEqual({ bucket: 5, from: null })
  })

  it('is there for readers while no store can be asked', async () => {
    await make(2)
    for (const bucket of [0, 1]) {
      const { status, body } = await get(`${PATH}?bucket=${bucket}`, {}, NO_STORES)
      expect([status, await verifySnapshotPage(body as SnapshotPage, key, REALMS)]).toEqual([200, true])
    }
    expect((await get(`${PATH}?bucket=2`, {}, NO_STORES)).status).toBe(503)
    // A request still makes the page that it asks for, and the next run leaves it as it is.
    const asked = (await get(`${PATH}?bucket=2`)).body
    await make(1)
    expect((await get(`${PATH}?bucket=2`)).body).toEqual(asked)
    expect(await made()).toEqual({ 0: 1, 1: 1, 2: 1 })
  })

  it('is complete after the last bucket, and made once', async () => {
    await pages.keepPlace(at, key, { bucket: 1_021, from: null })
    await scheduled()
    expect(await made()).toEqual({ 1021: 1, 1022: 1, 1023: 1 })
    const kept = await etags()
    await scheduled()
    await make(1, NO_STORES)
    expect(await etags()).toEqual(kept)
  })

  it('has every page of a bucket, also where a run ends between two', async () => {
    const bucket = 7
    // The first write makes the tables of the store.
    await put(await creation(rootKey(await caller()), inBucket(bucket)))
    await rowsIn(
      storeAt(bucket),
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5200)
       INSERT INTO records (identifier_hash, preferences, status, version, created_at, updated_at, bucket)
       SELECT printf('%03x%093x', ?1 * 4, i), '{"search":"allow"}', 'published', 0, 1, 1, ?1 FROM n`,
      bucket,
    )
    await pages.keepPlace(at, key, { bucket, from: null })
    await make(1)
    const { from } = await pages.place(at, key)
    // The record of the test is among them, or after.
    expect(from).toMatch(/^01c0+(1387|1388)$/)
    await make(2)
    expect(await made()).toEqual({ 7: 2, 8: 1 })
    const last = (await get(`${PATH}?bucket=7&at=${at}&from=${encodeURIComponent(from ?? '')}`, {}, NO_STORES)).body
    expect((last as SnapshotPage).statement).toMatchObject({ from, to: null, count: 200 })
  })

  it('goes on after a run that failed, or lost its place, and changes no page', async () => {
    let calls = 0
    const failing = {
      CONSENT_STORES: objectsWith(env.CONSENT_STORES, {
        snapshot: (real, ...args) => {
          calls += 1
          if (calls === 3) throw new Error('canary: the object is down')
          return real['snapshot']?.(...args)
        },
      }),
    }
    await expect(make(5, failing)).rejects.toThrow('consent')
    expect(await made()).toEqual({ 0: 1, 1: 1 })
    expect(await pages.place(at, key)).toEqual({ bucket: 2, from: null })
    const kept = await etags()
    await pages.keepPlace(at, key, { bucket: 0, from: null })
    await Promise.all([make(4), make(4)])
    expect(await made()).toEqual({ 0: 1, 1: 1, 2: 1, 3: 1 })
    expect(await etags()).toEqual(expect.arrayContaining(kept))
  })

  it('is not made without a key, and deleted with its place after a day', async () => {
    await make(2, { CONSENT_SEED: '' })
    expect(await made()).toEqual({})
    await make(1)
    await pages.sweep(at + 25 * HOUR + 1)
    expect((await env.BLOBS.list({ prefix: `snapshots/${at}/` })).objects).toEqual([])
  })
})
