/** Which store has a record, and what is read over all stores. */
import { env } from 'cloudflare:workers'
import { bucketOfHash, CONSENT_BUCKETS, consentBucketOf } from '@svc/protocol/consent/buckets'
import { compareHashes, creatorHash, identifierHash } from '@svc/protocol/consent/identifiers'
import { beforeAll, expect, it } from 'vitest'
import { STORE_NAMES, storeOf } from '../../src/store/names.ts'
import { actOn, newDid, stores } from '../acts.fixture.ts'
import { rowsIn } from '../stores.fixture.ts'

const did = newDid()
const hashes = Array.from(
  { length: 40 },
  (_, i) => `${i % 3 === 0 ? '😀' : '\uffff'} shard ${String(i).padStart(20, '0')}`,
)
const sorted = hashes.toSorted(compareHashes)

beforeAll(async () => {
  for (const hash of hashes) await stores.write(actOn(hash, did, 'create'), 1_000)
})

it('the low six bits of a bucket name its store', () => {
  expect([0, 1, 63, 64, 361, 1_023].map(storeOf)).toEqual([
    'consent/s00',
    'consent/s01',
    'consent/s63',
    'consent/s00',
    'consent/s41',
    'consent/s63',
  ])
})

it('64 stores have 16 buckets each, and no bucket is in two', () => {
  const having = Map.groupBy(Array(CONSENT_BUCKETS).keys(), storeOf)
  expect([...having.keys()]).toEqual(STORE_NAMES)
  expect([...having.values()].map((buckets) => buckets.length)).toEqual(Array.from({ length: 64 }, () => 16))
})

it('a record lives in the store of its identifier, and in no other', async () => {
  const having = new Map<string, number>()
  for (const name of STORE_NAMES) {
    const store = env.CONSENT_STORES.getByName(name)
    const found = await store.findMany([...Map.groupBy(hashes.map(identifierHash), bucketOfHash)])
    having.set(name, found.length)
    expect(found.every(({ hash }) => storeOf(consentBucketOf(hash)) === name)).toBe(true)
  }
  expect([...having.values()].reduce((sum, count) => sum + count, 0)).toBe(hashes.length)
  for (const hash of hashes) expect(await stores.find(hash)).toMatchObject({ hash, creatorDid: did, version: 1 })
})

it('a batch finds them all', async () => {
  const found = await stores.findMany([...hashes, 'an identifier that nobody has'])
  expect(found.map(({ hash }) => hash).toSorted(compareHashes)).toEqual(sorted)
})

it('pages of a creator are in one order over all stores', async () => {
  const list = env.CONSENT_CREATORS.getByName(did)
  const first = (await list.list(did, null, 25)).records
  const rest = (await list.list(did, first.at(-1)?.hash ?? null, 25)).records
  expect([...first, ...rest].map(({ hash }) => hash)).toEqual(sorted)
})

it('disputes of all stores are in one order', async () => {
  for (const hash of hashes) await stores.keepClaim(actOn(hash, newDid(), 'create'), true, 2_000)
  const listed = await stores.disputes(null, 30)
  const rest = await stores.disputes(listed.at(-1)?.contentHash ?? null, 30)
  expect([...listed, ...rest].map(({ contentHash }) => contentHash)).toEqual(sorted)
})

it('a snapshot reads each bucket where it is', async () => {
  for (const [bucket, wanted] of Map.groupBy(hashes, consentBucketOf)) {
    const rows = await stores.snapshot(bucket, 2_000, null, 7)
    const expected = wanted.map((hash) => ({
      identifierHash: identifierHash(hash),
      creatorHash: creatorHash(hash, did),
      preferences: { ai_training: 'disallow' },
    }))
    expect(rows).toEqual(expected.toSorted((a, b) => (a.identifierHash < b.identifierHash ? -1 : 1)))
  }
})

it('reading a store and a list leaves nothing behind', async () => {
  const store = env.CONSENT_STORES.getByName('a store that nobody uses')
  await store.find(0, 'an identifier that nobody has', null)
  await store.disputes(null, 10)
  const list = env.CONSENT_CREATORS.getByName('did:svc:nobody')
  await list.list('did:svc:nobody', null, 10)
  const tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'"
  for (const one of [store, list]) expect(await rowsIn(one, tables)).toEqual([])
})
