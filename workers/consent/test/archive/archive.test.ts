import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { consentBucketOf } from '@svc/protocol/consent/buckets'
import type { ConsentHistory } from '@svc/protocol/consent/history-page'
import { expectRefusal } from '@svc/service/testing'
import { beforeAll, expect, it } from 'vitest'
import { Archive } from '../../src/archive/archive.ts'
import { rowsOf, segmentBytes } from '../../src/archive/segment.ts'
import { Records } from '../../src/consent/records.ts'
import type { ConsentStoreObject } from '../../src/store/object.ts'
import { actOn, hashesOf, newDid, stores } from '../acts.fixture.ts'
import { freshHash, get } from '../harness.ts'
import { rowsIn, storeAt } from '../stores.fixture.ts'

const ACTS = 520
const bucket = consentBucketOf(freshHash())
const home = storeAt(bucket)
const hashes = hashesOf(bucket, 8)
const [hash = '', other = ''] = hashes
const did = newDid()
const signature = () => encodeBase64url(crypto.getRandomValues(new Uint8Array(3309)))
const acts = Array.from({ length: ACTS }, (_, i) => ({
  ...actOn(hashes[i % 8] ?? '', did, i < 8 ? 'create' : 'update'),
  signatureB64u: signature(),
}))

const archive = () => runInDurableObject(home, (object: ConsentStoreObject) => object.archiver.archive(bucket))
const countSignatures = async () => (await rowsIn(home, 'SELECT 1 FROM signatures')).length

/** The whole history of an identifier, page by page. */
async function historyOf(of: string): Promise<ConsentHistory['entries']> {
  const entries: ConsentHistory['entries'] = []
  for (let after: number | null = 0; after !== null; ) {
    const page = (await get(`/api/v1/consent/${encodeURIComponent(of)}/history?after=${after}`)).body as ConsentHistory
    entries.push(...page.entries)
    after = page.next
  }
  return entries
}

/** Those of one record in order, and all records at the same time. */
async function writeAll(some: readonly (typeof acts)[number][], at: number): Promise<void> {
  await Promise.all(
    [...Map.groupBy(some, (act) => act.hash).values()].map(async (ofOne) => {
      for (const act of ofOne) await stores.write(act, at)
    }),
  )
}

beforeAll(() => writeAll(acts, 1_000))

it('archived signatures are read as before, wherever they are', async () => {
  const before = [await historyOf(hash), await historyOf(other)]
  expect(before.map((entries) => entries.length)).toEqual([ACTS / 8, ACTS / 8])
  expect(before[0]?.map(({ signature_b64u: text }) => text)).toEqual(
    acts.filter((act) => act.hash === hash).map(({ signatureB64u }) => signatureB64u),
  )
  expect(await archive()).toBe(true)
  expect(await countSignatures()).toBe(ACTS - 256)
  expect([await historyOf(hash), await historyOf(other)]).toEqual(before)
  expect((await env.BLOBS.head(`segments/${bucket}/0`))?.size).toBe(256 * (48 + 3309))
  // Too few are left for a second segment.
  expect(await archive()).toBe(false)
})

it('a signature that is archived stays spent', async () => {
  const [first] = acts
  const known = await stores.find(hash, first?.actHash)
  expect(known).toMatchObject({ remembersAct: true })
  const written = await stores.write(first!, 2_000)
  expect(written?.lastAct).not.toBe(first?.actHash)
})

it('a segment that is missing is 503, and never an entry without a signature', async () => {
  const key = `segments/${bucket}/0`
  const bytes = await (await env.BLOBS.get(key))?.arrayBuffer()
  await env.BLOBS.delete(key)
  const refused = await get(`/api/v1/consent/${encodeURIComponent(hash)}/history`)
  expectRefusal(refused, 'dependency_unavailable')
  await env.BLOBS.put(key, bytes ?? new Uint8Array())
  expect((await get(`/api/v1/consent/${encodeURIComponent(hash)}/history`)).status).toBe(200)
})

it('a segment that was written before a crash is adopted', async () => {
  const more = Array.from({ length: 256 }, (_, i) => ({
    ...actOn(hashes[i % 8] ?? '', did, 'update'),
    signatureB64u: signature(),
  }))
  await writeAll(more, 3_000)
  const before = [await historyOf(hash), await historyOf(other)]
  // The oldest ones in another order, as before a restore: written, and lost before the rows were dropped.
  const oldest = (
    await rowsIn(
      home,
      'SELECT a.act_hash AS hash, s.signature FROM signatures s JOIN acts a ON a.id = s.act ORDER BY a.recorded_at, s.act DESC LIMIT 256',
    )
  ).map((row) => ({
    actHash: new Uint8Array(row['hash'] as ArrayBuffer),
    signature: new Uint8Array(row['signature'] as ArrayBuffer),
  }))
  const written = segmentBytes(oldest)
  expect(rowsOf(written)).toHaveLength(256)
  await env.BLOBS.put(`segments/${bucket}/1`, written)
  expect(await archive()).toBe(true)
  expect(await countSignatures()).toBe(ACTS - 256)
  expect([await historyOf(hash), await historyOf(other)]).toEqual(before)
  expect(new Uint8Array((await (await env.BLOBS.get(`segments/${bucket}/1`))?.arrayBuffer()) ?? [])).toEqual(written)
})

/** A bucket with one record of so many acts, in a store whose alarm is not set. */
async function filled(of: number): Promise<{ hash: string; store: DurableObjectStub<ConsentStoreObject> }> {
  const [one = ''] = hashesOf(of, 1)
  const store = storeAt(of)
  const record = { bucket: of, contentHash: one, preferences: {}, declaredAt: 1 }
  await store.import([record], 1)
  await rowsIn(
    store,
    "UPDATE records SET creator_did = ?2, creator_hash = 'canary', version = ?3 WHERE content_hash = ?1",
    one,
    did,
    ACTS,
  )
  await rowsIn(store, "INSERT INTO keys (user_id, public_key) VALUES ('canary', zeroblob(1952)) ON CONFLICT DO NOTHING")
  await rowsIn(
    store,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     INSERT INTO acts (record, version, act_hash, action, preferences, state, key, signer, recorded_at)
     SELECT r.id, i, randomblob(48), 'update', '{}', '{}', k.id, '{"kind":"root","epoch":0}', i
     FROM n, records r, keys k WHERE r.content_hash = ?1 AND k.user_id = 'canary' ORDER BY i`,
    one,
    ACTS,
  )
  await rowsIn(
    store,
    `INSERT INTO signatures (act, bucket, signature)
     SELECT a.id, r.bucket, randomblob(3309) FROM acts a JOIN records r ON r.id = a.record WHERE r.content_hash = ?`,
    one,
  )
  return { hash: one, store }
}

it('a bucket whose segment cannot be read holds back no other', async () => {
  // The first two of a store that no other test here uses.
  const broken = (bucket + 2) % 64
  const next = broken + 64
  await env.BLOBS.put(`segments/${broken}/0`, 'canary: not a segment')
  await filled(broken)
  const { store } = await filled(next)
  const all = runInDurableObject(store, (object: ConsentStoreObject) => object.archiver.archiveAll())
  await expect(all).rejects.toThrow(`segments/${broken}/0 is not a segment`)
  expect((await env.BLOBS.head(`segments/${next}/0`))?.size).toBe(256 * (48 + 3309))
})

it('of a segment with acts that a restore has undone, those that are there are dropped', async () => {
  const of = (bucket + 512) % 1_024
  const { hash: one, store } = await filled(of)
  const history = async () => {
    const found = await new Records(stores, new Archive(env.BLOBS)).history(one, {
      at: ACTS,
      after: 0,
      limit: ACTS,
    })
    return found?.acts
  }
  const before = await history()
  expect(before).toHaveLength(ACTS)
  const rows = await rowsIn(
    store,
    'SELECT a.act_hash AS hash, s.signature FROM signatures s JOIN acts a ON a.id = s.act WHERE s.bucket = ? ORDER BY s.act LIMIT 255',
    of,
  )
  const undone = { actHash: new Uint8Array(48).fill(7), signature: new Uint8Array(3309).fill(7) }
  const segment = rows.map((row) => ({
    actHash: new Uint8Array(row['hash'] as ArrayBuffer),
    signature: new Uint8Array(row['signature'] as ArrayBuffer),
  }))
  await env.BLOBS.put(`segments/${of}/0`, segmentBytes([undone, ...segment]))
  const archived = await runInDurableObject(store, (object: ConsentStoreObject) => object.archiver.archive(of))
  expect(archived).toBe(true)
  expect(await rowsIn(store, 'SELECT count(*) AS n FROM signatures WHERE bucket = ?', of)).toEqual([{ n: ACTS - 255 }])
  expect(await history()).toEqual(before)
})
