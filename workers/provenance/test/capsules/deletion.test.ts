import { env } from 'cloudflare:workers'
import { delaysDuring, expectRefusal } from '@svc/service/testing'
import { describe, expect, it, vi } from 'vitest'
import { databaseWith } from '../database.fixture.ts'
import { caller } from '../harness.ts'
import { objectsAndNames, sweepAt } from '../sweep.fixture.ts'
import { register as registerText, registrationOf, textOf } from '../text/text.fixture.ts'
import { alarmsAt, allRowsOf, atTime, bodyKeyOf, bucketsAround, bucketsLosing, bucketWith } from './buckets.fixture.ts'
import { freshFile, get, register, signed } from './capsules.fixture.ts'

const HOUR = 3_600_000
const vector = () => Array.from({ length: 256 }, () => (Math.random() < 0.5 ? 1 : -1))
const failing = (start: string) =>
  databaseWith((sql, work) => (sql.includes(start) ? Promise.reject(new Error('crashed')) : work()))
/** A deletion by a bucket that has other bindings. */
const removeWith = async (assetId: string, did: string, replaced: object) =>
  expect(await bucketWith(assetId, replaced, (bucket) => bucket.remove(assetId, did, Date.now()))).toBe(true)
const vectorSetsOf = (assetId: string) =>
  env.DB.prepare('SELECT count(*) AS n FROM vector_sets WHERE asset_id = ?').bind(assetId).first<number>('n')
const swept = async () => {
  await sweepAt(Date.now() + 2 * HOUR)
  await alarmsAt(Date.now() + 2 * HOUR)
  return objectsAndNames()
}

describe('an owner’s registration of an asset', () => {
  it('can be deleted with its vectors, and the others stay as they are', async () => {
    const [one, two, three] = [await caller(), await caller(), await caller()]
    const file = freshFile()
    const mine = vector()
    const sent = await signed(one, file)
    const { assetId } = await one.client.provenance.register(sent, { vectors: { fragment: [mine] } })
    await two.client.provenance.register(await signed(two, file))
    await one.client.provenance.deleteCapsule(assetId)
    expect((await one.client.provenance.search('fragment', [mine])).matches).toEqual([])
    expectRefusal(await get(`/api/capsule/${assetId}?did=${one.identity.did}`), 'not_found')
    expect(await two.client.provenance.capsule(assetId)).toMatchObject({ position: 2, claimCount: 1 })
    await two.client.provenance.deleteCapsule(assetId)
    expectRefusal(await get(`/api/capsule/${assetId}`), 'not_found')
    expect(await three.client.provenance.register(await signed(three, file))).toMatchObject({ position: 3 })
    const { objects, names } = await objectsAndNames()
    expect(objects).toEqual(names)
  })

  it('is deleted by nobody else', async () => {
    const [one, two] = [await caller(), await caller()]
    const { assetId } = await one.client.provenance.register(await signed(one))
    await expect(two.client.provenance.deleteCapsule(assetId)).rejects.toMatchObject({ status: 404 })
    expect(await one.client.provenance.capsule(assetId)).toMatchObject({ did: one.identity.did })
  })

  it('is deleted once by twenty at once', async () => {
    const by = await caller()
    const { assetId } = await by.client.provenance.register(await signed(by))
    const done = await Promise.allSettled(Array.from({ length: 20 }, () => by.client.provenance.deleteCapsule(assetId)))
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('whose body cannot be deleted at once is gone for readers, and the body with a later alarm', async () => {
    const by = await caller()
    const { assetId } = await by.client.provenance.register(await signed(by))
    const key = await bodyKeyOf(assetId)
    const down = { BLOBS: { delete: () => Promise.reject(new Error('down')) } }
    expect(await delaysDuring(() => removeWith(assetId, by.identity.did, down))).toEqual(['capsule bodies'])
    expectRefusal(await get(`/api/capsule/${assetId}`), 'not_found')
    await atTime(Date.now() + 10_000, () => bucketWith(assetId, down, (bucket) => bucket.alarm()))
    expect(await env.BLOBS.head(key)).not.toBeNull()
    // Tried by the call, and by the alarm.
    expect(await allRowsOf('loose')).toMatchObject([{ key, attempts: 2 }])
    await alarmsAt(Date.now() + 60_000)
    expect(await env.BLOBS.head(key)).toBeNull()
    expect(await allRowsOf('loose')).not.toContainEqual(expect.objectContaining({ key }))
  })

  it('whose vectors cannot be deleted at once loses them with a later alarm', async () => {
    const by = await caller()
    const mine = vector()
    const { assetId } = await by.client.provenance.register(await signed(by), { vectors: { fragment: [mine] } })
    const down = failing('DELETE FROM vector_sets')
    expect(await delaysDuring(() => removeWith(assetId, by.identity.did, down))).toEqual(['capsule vectors'])
    expect((await by.client.provenance.search('fragment', [mine])).matches).toHaveLength(1)
    await alarmsAt(Date.now() + 10_000)
    expect((await by.client.provenance.search('fragment', [mine])).matches).toEqual([])
  })

  it('is repeated after two minutes, though a call and an alarm did the first deletion at once', async () => {
    const by = await caller()
    const { assetId } = await by.client.provenance.register(await signed(by), { vectors: { fragment: [vector()] } })
    const [hasBegun, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = databaseWith(async (sql, work) => {
      if (!sql.includes('DELETE FROM vector_sets')) return work()
      hasBegun.resolve()
      await goesOn.promise
      return work()
    })
    const removing = removeWith(assetId, by.identity.did, slow)
    await hasBegun.promise
    await alarmsAt(Date.now() + 10_000)
    goesOn.resolve()
    await removing
    const rows = (await allRowsOf('vector_removals')).filter(({ asset_id }) => asset_id === assetId)
    expect(rows).toMatchObject([{ is_repeat: 1 }])
  })

  it('leaves no vectors of a call that stores them after it', async () => {
    const by = await caller()
    const sent = await signed(by)
    const { assetId } = await by.client.provenance.register(sent)
    const mine = vector()
    let isDeleted = false
    const replaced = databaseWith(async (sql, work) => {
      if (sql.includes('INSERT INTO vector_sets') && !isDeleted) {
        isDeleted = true
        await by.client.provenance.deleteCapsule(assetId)
      }
      return work()
    })
    await register(by, { ...sent, vectors: { fragment: [mine] } }, { replaced })
    expect(isDeleted).toBe(true)
    expect((await by.client.provenance.search('fragment', [mine])).matches).toEqual([])
    expect(await vectorSetsOf(assetId)).toBe(0)
  })

  it('leaves no vectors of a call that stores them after it and then crashes', async () => {
    const by = await caller()
    const sent = await signed(by)
    const { assetId } = await by.client.provenance.register(sent)
    let isDeleted = false
    const late = databaseWith(async (sql, work) => {
      if (sql.includes('INSERT INTO vector_sets') && !isDeleted) {
        isDeleted = true
        await by.client.provenance.deleteCapsule(assetId)
      }
      return work()
    })
    // The second time that the registration is looked for is after its vectors were stored.
    let found = 0
    const crashing = bucketsAround((method, work) => {
      found += Number(method === 'find')
      return found === 2 ? Promise.reject(new Error('crashed')) : work()
    })
    const vectors = { fragment: [vector()] }
    const answer = await register(by, { ...sent, vectors }, { replaced: { ...late, ...crashing } })
    expectRefusal(answer, 'dependency_unavailable')
    expect(await vectorSetsOf(assetId)).toBe(1)
    await alarmsAt(Date.now() + 121_000)
    expect(await vectorSetsOf(assetId)).toBe(0)
    expect(await allRowsOf('vector_removals')).not.toContainEqual(expect.objectContaining({ asset_id: assetId }))
  })

  it('ends before the next one of the same asset, which keeps its own vectors', async () => {
    const by = await caller()
    const sent = await signed(by)
    const [first, second] = [vector(), vector()]
    const { assetId } = await by.client.provenance.register(sent, { vectors: { fragment: [first] } })
    await removeWith(assetId, by.identity.did, failing('DELETE FROM vector_sets'))
    const again = await by.client.provenance.register(sent, { vectors: { fragment: [second] } })
    expect(again).toMatchObject({ duplicate: false, position: 2 })
    await alarmsAt(Date.now() + 10_000)
    await alarmsAt(Date.now() + 200_000)
    expect((await by.client.provenance.search('fragment', [first])).matches).toEqual([])
    expect((await by.client.provenance.search('fragment', [second])).matches).toHaveLength(1)
  })
})

describe('objects that no row names', () => {
  it('are not left by a capsule that is repeated with new vectors', async () => {
    const by = await caller()
    const sent = await signed(by)
    await by.client.provenance.register(sent, { vectors: { fragment: [vector()], semantic: [vector()] } })
    for (let i = 0; i < 4; i += 1) {
      await by.client.provenance.register(sent, { vectors: { fragment: [vector()], semantic: [vector()] } })
    }
    const { objects, names } = await objectsAndNames()
    expect(objects).toEqual(names)
  })

  it('are deleted after an hour when the vectors of a repeated capsule got no row, twelve times', async () => {
    const by = await caller()
    const sent = await signed(by)
    await by.client.provenance.register(sent)
    const before = await swept()
    for (let i = 0; i < 12; i += 1) {
      const vectors = { fragment: [vector()], semantic: [vector()], video: [{ at_ms: 0, values: vector() }] }
      const answer = await register(by, { ...sent, vectors }, { replaced: failing('INSERT INTO vector_sets') })
      expectRefusal(answer, 'dependency_unavailable')
    }
    expect((await objectsAndNames()).objects).toHaveLength(before.objects.length + 36)
    expect(await swept()).toEqual(before)
  })

  it('are not left by vectors that come with the same capsule at once', async () => {
    const by = await caller()
    const sent = await signed(by)
    await by.client.provenance.register(sent)
    await Promise.all(
      Array.from({ length: 10 }, () => by.client.provenance.register(sent, { vectors: { fragment: [vector()] } })),
    )
    const { objects, names } = await objectsAndNames()
    expect(objects).toEqual(names)
  })

  it('are not left by a refused block, and neither is what was prepared', async () => {
    const by = await caller()
    const before = await objectsAndNames()
    const sent = await by.client.provenance.bind(await signed(by), await by.client.chain.head())
    await by.client.chain.append({})
    expectRefusal(await register(by, sent), 'stale_head')
    expect(await objectsAndNames()).toEqual(before)
    expect(await allRowsOf('loose')).toEqual([])
  })

  it('are deleted after an hour with a capsule that was admitted and never completed', async () => {
    const by = await caller()
    const before = await swept()
    const sent = await signed(by)
    const answer = await register(by, sent, { replaced: bucketsLosing('complete', 'before') })
    expectRefusal(answer, 'dependency_unavailable')
    expect((await objectsAndNames()).objects).toHaveLength(before.objects.length + 1)
    await alarmsAt(Date.now() + HOUR / 2)
    expect((await objectsAndNames()).objects).toHaveLength(before.objects.length + 1)
    expect(await swept()).toEqual(before)
    expect((await register(by, sent)).status).toBe(200)
  })

  it('are deleted after an hour when their write arrived after it had failed', async () => {
    const by = await caller()
    const before = await swept()
    const late = Promise.withResolvers<void>()
    const BLOBS = {
      put: async (key: string, bytes: Uint8Array) => {
        void late.promise.then(() => env.BLOBS.put(key, bytes))
        throw new Error('the connection is lost')
      },
    }
    expectRefusal(await register(by, await signed(by), { replaced: { BLOBS } }), 'dependency_unavailable')
    late.resolve()
    await vi.waitFor(async () => expect((await objectsAndNames()).objects).toHaveLength(before.objects.length + 1))
    await alarmsAt(Date.now() + 60_000)
    expect(await swept()).toEqual(before)
  })

  it('are deleted after an hour when the row of their object could not be written', async () => {
    const by = await caller()
    const before = await swept()
    const text = registrationOf(textOf('orphan', 80))
    expectRefusal(
      await registerText(by, text, { replaced: failing('INSERT INTO text_assets') }),
      'dependency_unavailable',
    )
    expect((await objectsAndNames()).objects).toHaveLength(before.objects.length + 1)
    expect(await swept()).toEqual(before)
  })

  it('are deleted with the claim of a text that was never completed, which names who made it', async () => {
    const by = await caller()
    const before = await swept()
    const text = registrationOf(textOf('abandoned', 80))
    await registerText(by, text, { replaced: failing('UPDATE text_assets SET claimed_at = NULL') })
    expect((await objectsAndNames()).objects).toHaveLength(before.objects.length + 1)
    expect(await swept()).toEqual(before)
    expect((await registerText(by, text)).status).toBe(200)
  })
})
