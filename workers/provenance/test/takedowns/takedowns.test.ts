import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { OperatorTakedown, OperatorTakedownPage } from '@svc/protocol/operator/reads'
import type { TakedownPage } from '@svc/protocol/operator/takedown'
import { assetIdOf } from '@svc/protocol/provenance/capsules'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import type { CapsuleBucketObject } from '../../src/capsules/bucket/object.ts'
import { bucketOfAsset, bucketsAround, bucketWith, rowsOf } from '../capsules/buckets.fixture.ts'
import { freshFile, get, register as registerCapsule, VIDEO } from '../capsules/capsules.fixture.ts'
import { caller } from '../harness.ts'
import { sweepAt } from '../sweep.fixture.ts'
import { matchesOf, query, queryOf, register, registered, registrationOf, textOf } from '../text/text.fixture.ts'
import { act, reindexAct } from '../vectors/reindex.fixture.ts'

type Subject = { readonly kind: 'capsule' | 'text' | 'keypoints'; readonly id: string }
const takedown = (subject: Subject, members: object = {}) =>
  reindexAct({
    type: 'svc/operator-takedown/v1',
    index: undefined,
    after: undefined,
    subject,
    reason: 'legal',
    ...members,
  })
const takeDown = async (subject: Subject, members: object = {}) => {
  const answer = await act(await takedown(subject, members))
  expect(answer.status).toBe(200)
}
const listed = async () => {
  const found: TakedownPage['takedowns'] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await get(`/api/takedowns${cursor === '' ? '' : `?cursor=${cursor}`}`)
    const { data } = body as { data: TakedownPage }
    found.push(...data.takedowns)
    cursor = data.cursor
  }
  return found
}
const readByOperator = async (after: number, seed?: Uint8Array<ArrayBuffer>) => {
  const members = { type: 'svc/operator-takedowns/v1', index: undefined, after }
  return act(await reindexAct(members, seed), undefined, '/api/operator/takedowns')
}
const objects = async () => (await env.BLOBS.list()).objects.map(({ key }) => key)
const bodyKeysOf = async (assetId: string) => {
  const select = env.DB.prepare('SELECT body_key FROM vector_sets WHERE asset_id = ?').bind(assetId)
  const { results } = await select.all<{ body_key: string }>()
  const capsules = (await rowsOf(bucketOfAsset(assetId), 'capsules')).filter(({ asset_id }) => asset_id === assetId)
  return [...results, ...capsules].map(({ body_key }) => body_key as string)
}
const reasonIn = ({ body }: { readonly body: unknown }) => (body as { details?: unknown }).details

/** A video with vectors, registered by an identity of its own. */
async function video() {
  const by = await caller()
  const vectors = { video: [{ at_ms: 0, values: Array.from({ length: 256 }, () => (Math.random() < 0.5 ? 1 : -1)) }] }
  const body = { ...(await by.client.provenance.sign(freshFile(), VIDEO)), vectors }
  const send = (replaced?: object) =>
    registerCapsule(by, body, { path: '/api/register/video', ...(replaced ? { replaced } : {}) })
  expect((await send()).status).toBe(200)
  return { id: body.capsule.assetId, send }
}

describe('a takedown', () => {
  it('ends the searches and the registration of a text', async () => {
    const by = await caller()
    const text = textOf('gone', 200)
    const body = registrationOf(text)
    const { asset_id: id } = registered(await register(by, body))
    const keys = await bodyKeysOf(id)
    expect(matchesOf(await query(queryOf(text))).matches).toHaveLength(1)
    await takeDown({ kind: 'text', id }, { reason: 'privacy' })
    expect(matchesOf(await query(queryOf(text))).matches).toEqual([])
    const again = await register(await caller(), body)
    expectRefusal(again, 'taken_down')
    expect(reasonIn(again)).toEqual({ reason: 'privacy' })
    const left = await objects()
    for (const key of keys) expect(left).not.toContain(key)
  })

  it('ends the reads of a video with the reason, and its bytes', async () => {
    const { id, send } = await video()
    const keys = await bodyKeysOf(id)
    expect(keys).toHaveLength(2)
    await takeDown({ kind: 'capsule', id })
    for (const path of [`/api/capsule/${id}`, `/api/capsule/${id}/verify`, `/api/provenance/${id}/proof`]) {
      const answer = await get(path)
      expectRefusal(answer, 'taken_down')
      expect(reasonIn(answer)).toEqual({ reason: 'legal' })
    }
    expectRefusal(await send(), 'taken_down')
    const left = await objects()
    for (const key of keys) expect(left).not.toContain(key)
  })

  it('ends a keypoint blob of everyone who uploaded it', async () => {
    const [one, two] = [await caller(), await caller()]
    const blob = crypto.getRandomValues(new Uint8Array(500))
    const { hash } = await one.client.provenance.uploadKeypoints(blob)
    await two.client.provenance.uploadKeypoints(blob)
    expect((await objects()).filter((key) => key.includes(hash))).toHaveLength(1)
    await takeDown({ kind: 'keypoints', id: hash })
    const read = await get(`/keypoints/${hash}.akpb`)
    expectRefusal(read, 'taken_down')
    expect(reasonIn(read)).toEqual({ reason: 'legal' })
    await expect(two.client.provenance.uploadKeypoints(blob)).rejects.toMatchObject({
      status: 410,
      error: 'taken_down',
    })
    expect((await objects()).filter((key) => key.includes(hash))).toEqual([])
    expect(await one.client.provenance.myKeypoints()).toEqual({ keypoints: [], cursor: null })
    const listing: string[] = []
    for await (const { subject } of one.client.provenance.takedowns()) listing.push(`${subject.kind} ${subject.id}`)
    expect(listing).toContain(`keypoints ${hash}`)
  })

  it('leaves vectors that another asset has too', async () => {
    const by = await caller()
    const text = textOf('shared', 200)
    const [one, two] = [registrationOf(text), registrationOf(text)]
    for (const body of [one, two]) registered(await register(by, body))
    await takeDown({ kind: 'text', id: one.asset_id })
    expect(matchesOf(await query(queryOf(text))).matches.map(({ asset_id }) => asset_id)).toEqual([two.asset_id])
  })

  it('is listed for everyone, in order', async () => {
    const by = await caller()
    const ids: string[] = []
    for (const seed of ['first', 'second']) {
      const { asset_id: id } = registered(await register(by, registrationOf(textOf(seed, 60))))
      await takeDown({ kind: 'text', id }, { reason: 'abuse' })
      ids.push(id)
    }
    const mine = (await listed()).filter(({ subject }) => ids.includes(subject.id))
    expect(mine.map(({ subject, reason }) => [subject, reason])).toEqual(
      ids.map((id) => [{ kind: 'text', id }, 'abuse']),
    )
    expectRefusal(await get('/api/takedowns?cursor=bm9uZQ'), 'invalid_cursor')
  })

  it('comes in pages of a hundred', async () => {
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)
       INSERT INTO takedowns (kind, subject_id, reason, operator, nonce, taken_down_at)
       SELECT 'text', printf('text-%032x', i), 'other', '${'0d'.repeat(48)}', printf('nonce-%016d', i), i FROM n`,
    ).run()
    const found = (await listed()).filter(({ reason }) => reason === 'other')
    expect(found.map(({ takenDownAt }) => takenDownAt)).toEqual(Array.from({ length: 250 }, (_, i) => i + 1))
    const read: OperatorTakedown[] = []
    for (let after: number | null = 0; after !== null; ) {
      const { body } = await readByOperator(after)
      const { data } = body as { data: OperatorTakedownPage }
      read.push(...data.takedowns)
      after = data.next
    }
    expect(read).toMatchObject(await listed())
  })

  it('is read by the operator with what became of the act, and by nobody else', async () => {
    const { id } = await video()
    const signed = await takedown({ kind: 'capsule', id })
    const crashing = { ...env.BLOBS, delete: () => Promise.reject(new Error('crashed')) }
    const mine = async () => {
      const last = (await env.DB.prepare('SELECT max(seq) AS seq FROM takedowns').first<number>('seq')) ?? 0
      const { body } = await readByOperator(last - 1)
      return (body as { data: OperatorTakedownPage }).data
    }
    expect((await act(signed, { BLOBS: crashing })).status).toBe(503)
    expect(await mine()).toMatchObject({ takedowns: [{ subject: { kind: 'capsule', id }, doneAt: null }], next: null })
    expect((await act(signed)).status).toBe(200)
    expect(await mine()).toMatchObject({ takedowns: [{ doneAt: expect.any(Number) as unknown }] })
    expectRefusal(await readByOperator(0, new Uint8Array(32).fill(9)), 'invalid_signature')
  })

  it('of what nobody registered is 404, and is not listed', async () => {
    const id = registrationOf(textOf('never', 60)).asset_id
    expectRefusal(await act(await takedown({ kind: 'text', id })), 'not_found')
    expect((await listed()).some(({ subject }) => subject.id === id)).toBe(false)
  })

  it('is refused for a reason, a kind or a service that it does not have', async () => {
    const { id } = await video()
    for (const wrong of [
      { reason: 'because' },
      { service: 'core' },
      { subject: { kind: 'text', id } },
      { subject: { kind: 'pin', id } },
    ]) {
      expectRefusal(await act(await takedown({ kind: 'capsule', id }, wrong)), 'invalid_request')
    }
    expect((await get(`/api/capsule/${id}`)).status).toBe(200)
  })

  it('is completed by sending it again after a crash between recording and deleting', async () => {
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

describe('a takedown that meets a registration', () => {
  it.each(['admit', 'complete'])('leaves nothing of one that has come to "%s"', async (step) => {
    const [file, first, late] = [freshFile(), await caller(), await caller()]
    const path = '/api/register/video'
    const id = assetIdOf(file)
    expect((await registerCapsule(first, await first.client.provenance.sign(file, VIDEO), { path })).status).toBe(200)
    let isTaken = false
    const replaced = bucketsAround(async (method, work) => {
      if (method === step && !isTaken) {
        isTaken = true
        await takeDown({ kind: 'capsule', id })
      }
      return work()
    })
    const body = await late.client.provenance.sign(file, VIDEO)
    expectRefusal(await registerCapsule(late, body, { path, replaced }), 'taken_down')
    expect(isTaken).toBe(true)
    expectRefusal(await registerCapsule(late, body, { path }), 'taken_down')
    expectRefusal(await get(`/api/capsule/${id}`), 'taken_down')
    expect(await bodyKeysOf(id)).toEqual([])
  })

  it('twenty at once: one is recorded', async () => {
    const { id } = await video()
    const acts = await Promise.all(Array.from({ length: 20 }, () => takedown({ kind: 'capsule', id })))
    const answers = await Promise.all(acts.map((signed) => act(signed)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await listed()).filter(({ subject }) => subject.id === id)).toHaveLength(1)
  })
})
