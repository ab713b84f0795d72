import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import type { CapsuleBucketObject } from '../../src/capsules/bucket/object.ts'
import { bucketOfAsset, bucketsAround, bucketWith } from '../capsules/buckets.fixture.ts'
import { get } from '../capsules/capsules.fixture.ts'
import { sweepAt } from '../sweep.fixture.ts'
import { act } from '../vectors/reindex.fixture.ts'
import { bodyKeysOf, listed, objects, takeDown, takedown, video } from './takedowns.fixture.ts'

describe('a takedown that crashed', () => {
  it('between recording and deleting is completed by sending it again', async () => {
    const { id } = await video()
    const keys = await bodyKeysOf(id)
    const vectors = keys.filter((key) => key.startsWith('vectors/'))
    const signed = await takedown({ kind: 'capsule', id })
    const crashing = { ...env.BLOBS, delete: () => Promise.reject(new Error('crashed')) }
    expect((await act(signed, { BLOBS: crashing })).status).toBe(503)
    expectRefusal(await get(`/api/capsule/${id}`), 'taken_down')
    expect(await objects()).toEqual(expect.arrayContaining(vectors))
    expect((await act(signed)).status).toBe(200)
    const left = await objects()
    for (const key of keys) expect(left).not.toContain(key)
    expectRefusal(await act(signed), 'statement_replay')
  })
})

describe('a takedown of a capsule whose body cannot be deleted', () => {
  it('is listed, ends searches and reads, and is not done until the body is gone', async () => {
    const { id } = await video()
    const [body = ''] = (await bodyKeysOf(id)).filter((key) => key.startsWith('capsules/'))
    const down = { BLOBS: { delete: () => Promise.reject(new Error('down')) } }
    const throughBroken = bucketsAround(async (method, work, values) => {
      if (method !== 'takeDown') return work()
      const [assetId, reason, isKnown, now] = values as Parameters<CapsuleBucketObject['takeDown']>
      return bucketWith(id, down, (bucket) => bucket.takeDown(assetId, reason, isKnown, now))
    })
    const signed = await takedown({ kind: 'capsule', id })
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect((await act(signed, throughBroken)).status).toBe(503)
      expectRefusal(await get(`/api/capsule/${id}`), 'taken_down')
      expect((await listed()).filter(({ subject }) => subject.id === id)).toHaveLength(1)
      expect(await objects()).toContain(body)
    }
    expect((await act(signed)).status).toBe(200)
    expect(await objects()).not.toContain(body)
  })

  it('leaves a mark for an asset that is known by its vectors alone', async () => {
    const { id, send } = await video()
    await runInDurableObject(bucketOfAsset(id), ({ stored }) => {
      stored.sql.exec('DELETE FROM capsules')
    })
    await takeDown({ kind: 'capsule', id })
    await env.DB.prepare('DELETE FROM takedowns WHERE subject_id = ?').bind(id).run()
    expectRefusal(await send(), 'taken_down')
  })
})

describe('the hourly sweep', () => {
  it('completes a takedown after a crash between recording and deleting', async () => {
    const { id } = await video()
    const keys = await bodyKeysOf(id)
    const vectors = keys.filter((key) => key.startsWith('vectors/'))
    const crashing = { ...env.BLOBS, delete: () => Promise.reject(new Error('crashed')) }
    expect((await act(await takedown({ kind: 'capsule', id }), { BLOBS: crashing })).status).toBe(503)
    expect(await objects()).toEqual(expect.arrayContaining(vectors))
    await sweepAt(Date.now())
    const left = await objects()
    for (const key of keys) expect(left).not.toContain(key)
    expect(await env.DB.prepare('SELECT count(*) AS n FROM takedown_blobs').first('n')).toBe(0)
  })

  it('completes more than one run can, over several', async () => {
    const rows = Array.from({ length: 120 }, (_, i) => `backlog/${i}`)
    for (const key of rows) await env.BLOBS.put(key, 'x')
    await env.DB.prepare('INSERT INTO takedown_blobs (asset_id, body_key) SELECT value, value FROM json_each(?)')
      .bind(JSON.stringify(rows))
      .run()
    const left = async () => (await env.BLOBS.list({ prefix: 'backlog/' })).objects.length
    const seen: number[] = []
    for (let run = 0; run < 3; run += 1) {
      await sweepAt(Date.now())
      seen.push(await left())
    }
    expect(seen).toEqual([70, 20, 0])
  })
})
