import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { bucketOf } from '@svc/protocol/base/buckets'
import { signStatement } from '@svc/protocol/base/statement'
import { expectRefusal } from '@svc/service/testing'
import { REALM, signerOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import type { Parcel } from '../../src/move/moved-records.ts'
import type { ConsentStoreObject } from '../../src/store/object.ts'
import { MAX_SEALED_MS } from '../../src/store/transaction.ts'
import { act, importOf, STRANGER, settlement, signAsOperator } from '../consent/settlement.fixture.ts'
import { caller, creation, dataOf, deletion, get, type Key, put, rootKey, update } from '../harness.ts'
import { inStoreOf, rowsIn, storeFor } from '../stores.fixture.ts'
import { actOn, begin, directory, freshStores, hashesOf, newDid, stateAt, step, storeNamed } from './move.fixture.ts'

const FROM = 'consent/s01'
const owner = async () => rootKey(await caller())

function move(bucket: number, from: string, to: string, members: object = {}, sign = signAsOperator) {
  const statement = {
    type: 'svc/operator-consent-move/v1' as const,
    realm: REALM,
    service: 'consent' as const,
    bucket,
    from,
    to,
    nonce: encodeBase64url(crypto.getRandomValues(new Uint8Array(16))),
    issuedAt: Date.now(),
    ...members,
  }
  return signStatement(statement, sign)
}

/** Sends it until the move is over: a slow machine does not finish within the time for which a bucket is sealed. */
async function movedBy(signed: Awaited<ReturnType<typeof move>>): Promise<{ readonly state: string }> {
  for (;;) {
    const moved = dataOf(await act(signed)) as { readonly state: string }
    if (moved.state !== 'moving') return moved
  }
}

/** A bucket with records of every kind. */
async function filled(bucket: number) {
  const [holder, author] = [await owner(), await owner()]
  const hashes = hashesOf(bucket, 5)
  const [plain = '', revoked = '', claimed = '', settledHash = '', ownerless = ''] = hashes
  for (const hash of [plain, revoked, claimed, settledHash]) await put(await creation(holder, hash))
  await put(await update(holder, plain, { search: 'allow' }))
  await put(await deletion(holder, revoked))
  for (const hash of [claimed, settledHash]) await put(await creation(author, hash))
  dataOf(await act(await settlement(settledHash, author.did)))
  await put(await creation(author, settledHash, { search: 'disallow' }))
  dataOf(
    await act(
      await importOf([{ contentHash: ownerless, preferences: { search: 'allow' }, declaredAt: 1_600_000_000_000 }]),
    ),
  )
  return { holder, author, hashes }
}

/** Everything that anybody can read of them. */
async function answers(bucket: number, hashes: readonly string[], creators: readonly Key[]) {
  const paths = [
    ...hashes.map((hash) => `/api/v1/consent/${encodeURIComponent(hash)}/history`),
    ...creators.map(({ did }) => `/api/v1/consent/by-creator/${did}`),
    ...hashes.map((hash) => `/api/v1/partner/opt-out?hash=${encodeURIComponent(hash)}`),
  ]
  const bodies = []
  for (const path of paths) bodies.push({ ...((await get(path)).body as object), at: null })
  const rows = await freshStores().snapshot(bucket, AT, null, 100)
  return [...bodies, rows, await freshStores().disputes(null, 100), await freshStores().findMany(hashes)]
}
/** Later than every act of this file. */
const AT = Date.now() + 3_600_000

describe('a bucket that is moved', () => {
  it('takes everything with it, and is written where it is from then on', async () => {
    const [bucket, to] = [200, 'consent/s08']
    const { holder, author, hashes } = await filled(bucket)
    const before = await answers(bucket, hashes, [holder, author])
    expect(await movedBy(await move(bucket, FROM, to))).toMatchObject({ bucket, store: to, state: 'moved' })
    expect(await answers(bucket, hashes, [holder, author])).toEqual(before)
    const [plain = ''] = hashes
    expect(await inStoreOf(plain, 'SELECT 1 FROM records WHERE content_hash = ?')).toEqual([])
    for (const table of ['records', 'acts', 'signatures', 'claims', 'former_acts', 'untold', 'moves', 'changes']) {
      expect(await rowsIn(storeFor(plain), `SELECT count(*) AS n FROM ${table}`)).toEqual([{ n: 0 }])
    }
    // A signature stays spent, the budget stays counted, and a page of the creator stays whole.
    expect(dataOf(await put(await update(holder, plain, { ai_training: 'allow' })))).toMatchObject({ version: 3 })
    const listed = (await get(`/api/v1/consent/by-creator/${holder.did}`)).body
    expect(listed).toMatchObject({ kept: { consentRecords: 2, consentActs: 7 } })
  })

  it('moves on and back, and an old act changes nothing', async () => {
    const bucket = 201
    const [hash = ''] = hashesOf(bucket, 1)
    const stores = freshStores()
    await stores.write(actOn(hash, newDid(), 'create'), 1_000)
    const first = await move(bucket, FROM, 'consent/s09')
    const way: [string, string][] = [
      ['consent/s09', 'consent/s10'],
      ['consent/s10', FROM],
    ]
    expect(await movedBy(first)).toMatchObject({ state: 'moved' })
    for (const [from, to] of way) expect(await movedBy(await move(bucket, from, to))).toMatchObject({ state: 'moved' })
    expect(await directory().find(bucket)).toEqual({ bucket, store: FROM, version: 3 })
    expectRefusal(await act(first), 'statement_replay')
    expect(dataOf(await act(await move(bucket, 'consent/s09', 'consent/s11')))).toMatchObject({
      store: FROM,
      state: 'elsewhere',
    })
    // One that knows each of the earlier placements, and one that knows none.
    for (const one of [stores, freshStores()]) expect(await one.find(hash)).toMatchObject({ hash, version: 1 })
  })

  it('may be empty, and may never have been written', async () => {
    const [bucket, to] = [300, 'consent/s08']
    expect(await movedBy(await move(bucket, 'consent/s02', to))).toMatchObject({ state: 'moved' })
    const [hash = ''] = hashesOf(bucket, 1)
    await freshStores().write(actOn(hash, newDid(), 'create'), 1_000)
    expect(await rowsIn(storeNamed(to), 'SELECT 1 AS one FROM records WHERE content_hash = ?', hash)).toEqual([
      { one: 1 },
    ])
  })

  it('moves only where the operator says so, to a store', async () => {
    expectRefusal(await act(await move(202, FROM, 'consent/s08', {}, signerOf(STRANGER))), 'invalid_signature')
    for (const wrong of [{ to: 's08' }, { to: 'consent/s100' }, { bucket: 1_024 }, { from: 'x' }, { service: 'pay' }]) {
      expectRefusal(await act(await move(202, FROM, 'consent/s08', wrong)), 'invalid_request')
    }
    expect(await directory().find(202)).toEqual({ bucket: 202, store: FROM, version: 0 })
  })

  it('to one store is not moved to another before it is there', async () => {
    const bucket = 203
    await freshStores().write(actOn(hashesOf(bucket, 1)[0] ?? '', newDid(), 'create'), 1_000)
    await begin(bucket, 'consent/s08')
    expect(await begin(bucket, 'consent/s09')).toEqual({ state: 'moving', target: 'consent/s08' })
    expect(dataOf(await act(await move(bucket, FROM, 'consent/s09')))).toMatchObject({ store: 'consent/s08' })
    expect(await directory().find(bucket)).toMatchObject({ store: 'consent/s08' })
  })
})

it('writes are refused for less than a second, with a time to come back, and reads never', async () => {
  const bucket = 204
  const [hash = ''] = hashesOf(bucket, 1)
  const did = newDid()
  await freshStores().write(actOn(hash, did, 'create'), 1_000)
  await begin(bucket, 'consent/s08')
  await step(FROM, bucket)
  await step(FROM, bucket)
  expect(await stateAt(FROM, bucket)).toBe('sealed')
  const sealedAt = Date.now()
  const change = actOn(hash, did, 'update')
  const refused = await freshStores()
    .write(change, 1_000)
    .catch((error: unknown) => error)
  expect(refused).toMatchObject({ dependency: 'consent', retryAfterSeconds: 1 })
  expect(await freshStores().find(hash)).toMatchObject({ version: 1 })
  // The store that moved it has died: the seal ends by itself.
  expect(MAX_SEALED_MS).toBeLessThan(1_000)
  while (Date.now() <= sealedAt + MAX_SEALED_MS) await scheduler.wait(10)
  await freshStores().write(change, 1_000)
  expect(await freshStores().find(hash)).toMatchObject({ version: 2 })
})

it('a write that waits for a move is 503 with Retry-After', async () => {
  const bucket = 205
  const [hash = ''] = hashesOf(bucket, 1)
  expect(bucketOf(hash)).toBe(bucket)
  const by = await owner()
  await put(await creation(by, hash))
  const write = await update(by, hash, { search: 'allow' })
  await begin(bucket, 'consent/s08')
  await step(FROM, bucket)
  await step(FROM, bucket)
  await step(FROM, bucket)
  // Nothing but the directory can end this state, so that the test need not be fast.
  expect(await rowsIn(storeNamed(FROM), 'SELECT state FROM moves WHERE bucket = 205')).toEqual([{ state: 'raising' }])
  const refused = await put(write)
  expectRefusal(refused, 'dependency_unavailable')
  expect(refused.headers.get('retry-after')).toBe('1')
  await env.CONSENT_STORES.getByName(FROM).move(bucket, 'consent/s08')
  expect(dataOf(await put(write))).toMatchObject({ version: 2 })
})

it('a parcel stays below two megabytes, however many claims there are', async () => {
  const [bucket, to] = [210, 'consent/s12']
  const [hash = ''] = hashesOf(bucket, 1)
  await freshStores().write(actOn(hash, newDid(), 'create'), 1_000)
  const source = storeFor(hash)
  const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)'
  await rowsIn(
    source,
    `${numbers} INSERT INTO records (bucket, content_hash, creator_did, preferences, status, version, created_at, updated_at)
     SELECT ?2, printf('claimed:%020d', i), 'did:svc:holder', '{}', 'published', 0, 1, 1 FROM n`,
    200,
    bucket,
  )
  await rowsIn(
    source,
    `${numbers} INSERT INTO claims (record, creator_did, act_hash, preferences, key, signature, signer, recorded_at, spent)
     SELECT r.id, 'did:svc:' || i, 'a7', '{}', (SELECT id FROM keys), zeroblob(3309), '{}', 1, '[]'
     FROM n, records r WHERE r.bucket = ?2 AND r.version = 0`,
    16,
    bucket,
  )
  await begin(bucket, to)
  const sizes = await runInDurableObject(source, async (object: ConsentStoreObject) => {
    const { target, raise } = object.mover.ports
    const seen: number[] = []
    object.mover.ports = {
      raise,
      target: (name) => {
        const real = target(name)
        return {
          had: (...call) => real.had(...call),
          tally: (...call) => real.tally(...call),
          openBucket: (...call) => real.openBucket(...call),
          receive: (parcel: Parcel) => {
            const claims = parcel.records.flatMap((record) => record.claims)
            seen.push(claims.reduce((bytes, { signature }) => bytes + (signature?.byteLength ?? 0), 0))
            return real.receive(parcel)
          },
        }
      },
    }
    while (await object.mover.step(bucket));
    return seen
  })
  expect(Math.max(...sizes)).toBeLessThan(2_000_000)
  expect(await rowsIn(storeNamed(to), 'SELECT count(*) AS n FROM claims')).toEqual([{ n: 3_200 }])
  expect(await stateAt(to, bucket)).toBe('open')
})
