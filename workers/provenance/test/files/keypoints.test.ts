import { env } from 'cloudflare:workers'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { get } from '../capsules/capsules.fixture.ts'
import { databaseWith } from '../database.fixture.ts'
import { BASE, caller, sendWith } from '../harness.ts'
import { sweepAt } from '../sweep.fixture.ts'

const freshBlob = () => crypto.getRandomValues(new Uint8Array(400))
const objectsOf = async (hash: string) => (await env.BLOBS.list({ prefix: `keypoints/${hash}/` })).objects.length

describe('an identity’s own keypoint blobs', () => {
  it('are listed by hash, and are nobody else’s', async () => {
    const [alice, bob] = [await caller(), await caller()]
    const hashes: string[] = []
    for (let i = 0; i < 3; i += 1) hashes.push((await alice.client.provenance.uploadKeypoints(freshBlob())).hash)
    const { keypoints, cursor } = await alice.client.provenance.myKeypoints()
    expect(keypoints).toEqual(hashes.toSorted().map((hash) => ({ hash, bytes: 400, keptAt: expect.any(Number) })))
    expect(cursor).toBeNull()
    expect((await bob.client.provenance.myKeypoints()).keypoints).toEqual([])
  })

  it('come in pages, whose cursors belong to one identity', async () => {
    const [alice, bob] = [await caller(), await caller()]
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
       INSERT INTO keypoints (hash, did, upload, bytes, kept_at) SELECT printf('%096x', i), ?1, 'none', 1, i FROM n`,
    )
      .bind(alice.identity.did)
      .run()
    const first = await alice.client.provenance.myKeypoints()
    const second = await alice.client.provenance.myKeypoints(first.cursor ?? '')
    expect([first.keypoints.length, second.keypoints.length, second.cursor]).toEqual([100, 50, null])
    await expect(bob.client.provenance.myKeypoints(first.cursor ?? '')).rejects.toMatchObject({
      error: 'invalid_cursor',
    })
  })

  it('can be deleted, and the bytes go with the last', async () => {
    const [alice, bob] = [await caller(), await caller()]
    const blob = freshBlob()
    const { hash } = await alice.client.provenance.uploadKeypoints(blob)
    expect((await bob.client.provenance.uploadKeypoints(blob)).duplicate).toBe(true)
    await alice.client.provenance.deleteKeypoints(hash)
    expect(await bob.client.provenance.keypoints(hash)).toEqual(blob)
    await expect(alice.client.provenance.deleteKeypoints(hash)).rejects.toMatchObject({ status: 404 })
    await bob.client.provenance.deleteKeypoints(hash)
    expectRefusal(await get(`/keypoints/${hash}.akpb`), 'not_found')
    expect(await objectsOf(hash)).toBe(0)
    expect((await alice.client.provenance.uploadKeypoints(blob)).duplicate).toBe(false)
  })

  it('deleted and uploaded at once are there for who uploaded', async () => {
    const [alice, bob] = [await caller(), await caller()]
    for (let round = 0; round < 5; round += 1) {
      const blob = freshBlob()
      const { hash } = await alice.client.provenance.uploadKeypoints(blob)
      await Promise.all([
        alice.client.provenance.deleteKeypoints(hash),
        bob.client.provenance.uploadKeypoints(blob),
        bob.client.provenance.uploadKeypoints(blob),
      ])
      expect(await bob.client.provenance.keypoints(hash)).toEqual(blob)
      expect(await objectsOf(hash)).toBe(1)
    }
  })

  it('leave an object when the upload crashes, which the next sweep after an hour deletes', async () => {
    const by = await caller()
    const broken = databaseWith((sql, work) =>
      sql.startsWith('INSERT INTO keypoints') ? Promise.reject(new Error('crashed')) : work(),
    )
    const blob = freshBlob()
    const before = (await env.BLOBS.list({ prefix: 'keypoints/' })).objects.length
    const request = new Request(`${BASE}/api/keypoints/upload`, {
      method: 'POST',
      headers: { authorization: await by.assertion('provenance'), 'content-type': 'application/octet-stream' },
      body: blob,
    })
    expect((await sendWith(broken)(request)).status).toBe(503)
    expect((await env.BLOBS.list({ prefix: 'keypoints/' })).objects.length).toBe(before + 1)
    await sweepAt(Date.now() + 60_000)
    expect((await env.BLOBS.list({ prefix: 'keypoints/' })).objects.length).toBe(before + 1)
    await sweepAt(Date.now() + 2 * 3_600_000)
    expect((await env.BLOBS.list({ prefix: 'keypoints/' })).objects.length).toBe(before)
  })
})
