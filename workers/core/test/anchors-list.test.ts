import { describe, expect, it } from 'vitest'
import { fill, freshRoot, reader } from './anchors.fixture.ts'
import { anonymous, freshCaller } from './harness.ts'

const indexes = ({ items }: { items: readonly { index: number }[] }) => items.map(({ index }) => index)
const descending = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => from - i)
const list = (query: string) => anonymous('GET', `/api/anchors${query}`)

describe('GET /api/anchors', () => {
  it('is empty before the first anchor', async () => {
    for (const query of ['', '?limit=1', '?cursor=7']) {
      expect(await list(query)).toMatchObject({ status: 200, body: { items: [], count: 0, cursor: null } })
    }
  })

  it('gives records without their attestations, and with them when it is asked, the newest first', async () => {
    const { client } = await freshCaller()
    const first = await client.anchors.submit({ root: freshRoot(), epoch: '1' })
    const second = await client.anchors.submit({ root: freshRoot(), epoch: '2' })
    const bare = (record: typeof first) => {
      const { attestations: _, ...rest } = record
      return rest
    }
    const [bareFirst, bareSecond] = [bare(first), bare(second)]
    expect(await reader().page()).toEqual({ items: [bareSecond, bareFirst], count: 2, cursor: null })
    expect(await reader().page({ attestations: 'omit' })).toEqual(await reader().page())
    const whole = { attestations: 'include' } as const
    expect(await reader().page(whole)).toEqual({ items: [second, first], count: 2, cursor: null })
    expect(await reader().page({ ...whole, limit: 1 })).toEqual({ items: [second], count: 1, cursor: '1' })
    expect(await reader().page({ ...whole, limit: 1, cursor: '1' })).toEqual({ items: [first], count: 1, cursor: null })
  })

  it('pages without a gap or a repetition while anchors come in', async () => {
    await fill(118)
    const seen: number[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Awaited<ReturnType<ReturnType<typeof reader>['page']>> = await reader().page({
        limit: 33,
        ...(cursor === '' ? {} : { cursor }),
      })
      expect(page.count).toBe(page.items.length)
      seen.push(...indexes(page))
      cursor = page.cursor
      await fill(1)
    }
    expect(seen).toEqual(descending(119, 0))
  })

  it('has pages of 100, or of 1 to 500 as it is told', async () => {
    await fill(503)
    const newest = (await reader().page({ limit: 1 })).items[0]!.index
    const pages: [string, number][] = [
      ['', 100],
      ['?limit=0', 1],
      ['?limit=-7', 1],
      ['?limit=1', 1],
      ['?limit=500', 500],
      ['?limit=501', 500],
      ['?limit=999999999999999', 500],
    ]
    for (const [query, count] of pages) {
      const { status, body } = await list(query)
      expect(status).toBe(200)
      expect(body['count']).toBe(count)
      expect(indexes(body as never)).toEqual(descending(newest, newest - count + 1))
      expect(body['cursor']).toBe(String(newest - count + 1))
    }
  })

  it.each(['limit=x', 'limit=1.5', 'limit=', 'limit=1e2', 'cursor=-1', 'cursor=x', 'cursor=', 'order=asc'])(
    'refuses ?%s',
    async (query) => {
      expect(await list(`?${query}`)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    },
  )
})
