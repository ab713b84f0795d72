import { env } from 'cloudflare:workers'
import type { AnchorRecord } from '@svc/protocol/ledger/anchors'
import { describe, expect, it } from 'vitest'
import { databaseWith } from '../database.fixture.ts'
import { anonymous, CORE, freshCaller, sendWith } from '../harness.ts'
import { fill, freshRoot, publicationOf, reader, report } from './anchors.fixture.ts'

const list = (query: string) => anonymous('GET', `/api/anchors${query}`)

describe('GET /api/anchors by owner, status and root', () => {
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
