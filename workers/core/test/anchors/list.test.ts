import type { AnchorRecord } from '@svc/protocol/ledger/anchors'
import { encodeCursor } from '@svc/protocol/merkle/cursor'
import { describe, expect, it } from 'vitest'
import { anonymous, freshCaller } from '../harness.ts'
import { fill, freshRoot, indexOf, reader } from './anchors.fixture.ts'

const indexes = ({ items }: { items: readonly Pick<AnchorRecord, 'position'>[] }) => items.map(indexOf)
const descending = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => from - i)
const list = (query: string) => anonymous('GET', `/api/anchors${query}`)

describe('GET /api/anchors', () => {
  it('is empty before the first anchor', async () => {
    for (const query of ['', '?limit=1', `?cursor=${encodeCursor('anchors', [1, 7])}`]) {
      expect(await list(query)).toMatchObject({ status: 200, body: { items: [], count: 0, cursor: null } })
    }
  })

  it('returns records without attestations unless requested, newest first', async () => {
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
    const { cursor, ...page } = await reader().page({ ...whole, limit: 1 })
    expect(page).toEqual({ items: [second], count: 1 })
    const older = await reader().page({ ...whole, limit: 1, cursor: cursor ?? '' })
    expect(older).toEqual({ items: [first], count: 1, cursor: null })
  })

  it('pages without gaps or repetitions while anchors are added', async () => {
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
    expect(seen).toEqual(descending(120, 1))
  })

  it('has pages of 100 by default, or of 1 to 500 on request', async () => {
    await fill(503)
    const newest = indexOf((await reader().page({ limit: 1 })).items[0]!)
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
      const next = await reader().page({ limit: 1, cursor: String(body['cursor']) })
      expect(indexes(next)).toEqual([newest - count])
    }
  })

  it('refuses a cursor of another list or one that was changed', async () => {
    const good = encodeCursor('anchors', [1, 7])
    const changed = good.slice(0, -1) + (good.endsWith('0') ? '1' : '0')
    for (const cursor of ['7', 'x', encodeCursor('assets', [1, 7]), encodeCursor('anchors', 7), changed]) {
      expect(await list(`?cursor=${cursor}`)).toMatchObject({ status: 400, body: { error: 'invalid_cursor' } })
    }
    expect((await list(`?cursor=${good}`)).status).toBe(200)
  })

  it.each(['limit=x', 'limit=1.5', 'limit=', 'limit=1e2', 'cursor=-1%20', 'cursor=', 'order=asc'])(
    'refuses ?%s',
    async (query) => {
      expect(await list(`?${query}`)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    },
  )
})
