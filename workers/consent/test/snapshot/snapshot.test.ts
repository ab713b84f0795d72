import { env } from 'cloudflare:workers'
import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { consentBucketOf } from '@svc/protocol/consent/buckets'
import { creatorHash, identifierHash } from '@svc/protocol/consent/identifiers'
import { type SnapshotPage, verifySnapshotPage } from '@svc/protocol/consent/snapshot'
import { expectRefusal } from '@svc/service/testing'
import { REALMS } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { sweep } from '../../src/services.ts'
import {
  caller,
  creation,
  DISALLOW,
  deletion,
  get,
  freshHash as inAnyBucket,
  put,
  rootKey,
  update,
} from '../harness.ts'
import { rowsIn, storeAt } from '../stores.fixture.ts'

const PATH = '/api/v1/consent/snapshot'
const HOUR = 3_600_000
const key = (await new DeploymentSigner('0f'.repeat(32), REALMS).publicKey(0)) ?? ''
/** A bucket for each test, since the records of one stay in the snapshots of the next. */
let bucket = 0
const inBucket = (of: number) => {
  for (;;) {
    const hash = inAnyBucket()
    if (consentBucketOf(hash) === of) return hash
  }
}
const freshHash = () => inBucket(bucket)
const read = (query = '', headers = {}, vars = {}) => get(`${PATH}?bucket=${bucket}${query}`, headers, vars)
const page = async (query = '') => (await read(query)).body as SnapshotPage
const start = Math.ceil(Date.now() / HOUR) * HOUR
const moveTo = (at: number) => vi.useFakeTimers({ toFake: ['Date'], now: at })
afterEach(() => {
  bucket += 1
  vi.useRealTimers()
})

describe('a snapshot', () => {
  it('is of the last full hour that has settled, signed, and stays what it was', async () => {
    moveTo(start + 1_000)
    const by = rootKey(await caller())
    const [kept, changed, revoked, later] = [freshHash(), freshHash(), freshHash(), freshHash()]
    for (const hash of [kept, changed, revoked]) await put(await creation(by, hash))
    moveTo(start + HOUR)
    await put(await update(by, changed, { ai_training: 'allow' }))
    await put(await deletion(by, revoked))
    await put(await creation(by, later))

    moveTo(start + HOUR + 59_999)
    expect((await page()).statement.at).toBe(start)
    moveTo(start + HOUR + 60_000)
    const first = await page()
    expect(first.statement).toMatchObject({
      at: start + HOUR,
      bucket,
      buckets: 1_024,
      from: null,
      to: null,
      count: 3,
    })
    expect(await verifySnapshotPage(first, key, REALMS)).toBe(true)
    const of = (hash: string, preferences: object) => ({
      identifier_hash: identifierHash(hash),
      creator_hash: creatorHash(hash, by.did),
      preferences,
    })
    const sorted = (entries: ReturnType<typeof of>[]) =>
      entries.toSorted((a, b) => (a.identifier_hash < b.identifier_hash ? -1 : 1))
    expect(first.entries).toEqual(sorted([kept, changed, revoked].map((hash) => of(hash, DISALLOW))))

    moveTo(start + 2 * HOUR + 60_000)
    const now = sorted([of(kept, DISALLOW), of(changed, { ai_training: 'allow' }), of(later, DISALLOW)])
    expect((await page()).entries).toEqual(now)
    expect((await page(`&at=${start + HOUR}`)).entries).toEqual(first.entries)
  })

  it('does not hold when anything in it is another', async () => {
    moveTo(start + 5 * HOUR)
    await put(await creation(rootKey(await caller()), freshHash()))
    moveTo(start + 6 * HOUR + 60_000)
    const good = await page()
    expect(good.entries.length).toBeGreaterThan(0)
    const { statement, entries } = good
    const other = await new DeploymentSigner('0e'.repeat(32), REALMS).publicKey(0)
    for (const changed of [
      { ...good, entries: entries.slice(1) },
      { ...good, entries: entries.map((entry) => ({ ...entry, preferences: { search: 'allow' as const } })) },
      { ...good, statement: { ...statement, at: statement.at - HOUR } },
      { ...good, statement: { ...statement, to: 'f'.repeat(96) } },
      { ...good, statement: { ...statement, bucket: bucket + 1 } },
      { ...good, publicKeyB64u: other ?? '' },
    ]) {
      expect(await verifySnapshotPage(changed, key, REALMS)).toBe(false)
    }
    expect(await verifySnapshotPage(good, other ?? '', REALMS)).toBe(false)
    expect(await verifySnapshotPage(good, key, REALMS)).toBe(true)
  })

  it('comes in pages that meet', async () => {
    moveTo(start + 9 * HOUR)
    const store = storeAt(bucket)
    await store.import([], 1)
    await rowsIn(
      store,
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5200)
       INSERT INTO records (identifier_hash, preferences, status, version, created_at, updated_at, bucket)
       SELECT printf('%03x%093x', ?1 * 4, i), '{"search":"allow"}', 'published', 0, 1, 1, ?1 FROM n`,
      bucket,
    )
    const first = await page()
    expect(first.entries).toHaveLength(5_000)
    expect(first.statement.to).toBe(first.entries.at(-1)?.identifier_hash)
    const query = `&at=${first.statement.at}&from=${encodeURIComponent(first.statement.to ?? '')}`
    const second = await page(query)
    expect(second.statement).toMatchObject({ at: first.statement.at, from: first.statement.to, to: null })
    const hashes = [...first.entries, ...second.entries].map((one) => one.identifier_hash)
    expect(new Set(hashes).size).toBe(hashes.length)
    expect(hashes.filter((hash) => /^.{3}0{80}/.test(hash))).toHaveLength(5_200)
  })

  it('covers its bucket and no other', async () => {
    moveTo(start + 10 * HOUR)
    const by = rootKey(await caller())
    const [here, elsewhere] = [freshHash(), inBucket(bucket + 512)]
    for (const hash of [here, elsewhere]) await put(await creation(by, hash))
    moveTo(start + 11 * HOUR + 60_000)
    expect((await page()).entries.map((one) => one.identifier_hash)).toEqual([identifierHash(here)])
    const other = (await get(`${PATH}?bucket=${bucket + 512}`)).body as SnapshotPage
    expect(other.statement.bucket).toBe(bucket + 512)
    expect(other.entries.map((one) => one.identifier_hash)).toEqual([identifierHash(elsewhere)])
  })

  it.each(['', '?bucket=', '?bucket=1024', '?bucket=-1', '?bucket=01', '?bucket=1.5', '?bucket=x'])(
    'is refused for the bucket of %j',
    async (query) => {
      expectRefusal(await get(PATH + query), 'invalid_request')
    },
  )

  it('may be kept for a day where its hour is named', async () => {
    moveTo(start + 9 * HOUR)
    const newest = await read()
    expect(newest.headers.get('cache-control')).toBe('public, max-age=300')
    const { at } = (newest.body as SnapshotPage).statement
    const named = await read(`&at=${at}`)
    expect(named.headers.get('cache-control')).toBe('public, max-age=86400')
    const etag = named.headers.get('etag') ?? ''
    expect((await read(`&at=${at}`, { 'if-none-match': etag })).status).toBe(304)
  })

  it('is of no other time than a full hour of the last day', async () => {
    moveTo(start + 30 * HOUR)
    for (const at of [start + 30 * HOUR, start + 5 * HOUR, start + 28 * HOUR + 1, 0, start + 99 * HOUR]) {
      expectRefusal(await read(`&at=${at}`), 'snapshot_unknown')
    }
    for (const at of [start + 29 * HOUR, start + 6 * HOUR]) expect((await read(`&at=${at}`)).status).toBe(200)
    expectRefusal(await read('&at=x'), 'invalid_request')
    // A page goes on after a hash, and not after an identifier.
    expectRefusal(await read(`&from=${encodeURIComponent(inAnyBucket())}`), 'invalid_request')
  })

  it('is the same page for everybody, and what is written later is in none of them', async () => {
    moveTo(start + 40 * HOUR)
    const by = rootKey(await caller())
    await put(await creation(by, freshHash()))
    moveTo(start + 41 * HOUR + 60_000)
    const at = start + 41 * HOUR
    const first = await Promise.all(Array.from({ length: 8 }, () => page(`&at=${at}`)))
    for (const one of first) expect(one).toEqual(first[0])
    await put(await creation(by, freshHash()))
    moveTo(start + 42 * HOUR)
    expect(await page(`&at=${at}`)).toEqual(first[0])
    const { objects } = await env.BLOBS.list({ prefix: `snapshots/${at}/${bucket}/` })
    expect(objects).toHaveLength(1)
    // Another key signs pages of its own.
    const other = (await read(`&at=${at}`, {}, { CONSENT_SEED: '0e'.repeat(32) })).body as SnapshotPage
    expect([other.entries, other.publicKeyB64u === first[0]?.publicKeyB64u]).toEqual([first[0]?.entries, false])
  })

  it('leaves no page for each place that somebody makes up', async () => {
    moveTo(start + 45 * HOUR)
    await put(await creation(rootKey(await caller()), freshHash()))
    moveTo(start + 46 * HOUR + 60_000)
    const at = start + 46 * HOUR
    for (let i = 0; i < 5; i++) {
      const from = identifierHash(inAnyBucket())
      const made = await page(`&at=${at}&from=${encodeURIComponent(from)}`)
      expect(await verifySnapshotPage(made, key, REALMS)).toBe(true)
      expect(made.statement).toMatchObject({ from, to: null })
    }
    const kept = async () => (await env.BLOBS.list({ prefix: `snapshots/${at}/${bucket}/` })).objects.length
    expect(await kept()).toBe(0)
    await page(`&at=${at}`)
    expect(await kept()).toBe(1)
  })

  it('is deleted once nobody can ask for it any more', async () => {
    moveTo(start + 50 * HOUR + 60_000)
    const [old, kept] = [start + 27 * HOUR, start + 50 * HOUR]
    for (const at of [old, kept]) expect((await read(`&at=${at}`)).status).toBe(200)
    const left = async (at: number) => (await env.BLOBS.list({ prefix: `snapshots/${at}/` })).objects.length
    await sweep(env, start + 52 * HOUR)
    expect([await left(old), await left(kept)]).toEqual([1, 1])
    await sweep(env, start + 52 * HOUR + 1)
    expect([await left(old), await left(kept)]).toEqual([0, 1])
  })

  it('is 503 where the deployment has no key', async () => {
    for (const CONSENT_SEED of ['', undefined]) {
      expectRefusal(await read('', {}, { CONSENT_SEED }), 'snapshots_unavailable')
    }
  })
})
