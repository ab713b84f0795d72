import type { RegisterCapsule } from '@svc/protocol/provenance/capsules'
import { capsuleHash } from '@svc/protocol/provenance/capsules'
import { describe, expect, it } from 'vitest'
import { fetchOf } from '../../test/fetch.ts'
import { Client } from '../client.ts'
import { Identity } from '../identity/identity.ts'
import { fingerprintImage, registerImage, registerVideo, searchImage, searchVideo, signsOf } from './images.ts'

const NOW = 1_790_000_000_000
const alice = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) })
const FILE = new TextEncoder().encode('canary-of-the-file')

/** Every byte is chance: full of detail, and far from other seeds. */
function noise(seed: number, width: number, height: number) {
  let state = seed
  const byte = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return state >>> 24
  }
  const data = Uint8Array.from({ length: 4 * width * height }, (_, at) => (at % 4 === 3 ? 255 : byte()))
  return { data, width, height }
}
const plain = (width: number, height: number) => ({ data: new Uint8Array(4 * width * height).fill(255), width, height })
const IMAGE = noise(1, 160, 120)

interface Query {
  readonly vectors: number[][]
  readonly limit: number
}

/** Provenance as it answers a search, and registers everything. */
function answering(matches: (query: Query) => unknown[] = () => []) {
  const sent: { path: string; body: Query & RegisterCapsule }[] = []
  const fetch = async (request: Request) => {
    const body: Query & RegisterCapsule = await request.json()
    const path = new URL(request.url).pathname
    sent.push({ path, body })
    const found = path.includes('search') ? matches(body) : []
    const { capsule } = body
    const registered = capsule && {
      assetId: capsule.assetId,
      did: capsule.did,
      kind: capsule.kind,
      capsuleHash: capsuleHash(capsule),
      position: 1,
      registeredAt: NOW,
      duplicate: false,
      chain: null,
    }
    const data = registered ?? { matches: found, count: found.length, searched: body.vectors.length }
    return Response.json({ success: true, data, timestamp: NOW, requestId: 'r' })
  }
  const places = { core: 'https://core.test', did: 'https://did.test', provenance: 'https://provenance.test' }
  const { provenance } = new Client({ ...places, identity: alice, fetch: fetchOf(fetch), now: () => NOW })
  return { sent, provenance }
}
const match = (name: string, vectors: { query: number; distance: number; at_ms?: number }[]) => ({
  asset_id: `asset:sha3-384:${name.repeat(96)}`,
  did: alice.did,
  score: 1,
  query_containment: 1,
  asset_containment: 1,
  vectors: vectors.map((vector) => ({ index: 0, ...vector })),
})

describe('an image', () => {
  it('is registered with its hash as the only vector and as a claim; neither file nor pixels are sent', async () => {
    const { provenance, sent } = answering()
    const { assetId } = await registerImage(provenance, FILE, IMAGE, { mime: 'image/png', capturedAt: 5 })
    const { hex, values } = fingerprintImage(IMAGE)
    expect(sent).toMatchObject([
      {
        path: '/api/register',
        body: {
          capsule: {
            assetId,
            kind: 'image',
            media: { mime: 'image/png', bytes: FILE.length, width: 160, height: 120 },
            perceptual: { algo: 'pdq', hashes: [hex] },
            capturedAt: 5,
          },
          vectors: { fragment: [values] },
        },
      },
    ])
    expect(Object.keys(sent[0]?.body.vectors ?? {})).toEqual(['fragment'])
    expect(JSON.stringify(sent)).not.toContain('canary')
  })

  it('is found by copies, the nearest first and none beyond the distance', async () => {
    const { provenance, sent } = answering(() => [
      match('a', [{ query: 0, distance: 31 }]),
      match('b', [{ query: 0, distance: 32 }]),
      match('c', [{ query: 0, distance: 4 }]),
    ])
    const found = await searchImage(provenance, IMAGE)
    expect(found.map(({ assetId, ...rest }) => [assetId.at(-1), rest])).toEqual([
      ['c', { did: alice.did, distance: 4, orientation: 'original' }],
      ['a', { did: alice.did, distance: 31, orientation: 'original' }],
    ])
    expect(await searchImage(provenance, IMAGE, { maxDistance: 64 })).toHaveLength(3)
    expect(sent[0]).toEqual({
      path: '/api/search/fragment',
      body: { vectors: [fingerprintImage(IMAGE).values], limit: 20 },
    })
  })

  it('is searched for in its eight orientations if asked', async () => {
    const { provenance, sent } = answering(() => [
      match('a', [
        { query: 4, distance: 20 },
        { query: 1, distance: 3 },
      ]),
    ])
    expect(await searchImage(provenance, IMAGE, { orientations: true })).toMatchObject([
      { distance: 3, orientation: 'rotate90' },
    ])
    expect(sent[0]?.body.vectors).toHaveLength(8)
    expect(sent[0]?.body.vectors[0]).toEqual(fingerprintImage(IMAGE).values)
  })

  it('without detail is refused before anything is sent', async () => {
    const { provenance, sent } = answering()
    const flat = plain(100, 100)
    await expect(registerImage(provenance, FILE, flat, { mime: 'image/png' })).rejects.toThrow('quality 0')
    await expect(searchImage(provenance, flat)).rejects.toThrow(RangeError)
    await expect(searchImage(provenance, noise(1, 4, 4), { orientations: true })).rejects.toThrow(RangeError)
    expect(sent).toEqual([])
  })
})

describe('a video', () => {
  const scenes = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ atMs: i * 1000.4, pixels: noise(i + 1, 96, 64) }))

  it('is registered with its frames, at whole milliseconds', async () => {
    const { provenance, sent } = answering()
    const facts = { mime: 'video/mp4', durationMs: 3000 }
    await registerVideo(provenance, FILE, [...scenes(2), { atMs: 2000, pixels: noise(2, 96, 64) }], facts)
    expect(sent[0]?.path).toBe('/api/register/video')
    expect(sent[0]?.body.vectors).toEqual({
      video: [1, 2].map((seed, i) => ({
        at_ms: Math.round(i * 1000.4),
        values: fingerprintImage(noise(seed, 96, 64)).values,
      })),
    })
  })

  it('is searched for as a whole, or as a part of others, with a hundred frames at most', async () => {
    const { provenance, sent } = answering(() => [match('a', [{ query: 1, distance: 7, at_ms: 61_000 }])])
    expect(await searchVideo(provenance, scenes(2))).toMatchObject([
      { score: 1, frames: [{ atMs: 61_000, queryAtMs: 1000.4, distance: 7 }] },
    ])
    await searchVideo(provenance, scenes(110), { clip: true })
    expect(sent.map(({ path, body }) => [path, body.vectors.length])).toEqual([
      ['/api/search/video', 2],
      ['/api/search/video/fragment', 100],
    ])
  })

  it('without detail is refused before anything is sent', async () => {
    const { provenance, sent } = answering()
    const dark = [{ atMs: 0, pixels: plain(96, 64) }]
    await expect(registerVideo(provenance, FILE, dark, { mime: 'video/mp4' })).rejects.toThrow('no frame')
    await expect(searchVideo(provenance, [])).rejects.toThrow(RangeError)
    expect(sent).toEqual([])
  })
})

it('the vector of an embedding is its signs', () => {
  expect(signsOf(Float32Array.from({ length: 256 }, (_, i) => i - 10)).slice(9, 13)).toEqual([-1, -1, 1, 1])
  expect(() => signsOf(new Float32Array(255))).toThrow('256 numbers')
  expect(() => signsOf(Array<number>(256).fill(Number.NaN))).toThrow('numbers only')
})
