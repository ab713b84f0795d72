import type { Meter } from '@svc/protocol/pay/quota'
import { coreAnswering } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import committed from '../../openapi.json'
import { freshFile, IMAGE, VIDEO } from '../capsules/capsules.fixture.ts'
import { caller } from '../harness.ts'
import { post, register, registrationOf, textOf } from '../text/text.fixture.ts'

const SEARCHES = [
  '/api/query/text',
  '/api/search/semantic',
  '/api/search/fragment',
  '/api/search/video',
  '/api/search/video/fragment',
]
const vectors = [Array<number>(256).fill(1)]
const search = (path: string, by?: TestCaller, replaced: object = {}) =>
  post(path, path === '/api/query/text' ? { vectors, word_count: 9, chunk_count: 1 } : { vectors }, by, { replaced })

/** What every meter counts. */
async function counted({ client }: TestCaller): Promise<Record<string, number>> {
  const meters: readonly Meter[] = await client.quota.meters()
  return Object.fromEntries(meters.map(({ kind, used, reserved }) => [kind, used + reserved]))
}
const NOTHING = { capsule: 0, video: 0, text: 0, search: 0 }

describe.each(SEARCHES)('a search by %s', (path) => {
  it('moves no meter, and is answered where every meter is used up', async () => {
    const by = await caller()
    expect((await search(path, by)).status).toBe(200)
    expect(await counted(by)).toEqual(NOTHING)
    await by.client.quota.consume('search', { amount: 100 })
    for (let i = 0; i < 20; i++) await register(by, registrationOf(textOf(`${path}${i}`, 30)))
    expect(await counted(by)).toEqual({ ...NOTHING, search: 100, capsule: 20 })
    expect((await search(path, by)).status).toBe(200)
  })

  it('asks pay for nothing, and declares no 402', async () => {
    const asked: string[] = []
    const PAY = coreAnswering(async ({ url }) => {
      asked.push(url)
      return new Response('', { status: 500 })
    })
    expect((await search(path, await caller(), { PAY })).status).toBe(200)
    expect((await search(path, undefined, { PAY })).status).toBe(200)
    expect(asked).toEqual([])
    const paths = committed.paths as unknown as Record<string, { post: { responses: object } }>
    const declared = Object.keys(paths[path]?.post.responses ?? {})
    expect(declared).toContain('200')
    expect(declared).not.toContain('402')
  })
})

describe('one registration', () => {
  it.each<[string, (by: TestCaller) => Promise<unknown>]>([
    ['an image', async ({ client }) => client.provenance.register(await client.provenance.sign(freshFile(), IMAGE))],
    ['a video', async ({ client }) => client.provenance.register(await client.provenance.sign(freshFile(), VIDEO))],
    ['a text of many chunks', async (by) => register(by, registrationOf(textOf(crypto.randomUUID(), 900)))],
  ])('of %s is one unit of the meter capsule, and moves no other', async (_, registers) => {
    const by = await caller()
    await registers(by)
    expect(await counted(by)).toEqual({ ...NOTHING, capsule: 1 })
  })
})
