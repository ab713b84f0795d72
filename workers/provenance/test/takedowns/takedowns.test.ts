import { env } from 'cloudflare:workers'
import type { OperatorTakedown, OperatorTakedownPage } from '@svc/protocol/operator/reads'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { get } from '../capsules/capsules.fixture.ts'
import { caller } from '../harness.ts'
import { matchesOf, query, queryOf, register, registered, registrationOf, textOf } from '../text/text.fixture.ts'
import { act, reindexAct } from '../vectors/reindex.fixture.ts'
import { bodyKeysOf, listed, objects, takeDown, takedown, video } from './takedowns.fixture.ts'

const readByOperator = async (after: number, seed?: Uint8Array<ArrayBuffer>) => {
  const members = { type: 'svc/operator-takedowns/v1', index: undefined, after }
  return act(await reindexAct(members, seed), undefined, '/api/operator/takedowns')
}
const reasonIn = ({ body }: { readonly body: unknown }) => (body as { details?: unknown }).details

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
})
