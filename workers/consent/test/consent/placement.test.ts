import { env } from 'cloudflare:workers'
import { bucketOf } from '@svc/protocol/base/buckets'
import { toHex } from '@svc/protocol/base/hash'
import { CONSENT_BUCKETS } from '@svc/protocol/consent/buckets'
import type { Preferences } from '@svc/protocol/consent/consent'
import { compareHashes } from '@svc/protocol/consent/identifiers'
import { beforeAll, expect, it } from 'vitest'
import { Placements } from '../../src/placement/placements.ts'
import {
  FIRST_STORE_NAMES,
  firstBucketsOf,
  firstStoreOf,
  isStoreName,
  PLACEMENT_NAME,
  storeName,
} from '../../src/placement/stores.ts'
import { Stores } from '../../src/store/client.ts'
import type { NewAct } from '../../src/store/records.ts'
import { rowsIn, storeFor } from '../stores.fixture.ts'

const placements = new Placements(env.CONSENT_PLACEMENT)
const store = new Stores(env.CONSENT_STORES, placements)
const did = `did:svc:${'A'.repeat(32)}`
const DISALLOW: Preferences = { ai_training: 'disallow' }
const hashes = Array.from(
  { length: 40 },
  (_, i) => `${i % 3 === 0 ? '😀' : '\uffff'} shard ${String(i).padStart(20, '0')}`,
)
const sorted = hashes.toSorted(compareHashes)

const act = (hash: string): NewAct => ({
  hash,
  action: 'create',
  creatorDid: did,
  preferences: DISALLOW,
  publicKeyB64u: 'A'.repeat(2603),
  signatureB64u: 'A'.repeat(4412),
  actHash: toHex(crypto.getRandomValues(new Uint8Array(48))),
  signer: { kind: 'root', epoch: 0 },
})

beforeAll(async () => {
  for (const hash of hashes) await store.write(act(hash), 1_000)
})

it('every bucket has one store at first, and ranges of 128 follow each other', () => {
  for (let bucket = 0; bucket < CONSENT_BUCKETS; bucket++) {
    const having = [...FIRST_STORE_NAMES, storeName(8)].filter((name) => {
      const { from, to } = firstBucketsOf(name)
      return bucket >= from && bucket < to
    })
    expect(having).toEqual([firstStoreOf(bucket)])
    expect(firstStoreOf(bucket)).toBe(`consent/s0${bucket >> 7}`)
  }
  expect(['consent/s00', 'consent/s99', 'consent/s100', 's00', 'consent/s0'].filter(isStoreName)).toHaveLength(2)
})

it('a record lives in the store of its identifier, and in no other', async () => {
  const counts = new Map<string, number>()
  for (const hash of hashes) {
    const name = firstStoreOf(bucketOf(hash))
    counts.set(name, (counts.get(name) ?? 0) + 1)
    for (const other of FIRST_STORE_NAMES.filter((one) => counts.has(one))) {
      const found = await rowsIn(
        env.CONSENT_STORES.getByName(other),
        'SELECT 1 FROM records WHERE content_hash = ?',
        hash,
      )
      expect(found).toHaveLength(other === name ? 1 : 0)
    }
    expect(await store.find(hash)).toMatchObject({ hash, creatorDid: did, version: 1 })
  }
  expect(counts.size).toBe(8)
})

it('a batch finds them all', async () => {
  const found = await store.findMany([...hashes, 'an identifier that nobody has'])
  expect(found.map(({ hash }) => hash).toSorted(compareHashes)).toEqual(sorted)
})

it('pages of a creator are in one order over all stores', async () => {
  const list = env.CONSENT_CREATORS.getByName(did)
  const first = (await list.list(did, null, 25)).records
  const rest = (await list.list(did, first.at(-1)?.hash ?? null, 25)).records
  expect([...first, ...rest].map(({ hash }) => hash)).toEqual(sorted)
})

it('a snapshot reads each bucket where it is', async () => {
  for (const [bucket, wanted] of Map.groupBy(sorted, bucketOf)) {
    const rows = await store.snapshot(bucket, 2_000, null, 7)
    expect(rows).toEqual(wanted.map((hash) => ({ hash, creatorDid: did, preferences: DISALLOW })))
  }
})

it('a store answers and writes nothing of a bucket that it does not have', async () => {
  const [hash = ''] = hashes
  const other = env.CONSENT_STORES.getByName(storeName(9))
  const bucket = bucketOf(hash)
  const refused = { ok: false, error: { reason: 'not_here', bucket, version: 0, heir: null } }
  expect(await other.find(bucket, hash, null)).toEqual(refused)
  expect(await other.write(bucket, act(hash), 2_000)).toEqual(refused)
  expect(await other.snapshot(bucket, 2_000, null, 1)).toEqual(refused)
  expect(await other.findMany([[bucket, [hash]]])).toEqual({ found: [], misplaced: [refused.error] })
  expect(await other.import([{ bucket, contentHash: hash, preferences: DISALLOW, declaredAt: 1 }], 1)).toMatchObject({
    added: [],
    misplaced: [refused.error],
  })
})

it('a wrong belief about a bucket is corrected by the directory', async () => {
  const [hash = ''] = hashes
  const misled = new Placements(env.CONSENT_PLACEMENT)
  await misled.follow({ bucket: bucketOf(hash), version: 9, heir: storeName(77) })
  expect(misled.of(bucketOf(hash)).store).toBe(storeName(77))
  const stores = new Stores(env.CONSENT_STORES, misled)
  expect(await stores.find(hash)).toMatchObject({ hash, version: 1 })
  expect(await stores.findMany(hashes)).toHaveLength(hashes.length)
  expect(misled.of(bucketOf(hash))).toEqual(placements.of(bucketOf(hash)))
})

it('reading a store and a list leaves nothing behind', async () => {
  const fresh = storeName(42)
  const object = env.CONSENT_STORES.getByName(fresh)
  await object.find(0, 'an identifier that nobody has', null)
  await object.disputes(null, 10)
  const list = env.CONSENT_CREATORS.getByName('did:svc:nobody')
  await list.list('did:svc:nobody', null, 10)
  await env.CONSENT_PLACEMENT.getByName(PLACEMENT_NAME).find(1)
  const directory = env.CONSENT_PLACEMENT.getByName(PLACEMENT_NAME)
  const tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'"
  for (const one of [object, list, directory]) expect(await rowsIn(one, tables)).toEqual([])
})

it('a store has its first buckets as rows, once it has anything', async () => {
  const [{ n } = { n: 0 }] = await rowsIn(storeFor(hashes[0] ?? ''), 'SELECT count(*) AS n FROM owned')
  expect(n).toBe(128)
})
