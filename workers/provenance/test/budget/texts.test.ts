import { env } from 'cloudflare:workers'
import { TIER_BUDGETS } from '@svc/protocol/pay/tiers'
import { LooseObjects } from '@svc/service'
import { coreAnswering, expectRefusal } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { TextStore } from '../../src/text/store.ts'
import { VectorSetStore } from '../../src/vectors/set-store.ts'
import { caller } from '../harness.ts'
import { sweepAt } from '../sweep.fixture.ts'
import { certifiedOf, freshId, register, registered, rowOf, textOf, units } from '../text/text.fixture.ts'

const LIMIT = TIER_BUDGETS.notes.searchChunks
const random = () => Array.from(crypto.getRandomValues(new Uint8Array(256)), (byte) => (byte & 1 ? 1 : -1))
/** A registration of so many different chunks. */
function ofChunks(count: number, id = freshId()) {
  const chunks = Array.from({ length: count }, (_, i) => ({ index: i, values: random(), start: i * 5, words: 5 }))
  return { asset_id: id, word_count: count * 5, chunks }
}
let requests = 0
const sent = (by: TestCaller, body: object) => register(by, body, { address: `2001:db8:bb:${requests++}::1` })

/** The name of an identity that has registered a text of one chunk. */
async function nameOf(by: TestCaller): Promise<string> {
  const body = ofChunks(1)
  registered(await sent(by, body))
  return String((await rowOf(body.asset_id))?.['registrant'])
}
async function kept(name: string): Promise<number> {
  const select = env.DB.prepare("SELECT amount FROM kept WHERE did = ? AND budget = 'searchChunks'").bind(name)
  return (await select.first<number>('amount')) ?? 0
}
async function leave(name: string, left: number): Promise<void> {
  await env.DB.prepare("UPDATE kept SET amount = ? WHERE did = ? AND budget = 'searchChunks'")
    .bind(LIMIT - left, name)
    .run()
}

describe('the budget of chunks', () => {
  it('counts the different chunks within a text once, until it is deleted', async () => {
    const by = await caller()
    const name = await nameOf(by)
    const body = ofChunks(10)
    const [first] = body.chunks
    const same = Array.from({ length: 7 }, (_, i) => ({ ...first, index: 10 + i, start: i * 5 }))
    const outside = { ...first, index: 20, values: random(), start: 50 }
    const all = { ...body, chunks: [...body.chunks, ...same, outside] }
    expect(registered(await sent(by, all)).chunk_count).toBe(18)
    registered(await sent(by, all))
    expect(await kept(name)).toBe(11)
    await by.client.provenance.deleteText(body.asset_id)
    expect(await kept(name)).toBe(1)
  })

  it('refuses what does not fit, for no unit, and stores nothing of it', async () => {
    const by = await caller()
    await leave(await nameOf(by), 9)
    const objects = async () => (await env.BLOBS.list({ prefix: 'vectors/' })).objects.length
    const before = await objects()
    const [large, small] = [ofChunks(10), ofChunks(9)]
    const refused = await sent(by, large)
    expectRefusal(refused, 'budget_exhausted')
    const details = { budget: 'searchChunks', used: LIMIT - 9, limit: LIMIT, tier: 'notes' }
    expect(refused.body).toMatchObject({ details })
    expect(await units(by)).toEqual({ used: 1, reserved: 0 })
    expect([await rowOf(large.asset_id), await objects()]).toEqual([null, before])
    registered(await sent(by, small))
    expect(registered(await sent(by, small)).duplicate).toBe(true)
    expectRefusal(await sent(by, ofChunks(1)), 'budget_exhausted')
    await by.client.provenance.deleteText(small.asset_id)
    registered(await sent(by, ofChunks(9)))
  })

  it('lets as many of twenty at once in as fit', async () => {
    const by = await caller()
    const name = await nameOf(by)
    await leave(name, 35)
    const bodies = Array.from({ length: 19 }, () => ofChunks(10))
    const answers = await Promise.all(bodies.map((body) => sent(by, body)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, 'budget_exhausted')
    expect(await kept(name)).toBe(LIMIT - 5)
    expect(await units(by)).toEqual({ used: 4, reserved: 0 })
  })

  it('is that of the tier, as soon as there is one', async () => {
    const by = await caller()
    await leave(await nameOf(by), 0)
    const standing = { tier: 'provenance', source: 'code', from: 0, until: null, planUntil: null }
    const PAY = new Proxy(env.PAY, {
      get: (target, name) => (name === 'standing' ? async () => standing : Reflect.get(target, name).bind(target)),
    })
    expect((await register(by, ofChunks(10), { replaced: { PAY } })).status).toBe(200)
  })

  it('passes to somebody else who registered the text, when the first deletes it', async () => {
    const [one, two] = [await caller(), await caller()]
    const names = [await nameOf(one), await nameOf(two)] as const
    const body = ofChunks(10)
    for (const by of [one, two]) registered(await sent(by, body))
    expect([await kept(names[0]), await kept(names[1])]).toEqual([11, 1])
    await one.client.provenance.deleteText(body.asset_id)
    expect([await kept(names[0]), await kept(names[1])]).toEqual([1, 11])
    await two.client.provenance.deleteText(body.asset_id)
    expect([await kept(names[0]), await kept(names[1])]).toEqual([1, 1])
  })

  it('is given back by what a registration that certifies its id replaces', async () => {
    const [author, stranger] = [await caller(), await caller()]
    const names = [await nameOf(author), await nameOf(stranger)] as const
    const genuine = certifiedOf(textOf('back', 200))
    registered(await sent(stranger, ofChunks(10, genuine.asset_id)))
    expect(await kept(names[1])).toBe(11)
    await leave(names[0], genuine.chunks.length - 1)
    expectRefusal(await sent(author, genuine), 'budget_exhausted')
    expect(await rowOf(genuine.asset_id)).toMatchObject({ certified: 0, chunk_count: 10 })
    await leave(names[0], genuine.chunks.length)
    expect(registered(await sent(author, genuine)).duplicate).toBe(false)
    expect([await kept(names[0]), await kept(names[1])]).toEqual([LIMIT, 1])
  })

  it('is given back by a registration that stopped half-way', async () => {
    const by = await caller()
    const name = await nameOf(by)
    const PAY = coreAnswering((request) =>
      request.url.endsWith('/finalize') ? Promise.reject(new Error('canary: gone')) : env.PAY.fetch(request),
    )
    expect((await register(by, ofChunks(10), { replaced: { PAY } })).status).toBe(503)
    expect(await kept(name)).toBe(11)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 3_600_000 })
    onTestFinished(() => void vi.useRealTimers())
    await sweepAt(Date.now())
    expect(await kept(name)).toBe(1)
  })

  it('counts what an identity registered before the secret of the deployment changed', async () => {
    const by = await caller()
    const name = await nameOf(by)
    await leave(name, 9)
    const loose = new LooseObjects(env.DB, env.BLOBS)
    const texts = new TextStore(env.DB, new VectorSetStore(env.DB, env.BLOBS, loose), loose)
    const claimed = async (indexedCount: number) => {
      const bodyKey = await texts.keep({ places: [], vectors: new Uint8Array() }, Date.now())
      const counts = { chunkCount: indexedCount, wordCount: 50, indexedCount, isCertified: false }
      const registrants = { newest: `new ${name}`, earlier: [name] }
      return texts.claim({ assetId: freshId(), ...counts, bodyKey, registrants }, LIMIT, Date.now())
    }
    expect(await claimed(10)).toEqual({ ok: false, error: { reason: 'full', used: LIMIT - 9 } })
    expect(await claimed(5)).toEqual({ ok: true, value: true })
    expect(await claimed(5)).toEqual({ ok: false, error: { reason: 'full', used: LIMIT - 4 } })
    expect([await kept(name), await kept(`new ${name}`)]).toEqual([LIMIT - 10, 6])
  })
})
