import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it } from 'vitest'
import { anonymous, call, freshCaller } from '../harness.ts'
import { anchored, fill, freshRoot, indexOf, LOG, log, reader, submission, submit } from './anchors.fixture.ts'

/** D1 with every statement on anchors failing. */
const breakD1 = () => env.DB.exec('ALTER TABLE anchors RENAME TO anchors_out_of_reach')
const mendD1 = () => env.DB.exec('ALTER TABLE anchors_out_of_reach RENAME TO anchors')
const isBroken = async () =>
  (await env.DB.prepare("SELECT 1 FROM sqlite_master WHERE name = 'anchors_out_of_reach'").first()) !== null

const kept = async () => {
  const { results } = await env.DB.prepare('SELECT idx, anchor_id FROM anchors ORDER BY log_no, idx').all<{
    idx: number
    anchor_id: string
  }>()
  return results.map(({ anchor_id: anchorId }) => anchorId)
}
const placed = () =>
  runInDurableObject(log(), (_, { storage }) =>
    storage.sql
      .exec<{ anchor_id: string }>('SELECT anchor_id FROM entries ORDER BY idx')
      .toArray()
      .map(({ anchor_id: anchorId }) => anchorId),
  )
const waiting = () =>
  runInDurableObject(log(), (_, { storage }) =>
    storage.sql.exec<{ idx: number; anchor: string }>('SELECT idx, anchor FROM outbox ORDER BY idx').toArray(),
  )
const alarm = () => runInDurableObject(log(), (_, { storage }) => storage.getAlarm())

afterEach(async () => {
  if (await isBroken()) await mendD1()
  await runDurableObjectAlarm(log())
  expect(await waiting()).toEqual([])
  expect(await kept()).toEqual(await placed())
})

describe('while D1 rejects anchors', () => {
  it('acknowledges what the log holds, and delivers it later as acknowledged', async () => {
    const callers = [await freshCaller(), await freshCaller(), await freshCaller()]
    await breakD1()
    const answers = []
    for (const caller of callers) answers.push(await submit(caller, await submission(caller)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await waiting()).toHaveLength(3)
    expect((await anonymous('GET', '/api/anchors')).status).toBe(503)
    await mendD1()
    expect((await reader().page()).items).toEqual([])
    expect(await runDurableObjectAlarm(log())).toBe(true)
    expect((await reader().page({ attestations: 'include' })).items).toEqual(
      answers.map(({ body }) => body).toReversed(),
    )
  })

  it('still creates one anchor per submission', async () => {
    const caller = await freshCaller()
    const body = await submission(caller)
    await fill(1)
    const { size } = await log().state()
    await breakD1()
    const first = await submit(caller, body)
    expect(first).toMatchObject({ status: 200, body: { position: { log: LOG, index: size } } })
    const another = { ...body, attestations: (await submission(caller, { root: body.root })).attestations }
    expect(await submit(caller, another)).toEqual(first)
    expect((await log().state()).size).toBe(size + 1)
    await mendD1()
    expect(await submit(caller, body)).toEqual(first)
  })

  it('signs checkpoints that include them', async () => {
    await fill(1)
    await breakD1()
    const { size } = (await reader().checkpoint()).statement
    await fill(1)
    expect((await reader().checkpoint()).statement.size).toBe(size + 1)
  })

  it('fails rather than answering that there is nothing', async () => {
    const caller = await freshCaller()
    const { anchorId } = await anchored()
    await breakD1()
    for (const path of ['', '/state-proof', `/${anchorId}`, `/${anchorId}/bundle`]) {
      expect(await anonymous('GET', `/api/anchors${path}`)).toMatchObject({
        status: 503,
        body: { success: false, error: 'dependency_unavailable' },
      })
    }
    expect((await call(caller, 'GET', '/api/anchors/eligibility')).status).toBe(503)
  })

  it('retries until D1 accepts them', async () => {
    await breakD1()
    await fill(2)
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await runDurableObjectAlarm(log())).toBe(true)
      expect(await waiting()).toHaveLength(2)
      expect(await alarm()).toBeGreaterThan(Date.now() - 60_000)
    }
    await mendD1()
    expect(await runDurableObjectAlarm(log())).toBe(true)
    expect(await waiting()).toEqual([])
    expect(await alarm()).toBeNull()
  })
})

describe('pending anchors', () => {
  it('are delivered in as many steps as needed', async () => {
    await breakD1()
    await fill(50)
    await mendD1()
    expect(await runDurableObjectAlarm(log())).toBe(true)
    expect(await waiting()).toEqual([])
  })

  it('are delivered before later submissions', async () => {
    await breakD1()
    await fill(20)
    await mendD1()
    const index = indexOf(await anchored())
    const proof = await reader().stateProof(21)
    expect(proof.anchors.map(({ anchorId }) => anchorId)).toEqual((await placed()).slice(-21))
    expect(proof.count + index - 20).toBe((await log().state()).size)
  })

  it('survive the eviction of the object that was to deliver them', async () => {
    await breakD1()
    await fill(3)
    const [before, outbox] = [await placed(), await waiting()]
    await evictDurableObject(log())
    expect(await waiting()).toEqual(outbox)
    expect(await alarm()).toEqual(expect.any(Number))
    await mendD1()
    await evictDurableObject(log())
    expect(await runDurableObjectAlarm(log())).toBe(true)
    expect(await placed()).toEqual(before)
    expect((await kept()).slice(-3)).toEqual(before.slice(-3))
  })

  it('are stored once, even if the answer of D1 was lost', async () => {
    const caller = await freshCaller()
    await breakD1()
    const { body } = await submit(caller, await submission(caller))
    await fill(2)
    const outbox = await waiting()
    await mendD1()
    expect(await runDurableObjectAlarm(log())).toBe(true)
    const before = await reader().page()
    await runInDurableObject(log(), async (_, { storage }) => {
      for (const { idx, anchor } of outbox)
        storage.sql.exec('INSERT INTO outbox (idx, anchor) VALUES (?, ?)', idx, anchor)
      await storage.setAlarm(Date.now() + 60_000)
    })
    expect(await runDurableObjectAlarm(log())).toBe(true)
    expect(await reader().page()).toEqual(before)
    expect(await reader().read(String(body['anchorId']))).toEqual(body)
  })
})

describe('an evicted object', () => {
  it('continues where its log ended', async () => {
    const first = await anchored()
    const checkpoint = await reader().checkpoint()
    await evictDurableObject(log())
    const second = await anchored()
    expect(indexOf(second)).toBe(indexOf(first) + 1)
    expect((await reader().safeVerifyExtension(checkpoint, await reader().checkpoint())).ok).toBe(true)
  })

  it('still recognizes earlier submissions', async () => {
    const { client } = await freshCaller()
    const root = freshRoot()
    const record = await client.anchors.submit({ root, epoch: 'e' })
    await evictDurableObject(log())
    expect(await client.anchors.submit({ root, epoch: 'e' })).toEqual(record)
  })
})
