import { env } from 'cloudflare:workers'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { caller, device } from '../harness.ts'
import {
  freshId,
  post,
  REGISTER,
  register,
  registered,
  registrationOf,
  rowOf,
  setsOf,
  textOf,
  units,
} from './text.fixture.ts'

const ONE = Array<number>(256).fill(1)
const chunk = { index: 0, values: ONE, start: 0, words: 5 }
const body = (members: object = {}) => ({ asset_id: freshId(), word_count: 5, chunks: [chunk], ...members })
const changed = (members: object) => body({ chunks: [{ ...chunk, ...members }] })

describe('registering a text', () => {
  it('answers bare, with the request id in a header, and keeps counts and the asset id', async () => {
    const by = await caller()
    const sent = registrationOf(textOf('a', 300))
    const startedAt = Date.now()
    const answer = await register(by, sent)
    const { registered_at_ms, ...rest } = registered(answer)
    expect(rest).toEqual({
      asset_id: sent.asset_id,
      chunk_count: sent.chunks.length,
      word_count: 300,
      duplicate: false,
    })
    expect(registered_at_ms).toBeGreaterThanOrEqual(startedAt)
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(await rowOf(sent.asset_id)).toEqual({
      asset_id: sent.asset_id,
      chunk_count: sent.chunks.length,
      word_count: 300,
      body_key: expect.stringMatching(/^vectors\/[0-9a-f]{96}\/[0-9a-f-]{36}$/),
      indexed_count: sent.chunks.length,
      certified: 0,
      registrant: expect.stringMatching(/^1\.[\w-]{43}$/),
      claimed_at: null,
      registered_at: registered_at_ms,
    })
    const { results } = await setsOf(sent.asset_id)
    expect(results).toMatchObject([{ service: 'text', did: '', indexed_at: expect.any(Number) }])
    expect(await units(by)).toEqual({ used: 1, reserved: 0 })
  })

  it('keeps nothing that says who has registered it', async () => {
    const by = await caller()
    const sent = registrationOf(textOf('b', 40))
    await register(by, sent)
    const tables = ['text_assets', 'text_claimants', 'vector_sets', 'kept']
    const kept = await Promise.all(tables.map((table) => env.DB.prepare(`SELECT * FROM ${table}`).all()))
    const stored = JSON.stringify(kept)
    expect(stored).toContain(sent.asset_id)
    expect(stored).not.toContain(by.identity.did)
  })

  it('the same id again is a duplicate of the first, for anybody, and costs nobody anything', async () => {
    const [first, second] = [await caller(), await caller()]
    const sent = registrationOf(textOf('c', 100))
    const { registered_at_ms } = registered(await register(first, sent))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5_000 })
    onTestFinished(() => void vi.useRealTimers())
    const others = [sent, { ...registrationOf(textOf('other', 400)), asset_id: sent.asset_id }]
    for (const by of [first, second])
      for (const again of others)
        expect(registered(await register(by, again))).toEqual({
          asset_id: sent.asset_id,
          chunk_count: sent.chunks.length,
          word_count: 100,
          duplicate: true,
          registered_at_ms,
        })
    expect(await units(first)).toEqual({ used: 1, reserved: 0 })
    expect(await units(second)).toEqual({ used: 0, reserved: 0 })
  })

  it('is refused as the documents say once the tier allows no more, and nothing is registered', async () => {
    const by = await caller()
    for (let i = 0; i < 20; i++) registered(await register(by, body(), { address: `2001:db8:77:${i}::1` }))
    const sent = body()
    const { status, body: refused } = await register(by, sent)
    expect(status).toBe(402)
    expect(refused).toEqual({
      success: false,
      error: 'quota_exhausted',
      message: expect.any(String),
      kind: 'capsule',
      used: 20,
      limit: 20,
      tier: 'notes',
      requestId: expect.any(String),
      timestamp: expect.any(Number),
    })
    expect(await rowOf(sent.asset_id)).toBeNull()
  }, 30_000)

  it('takes a device that may, and other members that nobody asked for', async () => {
    const { assertion } = await device({ capabilities: ['provenance:write'] })
    const sent = { ...body(), language: 'en', chunks: [{ ...chunk, note: 'x' }] }
    expect((await post(REGISTER, sent, { assertion })).status).toBe(200)
  })

  it('takes 5,000 chunks, and numbers as large as JSON has them', async () => {
    const by = await caller()
    const chunks = Array.from({ length: 5_000 }, (_, i) => ({ ...chunk, index: i, start: i }))
    expect(registered(await register(by, body({ chunks, word_count: 100_000 }))).chunk_count).toBe(5_000)
    const far = { index: Number.MAX_SAFE_INTEGER, start: Number.MAX_SAFE_INTEGER, words: 1 }
    expect((await register(by, changed(far))).status).toBe(200)
  })
})

describe('what is checked of a registration', () => {
  it.each([
    ['{', 'invalid-json', 'well-formed JSON'],
    ['', 'invalid-json', 'well-formed JSON'],
  ])('%j is %s', async (sent, error) => {
    const refused = await post(REGISTER, sent, await caller())
    expectRefusal(refused, error as 'invalid-json')
  })

  const LONG = Array.from({ length: 5_001 }, () => chunk)
  it.each<[string, unknown, string]>([
    ['an id of another form', body({ asset_id: `text-${'A'.repeat(32)}` }), 'asset_id'],
    ['an id with a line behind it', body({ asset_id: `text-${'a'.repeat(32)}\n` }), 'asset_id'],
    ['no id, before no chunks', { chunks: [] }, 'asset_id'],
    ['no object', 'null', 'asset_id'],
    ['an array', '[]', 'asset_id'],
    ['no chunks', body({ chunks: undefined }), 'chunks'],
    ['empty chunks, before too few words', body({ chunks: [], word_count: 4 }), 'chunks must'],
    ['chunks that are not an array', body({ chunks: { 0: chunk, length: 1 } }), 'chunks must'],
    ['4 words, before a chunk that is none', body({ word_count: 4, chunks: [null] }), 'word_count'],
    ['words as text', body({ word_count: '5' }), 'word_count'],
    ['half a word', body({ word_count: 5.5 }), 'word_count'],
    ['a chunk that is null', body({ chunks: [chunk, null] }), 'chunks.1 must be an object'],
    ['a chunk that is an array', body({ chunks: [[1]] }), 'chunks.0 must be an object'],
    ['values that are not an array', changed({ values: 'x'.repeat(256), index: -1 }), 'values must be an array'],
    ['255 values', changed({ values: ONE.slice(1), index: -1 }), 'exactly 256'],
    ['257 values', changed({ values: [...ONE, 1] }), 'exactly 256'],
    ['a value of 0', changed({ values: [...ONE.slice(1), 0], index: -1 }), '1 and -1'],
    ['a value of true', changed({ values: [...ONE.slice(1), true] }), '1 and -1'],
    ['a value as text', changed({ values: [...ONE.slice(1), '1'] }), '1 and -1'],
    ['an index below 0, before the start', changed({ index: -1, start: -1 }), 'index'],
    ['half an index', changed({ index: 0.5 }), 'index'],
    ['no index', changed({ index: undefined }), 'index'],
    ['a start below 0', changed({ start: -1 }), 'start'],
    ['no words', changed({ words: 0 }), 'words'],
    [
      'a bad index of a later chunk, before the start of an earlier one',
      body({
        chunks: [
          { ...chunk, start: -1 },
          { ...chunk, index: -1 },
        ],
      }),
      'chunks.1.index',
    ],
  ])('refuses %s', async (_, sent, named) => {
    const refused = await post(REGISTER, sent, await caller())
    expectRefusal(refused, 'invalid_request')
    expect((refused.body as { message: string }).message).toContain(named)
  })

  it('refuses more than 5,000 chunks, whatever they are and however few words', async () => {
    const by = await caller()
    for (const members of [{ chunks: LONG }, { chunks: LONG.map(() => null), word_count: 1 }])
      expectRefusal(await register(by, body(members)), 'too many chunks')
    expectRefusal(await register(by, body({ chunks: LONG, asset_id: 'x' })), 'invalid_request')
  })

  it.each([
    [{ text: 'a' }, 'text'],
    [{ title: null }, 'title'],
    [{ body: '' }, 'body'],
    [{ content: [] }, 'content'],
    [{ content: 'x', body: 'y', title: 'z', text: 0 }, 'text'],
    [{ content: 'x', body: 'y', asset_id: 'wrong' }, 'body'],
  ])('refuses prose by its key alone: %j', async (members, named) => {
    const refused = await register(await caller(), body(members))
    expectRefusal(refused, 'prose_rejected')
    const { message } = refused.body as { message: string }
    expect(message).toBe(`${named} is not accepted; fingerprint it on the device and send vectors`)
  })

  it('tells a caller without a credential nothing about the body', async () => {
    for (const sent of [body({ text: 'a' }), '{', body({ chunks: LONG })])
      expectRefusal(await post(REGISTER, sent), 'unauthorized')
    const other = { assertion: async () => (await caller()).assertion('chain') }
    expectRefusal(await post(REGISTER, body({ text: 'a' }), other), 'wrong_audience')
  })

  it('is refused without an index only after everything that is wrong with the body', async () => {
    const by = await caller()
    const replaced = { VECTOR_INDEX: undefined }
    expectRefusal(await register(by, body(), { replaced }), 'text index not provisioned')
    expectRefusal(await register(by, body({ text: '' }), { replaced }), 'prose_rejected')
    expectRefusal(await register(by, changed({ words: -1 }), { replaced }), 'invalid_request')
    expect(await units(by)).toEqual({ used: 0, reserved: 0 })
  })
})
