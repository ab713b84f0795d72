import { env } from 'cloudflare:workers'
import { type AnchorRecord, anchorListSchema } from '@svc/protocol/ledger/anchors'
import { encodeCursor } from '@svc/protocol/merkle/cursor'
import { describe, expect, it } from 'vitest'
import { databaseWith } from '../database.fixture.ts'
import { anonymous, CORE, freshCaller, send, sendWith } from '../harness.ts'
import { fill, freshRoot, indexOf, publicationOf, reader, report } from './anchors.fixture.ts'

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

describe('GET /api/anchors by owner and by status', () => {
  const ids = ({ items }: { items: readonly Pick<AnchorRecord, 'anchorId'>[] }) => items.map(({ anchorId }) => anchorId)

  /** Three of each of two owners; of each, the first stays submitted, the second is published, the third confirmed. */
  async function anchorsOfTwo() {
    const owners = [await freshCaller(), await freshCaller()]
    const anchors: AnchorRecord[][] = [[], []]
    for (const state of ['submitted', 'published', 'confirmed'] as const) {
      for (const [i, { client }] of owners.entries()) {
        const { anchorId } = await client.anchors.submit({ root: freshRoot(), epoch: 'e' })
        if (state !== 'submitted') await report(await publicationOf(anchorId, { state, tx: `0x${anchorId}` }))
        anchors[i]?.push(await reader().read(anchorId))
      }
    }
    const [mine = [], theirs = []] = anchors
    return { did: owners[0]!.identity.did, mine, theirs }
  }

  it('has the anchors of one owner, whatever their status', async () => {
    const { did, mine } = await anchorsOfTwo()
    const page = await reader().page({ owner: did })
    expect(page).toEqual({ items: mine.toReversed(), count: 3, cursor: null })
    expect(page.items.map(({ status }) => status)).toEqual(['confirmed', 'published', 'submitted'])
    const nobody = await reader().page({ owner: `did:svc:${'C'.repeat(32)}` })
    expect(nobody).toEqual({ items: [], count: 0, cursor: null })
  })

  it('has the anchors of every owner with a status, and of one owner with it', async () => {
    const { did, mine, theirs } = await anchorsOfTwo()
    for (const [i, status] of (['submitted', 'published', 'confirmed'] as const).entries()) {
      const [own, other] = [mine[i]!, theirs[i]!]
      expect(own.status).toBe(status)
      const { items } = await reader().page({ status, limit: 2 })
      expect(items).toEqual([other, own])
      expect(await reader().page({ owner: did, status })).toEqual({ items: [own], count: 1, cursor: null })
    }
  })

  it('moves an anchor to its new status with the report, and never back', async () => {
    const { client, identity } = await freshCaller()
    const { anchorId } = await client.anchors.submit({ root: freshRoot(), epoch: 'e' })
    const listedAs = async () => {
      const listed = []
      for (const status of ['submitted', 'published', 'confirmed'] as const) {
        if (ids(await reader().page({ owner: identity.did, status })).includes(anchorId)) listed.push(status)
      }
      return listed
    }
    expect(await listedAs()).toEqual(['submitted'])
    await report(await publicationOf(anchorId))
    expect(await listedAs()).toEqual(['published'])
    await report(await publicationOf(anchorId, { state: 'confirmed' }))
    expect(await listedAs()).toEqual(['confirmed'])
    await report(await publicationOf(anchorId, { tx: '0xdef' }))
    expect(await listedAs()).toEqual(['confirmed'])
  })

  it('pages through each list without gaps, also while a publisher reports what it has read', async () => {
    const owner = `did:svc:${'D'.repeat(32)}`
    await fill(25, { owner })
    const all = ids(await reader().page({ owner, limit: 500 }))
    const collect = async (filter: object, seen: string[] = []) => {
      for await (const { anchorId } of reader().all(filter)) seen.push(anchorId)
      return seen
    }
    expect(await collect({ owner })).toEqual(all)
    expect(await collect({ owner, status: 'submitted' })).toEqual(all)
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = { owner, status: 'submitted', limit: 10, ...(cursor === '' ? {} : { cursor }) } as const
      const page: Awaited<ReturnType<ReturnType<typeof reader>['page']>> = await reader().page(query)
      for (const anchorId of ids(page)) await report(await publicationOf(anchorId, { tx: `0x${anchorId}` }))
      seen.push(...ids(page))
      cursor = page.cursor
    }
    expect(seen).toEqual(all)
    expect(await collect({ owner, status: 'submitted' })).toEqual([])
    expect(await collect({ owner, status: 'published' })).toEqual(all)
  })

  it('has the anchors of one root, the oldest first, whatever is anchored after it', async () => {
    const root = freshRoot()
    const callers = [await freshCaller(), await freshCaller(), await freshCaller()]
    const anchors: AnchorRecord[] = []
    for (const { client } of callers) {
      anchors.push(await client.anchors.submit({ root, epoch: 'e' }))
      await client.anchors.submit({ root: freshRoot(), epoch: 'e' })
    }
    const [first, second] = anchors
    await report(await publicationOf(second!.anchorId, { tx: '0x1' }))
    expect(ids(await reader().page({ root }))).toEqual(anchors.map(({ anchorId }) => anchorId))
    const { cursor, ...page } = await reader().page({ root, limit: 1 })
    expect(page).toEqual({ items: [first], count: 1 })
    expect(ids(await reader().page({ root, limit: 2, cursor: cursor ?? '' }))).toEqual(ids({ items: anchors.slice(1) }))
    const owner = callers[1]!.identity.did
    expect(ids(await reader().page({ root, owner }))).toEqual([second!.anchorId])
    expect(ids(await reader().page({ root, status: 'published' }))).toEqual([second!.anchorId])
    expect(await reader().page({ root, owner, status: 'submitted' })).toEqual({ items: [], count: 0, cursor: null })
    expect(await reader().page({ root: freshRoot() })).toEqual({ items: [], count: 0, cursor: null })
  })

  it('reads no more for a root than a page, whatever others choose to look like it', async () => {
    const root = freshRoot()
    const like = () => root.slice(0, 16) + freshRoot().slice(16)
    const { client } = await freshCaller()
    for (const _ of [1, 2, 3]) await client.anchors.submit({ root: like(), epoch: 'e' })
    const mine = await client.anchors.submit({ root, epoch: 'e' })
    const first = await reader().page({ root, limit: 2 })
    expect(first.items).toEqual([])
    const second = await reader().page({ root, limit: 2, cursor: first.cursor ?? '' })
    expect(second).toEqual({ items: [mine], count: 1, cursor: null })
    const all: string[] = []
    for await (const { anchorId } of reader().all({ root })) all.push(anchorId)
    expect(all).toEqual([mine.anchorId])
  })

  it('refuses the cursor of another list', async () => {
    const owner = `did:svc:${'E'.repeat(32)}`
    await fill(2, { owner })
    const filters = ['', `&owner=${owner}`, '&status=submitted', `&owner=${owner}&status=submitted`]
    const root = freshRoot()
    for (const _ of [1, 2]) await (await freshCaller()).client.anchors.submit({ root, epoch: 'e' })
    filters.push(`&root=${root}`, `&root=${root}&status=submitted`)
    const cursors = []
    for (const filter of filters) cursors.push(String((await list(`?limit=1${filter}`)).body['cursor']))
    for (const [i, filter] of filters.entries()) {
      for (const [j, cursor] of cursors.entries()) {
        const { status, body } = await list(`?limit=1${filter}&cursor=${cursor}`)
        expect([i, j, status]).toEqual([i, j, i === j ? 200 : 400])
        if (i !== j) expect(body).toMatchObject({ error: 'invalid_cursor' })
      }
    }
  })

  it('reads each page from an index', async () => {
    const owner = `did:svc:${'F'.repeat(32)}`
    await fill(1, { owner })
    const indexOfFilter: [string, string][] = [
      [`?owner=${owner}`, 'anchors_by_owner '],
      ['?status=submitted', 'anchors_by_status '],
      [`?owner=${owner}&status=submitted`, 'anchors_by_owner_and_status '],
      [`?root=${'a'.repeat(96)}&owner=${owner}`, 'anchors_by_root '],
      ['', 'USING PRIMARY KEY'],
    ]
    for (const [query, index] of indexOfFilter) {
      const asked: string[] = []
      const fetch = sendWith(
        databaseWith(async (sql, work) => {
          asked.push(sql)
          return work()
        }),
      )
      expect((await fetch(new Request(`${CORE}/api/anchors${query}`))).status).toBe(200)
      for (const sql of asked) {
        const values = Array.from({ length: new Set(sql.match(/\?[0-9]?/g)).size }, () => null)
        const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
          .bind(...values)
          .all<{ detail: string }>()
        const steps = plan.results.map(({ detail }) => detail)
        expect(
          steps.filter((step) => /^SCAN (?!p |n |json_each)/.test(step)),
          sql,
        ).toEqual([])
        if (sql.includes('FROM anchors ')) {
          expect(steps.join('\n'), sql).toContain(index)
          expect(steps.join('\n'), sql).not.toContain('TEMP B-TREE')
        }
      }
    }
  })
})
