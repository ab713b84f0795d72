import { hashHex } from '@svc/protocol/base/hash'
import { describe, expect, it } from 'vitest'
import { fetchOf } from '../../test/fetch.ts'
import { REALM } from '../../test/realm.ts'
import { Identity } from '../identity/identity.ts'
import { Transport } from '../transport/transport.ts'
import { Similarity } from './similarity.ts'
import { textAssetIdOf } from './text-asset-id.ts'

const PROVENANCE = 'https://provenance.test'
const alice = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) })
const WORDS = ['quagmire', 'zeppelin', 'marzipan', 'labyrinth', 'umbrella', 'porcelain', 'wheelwright', 'cinnamon']
const textOf = (words: number) =>
  Array.from(
    { length: words },
    (_, i) => WORDS[(i * 5 + (i >> 3)) % WORDS.length] + 'qx'.repeat(i % 7) + i.toString(36),
  ).join(' ')

const ASSERTION = /ServiceAssertion [\w.-]+/

/** Provenance as it answers one thing, and everything that went over the wire. */
function wired(
  answer: (request: Request, body: string) => Response | Promise<Response>,
  owner: Identity | null = alice,
) {
  const wire: { url: string; headers: string; body: string }[] = []
  const fetch = async (request: Request) => {
    const body = await request.clone().text()
    wire.push({ url: request.url, headers: JSON.stringify([...request.headers]), body })
    return answer(request, body)
  }
  const transport = new Transport(
    { realm: REALM, fetch: fetchOf(fetch), now: () => 1_790_000_000_000 },
    owner ?? undefined,
  )
  return { similarity: new Similarity(transport, PROVENANCE, owner !== null), wire }
}
const data = (value: unknown) => Response.json({ success: true, data: value, timestamp: 1, requestId: 'x' })
const NOTHING = { matches: [], count: 0, searched: 1 }
const accepted = (_: Request, body: string) => {
  const { asset_id, chunks, word_count } = JSON.parse(body) as { asset_id: string; chunks: []; word_count: number }
  return Response.json({ asset_id, chunk_count: chunks.length, word_count, duplicate: false, registered_at_ms: 1 })
}

describe('a text', () => {
  it('goes over the wire as vectors, counts and places, with no word of it anywhere', async () => {
    const text = textOf(400)
    const { similarity, wire } = wired(accepted)
    await similarity.registerText(text)
    const searching = wired(() => data(NOTHING))
    await searching.similarity.searchText(text)
    const [registration, query] = [wire[0], searching.wire[0]]
    expect([registration?.url, query?.url]).toEqual([`${PROVENANCE}/api/register/text`, `${PROVENANCE}/api/query/text`])
    const all = [...wire, ...searching.wire]
    expect(all.every(({ headers }) => ASSERTION.test(headers))).toBe(true)
    // An assertion is random characters, among which a word can be by chance.
    const told = all.map(({ headers, ...rest }) => ({ ...rest, headers: headers.replace(ASSERTION, '') }))
    const everything = JSON.stringify(told).toLowerCase()
    for (const word of WORDS) expect(everything).not.toContain(word.slice(0, 5))
    const sent = JSON.parse(registration?.body ?? '') as { chunks: Record<string, unknown>[] }
    expect(Object.keys(sent)).toEqual(['asset_id', 'word_count', 'chunks'])
    for (const chunk of sent.chunks) expect(Object.keys(chunk)).toEqual(['index', 'values', 'start', 'words'])
    expect(Object.keys(JSON.parse(query?.body ?? '') as object)).toEqual(['vectors', 'word_count', 'chunk_count'])
    // Nothing but digits, signs and the names above.
    expect(
      `${registration?.body}${query?.body}`.replaceAll(
        /"(asset_id|word_count|chunks|index|values|start|words|vectors|chunk_count)":|"text-[0-9a-f]{32}"/g,
        '',
      ),
    ).toMatch(/^[-0-9,{}[\]]+$/)
  })

  it('has the same id for everybody, and another when it is another text', async () => {
    const [first, second] = [wired(accepted), wired(accepted)]
    const { asset_id } = await first.similarity.registerText(textOf(60))
    expect(asset_id).toMatch(/^text-[0-9a-f]{32}$/)
    expect((await second.similarity.registerText(textOf(60).toUpperCase())).asset_id).toBe(asset_id)
    expect((await second.similarity.registerText(textOf(90))).asset_id).not.toBe(asset_id)
    const own = `text-${'0'.repeat(32)}`
    expect((await second.similarity.registerText(textOf(60), { assetId: own })).asset_id).toBe(own)
  })

  it('keeps its id from version to version', () => {
    const values = Array.from({ length: 256 }, (_, i) => (i % 3 === 0 ? 1 : -1))
    expect(textAssetIdOf({ chunks: [{ values, wordStart: 0, wordEnd: 9 }], wordCount: 9 })).toBe(
      'text-2121b8a45a152a51ac0c373b9b31643d',
    )
  })

  it('is not believed to be registered when another one was', async () => {
    const other = {
      asset_id: `text-${'0'.repeat(32)}`,
      chunk_count: 1,
      word_count: 60,
      duplicate: true,
      registered_at_ms: 1,
    }
    const registers = (answer: object) => wired(() => Response.json(answer)).similarity.registerText(textOf(60))
    await expect(registers(other)).rejects.toThrow('a different text')
    const { asset_id, chunk_count } = await wired(accepted).similarity.registerText(textOf(60))
    const same = { ...other, asset_id, chunk_count }
    expect(await registers(same)).toEqual(same)
    await expect(registers({ ...same, chunk_count: 2 })).rejects.toThrow('a different text')
    await expect(registers({ ...same, word_count: 61 })).rejects.toThrow('a different text')
  })

  it('has an id that covers its counts and places', () => {
    const values = Array.from({ length: 256 }, () => 1 as const)
    const idOf = (wordStart: number, wordEnd: number, wordCount: number) =>
      textAssetIdOf({ chunks: [{ values, wordStart, wordEnd }], wordCount })
    expect(new Set([idOf(0, 9, 9), idOf(1, 9, 9), idOf(0, 8, 9), idOf(0, 9, 10)]).size).toBe(4)
  })

  it('is not sent when it is too short', async () => {
    const { similarity, wire } = wired(accepted)
    await expect(similarity.registerText('four words are few')).rejects.toThrow(RangeError)
    await expect(similarity.searchText('')).rejects.toThrow(RangeError)
    expect(wire).toEqual([])
  })

  it('of more than a hundred chunks is searched for by a hundred, from its first to its last', async () => {
    const { similarity, wire } = wired(() => data(NOTHING))
    await similarity.searchText(textOf(4_000))
    const { vectors, chunk_count } = JSON.parse(wire[0]?.body ?? '') as { vectors: unknown[]; chunk_count: number }
    expect(chunk_count).toBeGreaterThan(100)
    expect(vectors).toHaveLength(100)
    expect(new Set(vectors.map((vector) => JSON.stringify(vector))).size).toBeGreaterThan(90)
  })
})

describe('a search', () => {
  it('shows an assertion for provenance when there is an identity, and none when not', async () => {
    const paths = {
      semantic: 'semantic',
      fragment: 'fragment',
      video: 'video',
      'video-fragment': 'video/fragment',
    } as const
    for (const owner of [alice, null]) {
      const { similarity, wire } = wired(() => data(NOTHING), owner)
      for (const kind of ['semantic', 'fragment', 'video', 'video-fragment'] as const)
        await similarity.search(kind, [Array<number>(256).fill(1)], { limit: 3 })
      expect(wire.map(({ url }) => url)).toEqual(Object.values(paths).map((path) => `${PROVENANCE}/api/search/${path}`))
      for (const { headers, body } of wire) {
        expect(headers.includes('ServiceAssertion')).toBe(owner !== null)
        expect(JSON.parse(body)).toMatchObject({ limit: 3 })
      }
    }
  })
})

describe('a file', () => {
  const blob = new Uint8Array([1, 2, 3])
  const hash = hashHex(blob)

  it('is what its hash says, or is not taken', async () => {
    const good = wired(() => new Response(blob))
    expect(await good.similarity.keypoints(hash)).toEqual(blob)
    expect(await good.similarity.model({ file: 'm.onnx', bytes: 3, sha3_384: hash })).toEqual(blob)
    expect(good.wire.map(({ url }) => url)).toEqual([
      `${PROVENANCE}/keypoints/${hash}.akpb`,
      `${PROVENANCE}/models/m.onnx`,
    ])
    const bad = wired(() => new Response(new Uint8Array([1, 2, 4])))
    await expect(bad.similarity.keypoints(hash)).rejects.toThrow('does not match its hash')
    await expect(bad.similarity.model({ file: 'm.onnx', bytes: 3, sha3_384: hash })).rejects.toThrow(
      'does not match its hash',
    )
  })

  it('is uploaded under its hash, and another that was kept is a fault', async () => {
    const kept = { hash, path: `/keypoints/${hash}.akpb`, bytes: 3, duplicate: false }
    const { similarity, wire } = wired(() => data(kept))
    expect(await similarity.uploadKeypoints(blob)).toEqual(kept)
    expect(wire[0]?.url).toBe(`${PROVENANCE}/api/keypoints/upload?hash=${hash}`)
    const other = wired(() => data({ ...kept, hash: '0'.repeat(96) }))
    await expect(other.similarity.uploadKeypoints(blob)).rejects.toThrow('a different blob')
  })
})
