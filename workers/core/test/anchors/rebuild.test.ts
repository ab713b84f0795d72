import { env } from 'cloudflare:workers'
import type { TestCaller } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshCaller } from '../harness.ts'
import { freshRoot, LOG, log, publicationOf, reader, rebuildIndex, report, sizeOf } from './anchors.fixture.ts'

/** What everybody reads, as text. */
async function answers(anchorIds: readonly string[], owner: string): Promise<string> {
  const read = await Promise.all([
    reader().page(),
    reader().page({ attestations: 'omit' }),
    reader().page({ owner }),
    reader().page({ status: 'confirmed' }),
    ...anchorIds.map((anchorId) => reader().read(anchorId)),
    ...anchorIds.map(async (anchorId) => (await reader().bundle(anchorId)).record),
    reader()
      .stateProof()
      .then(({ root, leaves, anchors }) => [root, leaves, anchors]),
  ])
  return JSON.stringify(read)
}

const empty = async () => {
  for (const table of ['anchors', 'anchor_logs', 'anchor_publications', 'anchor_publication_nonces'])
    await env.DB.exec(`DELETE FROM ${table}`)
}

describe('rebuilding the index of anchors', () => {
  const anchorIds: string[] = []
  let owner = ''
  let submitter: TestCaller
  let before = ''

  beforeAll(async () => {
    const [one, other] = [await freshCaller(), await freshCaller()]
    owner = one.identity.did
    submitter = one
    for (const { client } of [one, other, one, one]) {
      const { anchorId } = await client.anchors.submit({ root: freshRoot(), epoch: 'e' })
      anchorIds.push(anchorId)
    }
    const [first = '', second = ''] = anchorIds
    await report(await publicationOf(first))
    await report(await publicationOf(second, { tx: '0xdef' }))
    await report(await publicationOf(second, { tx: '0xdef', state: 'confirmed' }))
    before = await answers(anchorIds, owner)
  })

  it('of an empty database gives the same answers', async () => {
    await empty()
    expect((await reader().page()).count).toBe(0)
    expect(await rebuildIndex()).toMatchObject({ status: 200 })
    expect(await answers(anchorIds, owner)).toBe(before)
  })

  it('goes on in parts, repeats without an effect, and leaves what is there', async () => {
    await env.DB.exec('DELETE FROM anchors WHERE idx > 1')
    for (const from of [3, 0, 1, 3, 2, 4]) expect((await rebuildIndex({ from, to: from + 1 })).status).toBe(200)
    expect(await answers(anchorIds, owner)).toBe(before)
  })

  it('still refuses a nonce that was used before', async () => {
    const [first = '', second = ''] = anchorIds
    const signed = await publicationOf(first, { state: 'confirmed', tx: '0x9' })
    expect((await report(signed)).status).toBe(200)
    await empty()
    await rebuildIndex()
    expect(await report(signed)).toMatchObject({ status: 409, body: { error: 'statement_replay' } })
    const { nonce } = signed.statement
    expect(await report(await publicationOf(second, { nonce }))).toMatchObject({
      status: 409,
      body: { error: 'statement_replay' },
    })
  })

  it.each([
    ['log', { log: `${LOG}x` }, 404],
    ['range beyond the end', { from: 1_000, to: 1_001 }, 404],
    ['range that is empty', { from: 2, to: 2 }, 400],
    ['range that is too long', { from: 0, to: 201 }, 400],
  ] as const)('refuses an unknown or invalid %s', async (_, members, status) => {
    expect((await rebuildIndex(members)).status).toBe(status)
  })

  it('writes nothing that the log has not committed to', async () => {
    const [first = ''] = anchorIds
    const key = `anchors/${first}`
    const body = await (await env.BLOBS.get(key))?.text()
    if (body === undefined) throw new Error('no body')
    const size = await sizeOf()
    // Valid, and not what was logged.
    const { root, epoch } = await reader().read(first)
    const attestations = [await submitter.client.anchors.attest(root, epoch)]
    const changed = JSON.stringify({ ...(JSON.parse(body) as object), attestations })
    await env.DB.exec('DELETE FROM anchors')
    await env.BLOBS.put(key, changed)
    expect(await rebuildIndex()).toMatchObject({ status: 503, body: { error: 'dependency_unavailable' } })
    expect((await reader().page()).count).toBe(0)
    await env.BLOBS.put(key, body)
    expect((await rebuildIndex()).status).toBe(200)
    expect((await log().head(LOG)).size).toBe(size)
  })
})

it('an anchor takes less than 300 bytes of D1 with its index entries', async () => {
  const { client } = await freshCaller()
  await client.anchors.submit({ root: freshRoot(), epoch: '2026-11-26' })
  const size = async () => (await env.DB.prepare('SELECT 1').run()).meta.size_after ?? 0
  const before = await size()
  const rows = 4_000
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO anchors (log_no, idx, anchor_id, owner, root, epoch, created_at, attested_bytes, salt)
     SELECT log_no, 100000 + i, randomblob(24), randomblob(24), randomblob(48), '2026-11-26', 1790000000000, 7100, randomblob(16)
     FROM n, anchor_logs LIMIT ?`,
  )
    .bind(rows, rows)
    .run()
  const each = ((await size()) - before) / rows
  expect(each).toBeGreaterThan(100)
  expect(each).toBeLessThanOrEqual(300)
})
