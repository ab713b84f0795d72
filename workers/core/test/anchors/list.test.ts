import { type AnchorRecord, anchorListSchema } from '@svc/protocol/ledger/anchors'
import { encodeCursor } from '@svc/protocol/merkle/cursor'
import { describe, expect, it } from 'vitest'
import { anonymous, CORE, freshCaller, send } from '../harness.ts'
import { fill, freshRoot, indexOf, reader } from './anchors.fixture.ts'

/** The list without a filter, as its cursors name it. */
const EVERY = ['anchors', null, null, null]
/** Of the length of a real one. */
const attestation = {
  alg: 'ml-dsa-65' as const,
  publicKeyB64u: 'A'.repeat(2_603),
  signatureB64u: 'B'.repeat(4_412),
  signedAt: '2026-11-21T11:59:59.000Z',
}

const indexes = ({ items }: { items: readonly Pick<AnchorRecord, 'position'>[] }) => items.map(indexOf)
const descending = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => from - i)
const list = (query: string) => anonymous('GET', `/api/anchors${query}`)

describe('GET /api/anchors', () => {
  it('is empty before the first anchor', async () => {
    for (const query of ['', '?limit=1', `?cursor=${encodeCursor(EVERY, [1, 7])}`]) {
      expect(await list(query)).toMatchObject({ status: 200, body: { items: [], count: 0, cursor: null } })
    }
  })

  it('returns complete records, newest first, or without attestations on request', async () => {
    const { client } = await freshCaller()
    const first = await client.anchors.submit({ root: freshRoot(), epoch: '1' })
    const second = await client.anchors.submit({ root: freshRoot(), epoch: '2' })
    expect(first.attestations).toHaveLength(1)
    const bare = (record: AnchorRecord) => {
      const { attestations: _, ...rest } = record
      return rest
    }
    expect(await reader().page()).toEqual({ items: [second, first], count: 2, cursor: null })
    expect(await reader().page({ attestations: 'include' })).toEqual(await reader().page())
    const omitted = await reader().page({ attestations: 'omit' })
    expect(omitted).toEqual({ items: [bare(second), bare(first)], count: 2, cursor: null })
    const { cursor, ...page } = await reader().page({ limit: 1 })
    expect(page).toEqual({ items: [second], count: 1 })
    const older = await reader().page({ limit: 1, cursor: cursor ?? '' })
    expect(older).toEqual({ items: [first], count: 1, cursor: null })
    // A cursor is a place in the list, whatever its items have.
    const bareOlder = await reader().page({ limit: 1, attestations: 'omit', cursor: cursor ?? '' })
    expect(bareOlder).toEqual({ items: [bare(first)], count: 1, cursor: null })
  })

  it('ends a page at 1 MiB as it is sent, and goes on after it', async () => {
    const owner = `did:svc:${'B'.repeat(32)}`
    await fill(300, { owner, attestations: [attestation] })
    const text = async (query: string) => {
      const response = await send(new Request(`${CORE}/api/anchors?owner=${owner}${query}`))
      return response.text()
    }
    const sizes: number[] = []
    const seen: number[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const sent = await text(`&limit=500${cursor === '' ? '' : `&cursor=${cursor}`}`)
      const page = anchorListSchema.parse(JSON.parse(sent))
      sizes.push(new TextEncoder().encode(sent).length)
      seen.push(...indexes(page))
      for (const { attestations } of page.items) expect(attestations).toEqual([attestation])
      cursor = page.cursor
    }
    const [newest = 0] = seen
    expect(seen).toEqual(descending(newest, newest - 299))
    expect(sizes).toHaveLength(3)
    const oneRecord = JSON.stringify((await reader().page({ owner, limit: 1 })).items[0]).length
    for (const size of sizes) expect(size).toBeLessThanOrEqual(1_048_576)
    // No page is shorter than it must be, except the last.
    for (const size of sizes.slice(0, -1)) expect(size).toBeGreaterThan(1_048_576 - 1_024 - 2 * oneRecord)
    expect(JSON.parse(await text('&limit=500&attestations=omit'))).toMatchObject({ count: 300, cursor: null })
  })

  it('refuses a parameter that is repeated, and one that it does not know', async () => {
    for (const query of ['?limit=1&limit=3', '?limit=3&limit=3', '?limit=1&limit=x']) {
      expect(await list(query)).toMatchObject({
        status: 400,
        body: { message: 'query.limit: must be sent once', details: { error: 'invalid_request' } },
      })
    }
    expect((await list('?limit=1&window=1')).status).toBe(400)
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
    expect(seen.length).toBeGreaterThanOrEqual(118)
    expect(seen).toEqual(descending(seen[0] ?? 0, 1))
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
    const good = encodeCursor(EVERY, [1, 7])
    const changed = good.slice(0, -1) + (good.endsWith('0') ? '1' : '0')
    for (const cursor of ['7', 'x', encodeCursor('assets', [1, 7]), encodeCursor(EVERY, 7), changed]) {
      expect(await list(`?cursor=${cursor}`)).toMatchObject({ status: 400, body: { error: 'invalid_cursor' } })
    }
    expect((await list(`?cursor=${good}`)).status).toBe(200)
  })

  it.each([
    'limit=x',
    'limit=1.5',
    'limit=',
    'limit=1e2',
    'cursor=-1%20',
    'cursor=',
    'order=asc',
    'attestations=maybe',
    'owner=',
    'owner=did:web:example.org',
    'status=',
    'status=Submitted',
    'status=lost',
    'root=',
    'root=abc',
    `root=${'A'.repeat(96)}`,
  ])('refuses ?%s', async (query) => {
    expect(await list(`?${query}`)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })
})
