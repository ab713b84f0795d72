import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { caller } from '../harness.ts'
import { post } from '../text/text.fixture.ts'
import { act, reindexAct } from '../vectors/reindex.fixture.ts'

/** A vector that is near to no other seed’s, with so many of its first values turned round. */
function vectorOf(seed: number, turned = 0): (1 | -1)[] {
  let state = seed
  return Array.from({ length: 256 }, (_, i) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    const value = state < 0 ? 1 : -1
    return i < turned ? (value === 1 ? -1 : 1) : value
  })
}
const frame = (seed: number, at_ms: number) => ({ at_ms, values: vectorOf(seed) })

let files = 0
/** Registers a capsule of a file that nobody else has. */
async function registered(kind: 'image' | 'video', vectors: object, by?: Awaited<ReturnType<typeof caller>>) {
  const { client } = by ?? (await caller())
  files += 1
  const file = new TextEncoder().encode(`file ${files} ${crypto.randomUUID()}`)
  const signed = await client.provenance.sign(file, { kind, mime: kind === 'image' ? 'image/jpeg' : 'video/mp4' })
  const { assetId, did } = await client.provenance.register(signed, { vectors })
  return { assetId, did, again: () => client.provenance.register(signed, { vectors }) }
}

describe('searching for images and videos', () => {
  it('finds an image as a whole, the likeliest first, however its owner’s others are', async () => {
    const { client } = await caller()
    const near = await registered('image', { semantic: [vectorOf(1, 20)], fragment: [vectorOf(90)] })
    const far = await registered('image', { semantic: [vectorOf(1, 60), vectorOf(91)] })
    await registered('image', { semantic: [vectorOf(1, 90)] })
    const { matches, searched } = await client.provenance.search('semantic', [vectorOf(1)])
    expect(searched).toBe(1)
    expect(matches).toEqual([
      {
        asset_id: near.assetId,
        did: near.did,
        score: 1 - 20 / 256,
        query_containment: 1,
        asset_containment: 1,
        vectors: [{ query: 0, index: 0, distance: 20 }],
      },
      {
        asset_id: far.assetId,
        did: far.did,
        score: 1 - 60 / 256,
        query_containment: 1,
        asset_containment: 0.5,
        vectors: [{ query: 0, index: 0, distance: 60 }],
      },
    ])
    expect((await client.provenance.search('semantic', [vectorOf(1)], { limit: 1 })).matches).toHaveLength(1)
  })

  it('finds an image by its parts, and not in the index of another service', async () => {
    const { client } = await caller()
    const { assetId } = await registered('image', { fragment: [vectorOf(2), vectorOf(3), vectorOf(4)] })
    const [match] = (await client.provenance.search('fragment', [vectorOf(4, 64), vectorOf(92)])).matches
    expect(match).toMatchObject({ asset_id: assetId, score: 0.5, vectors: [{ query: 0, index: 2, distance: 64 }] })
    expect((await client.provenance.search('fragment', [vectorOf(4, 65)])).matches).toEqual([])
    expect((await client.provenance.search('semantic', [vectorOf(2)])).matches).toEqual([])
    expect((await client.provenance.search('video', [vectorOf(2)])).matches).toEqual([])
  })

  it('tells the same video from one that has the clip', async () => {
    const { client } = await caller()
    const clip = [frame(5, 0), frame(6, 1_000)]
    const whole = [...clip, frame(7, 2_000), frame(8, 3_000)]
    const short = await registered('video', { video: clip })
    const long = await registered('video', { video: whole })
    const query = clip.map(({ values }) => values)
    const same = await client.provenance.search('video', query)
    expect(same.matches.map(({ asset_id, score }) => [asset_id, score])).toEqual([
      [short.assetId, 1],
      [long.assetId, 0.5],
    ])
    const within = await client.provenance.search('video-fragment', query.slice(1))
    expect(within.matches.map(({ asset_id, score, vectors }) => [asset_id, score, vectors])).toEqual([
      [short.assetId, 1, [{ query: 0, index: 1, distance: 0, at_ms: 1_000 }]],
      [long.assetId, 1, [{ query: 0, index: 1, distance: 0, at_ms: 1_000 }]],
    ])
  })

  it('finds what its owner registered with it first, and nothing that came later', async () => {
    const by = await caller()
    const { again, assetId } = await registered('image', { semantic: [vectorOf(9)] }, by)
    expect(await again()).toMatchObject({ duplicate: true })
    expect((await by.client.provenance.search('semantic', [vectorOf(9)])).matches).toMatchObject([
      { asset_id: assetId },
    ])
    expect((await act(await reindexAct({ index: 'semantic' }))).status).toBe(200)
    expect((await by.client.provenance.search('semantic', [vectorOf(9)])).count).toBe(1)
  })
})

describe('what is checked of a search', () => {
  const ONE = vectorOf(1)

  it.each(['semantic', 'fragment', 'video', 'video/fragment'])('of %s', async (kind) => {
    const path = `/api/search/${kind}`
    for (const body of [
      {},
      { vectors: [] },
      { vectors: [ONE.slice(1)] },
      { vectors: [ONE], limit: 21 },
      { vectors: [ONE], q: 1 },
    ])
      expectRefusal(await post(path, body), 'invalid_request')
    const most = kind === 'semantic' ? 4 : 100
    expect((await post(path, { vectors: Array(most).fill(ONE) })).status).toBe(200)
    expectRefusal(await post(path, { vectors: Array(most + 1).fill(ONE) }), 'too_many_vectors')
    expectRefusal(
      await post(path, { vectors: [ONE] }, undefined, { replaced: { VECTOR_INDEX: undefined } }),
      'index_not_provisioned',
    )
  })
})
