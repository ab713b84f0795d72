import { fingerprintText, packVector, toTextRegistration } from '@svc/fingerprint'
import type { Platform } from '@svc/platform'
import { Person } from '@svc/platform/callers/person'
import type { LoadRequest } from '@svc/platform/callers/send'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { Figure } from './figure.ts'
import { median, sendAll } from './load.ts'
import { runtimeWorker } from './runtime-worker.ts'

const SETS = 200
const OF_A_SET = 5_000
export const QUERIES = 20
const PASSES = 10
const ROUNDS = 15
const TEXTS = 8
/** Bytes of a vector. */
export const PACKED = 32

/** The exact index against a pass over memory and against a full comparison, and registering a text of 5,000 chunks. */
export async function measureSearch(core: string, _did: string, _pay: string, { urls }: Platform): Promise<Figure[]> {
  return [...(await measureIndex()), await measureRegistration(core, urls.provenance)]
}

async function measureIndex(): Promise<Figure[]> {
  const miniflare = await indexWorker()
  try {
    const url = (await miniflare.ready).href.replace(/\/$/, '')
    const post = async (path: string, body?: Uint8Array<ArrayBuffer>) => {
      const startedAt = performance.now()
      const response = await fetch(url + path, { method: 'POST', ...(body ? { body } : {}) })
      const answer: unknown = await response.json()
      if (!response.ok) throw new Error(`${path} returned ${response.status}`)
      return { answer, milliseconds: performance.now() - startedAt }
    }
    const all = randomVectors(SETS * OF_A_SET, 1)
    await putAll(url, all, OF_A_SET)
    const queries = editedQueries(
      all,
      Array.from({ length: QUERIES }, (_, query) => query * 49_999),
    )
    const times = { pass: [] as number[], query: [] as number[] }
    for (let round = 0; round <= ROUNDS; round++) {
      const [none, passes] = [await post('/pass?times=0'), await post(`/pass?times=${PASSES}`)]
      const query = await post('/nearest?maxDistance=76', queries)
      if (round === 0) continue // Warm-up.
      times.pass.push((passes.milliseconds - none.milliseconds) / PASSES)
      times.query.push(query.milliseconds)
    }
    const found = (await post('/nearest?maxDistance=256', queries)).answer as Found[][]
    const [pass, query] = [median(times.pass), median(times.query)]
    return [
      {
        name: `search: ${QUERIES} vectors among ${(SETS * OF_A_SET) / 1e6} million / a pass over 32 MiB, p50`,
        ratio: query / pass,
        bar: { limit: 25, good: 'at most' },
        detail: `${query.toFixed(1)} ms / ${pass.toFixed(2)} ms in workerd, with the call to the object`,
      },
      {
        name: 'search: recall of the 50 nearest sets against a comparison with every vector',
        ratio: recall(found, all, queries),
        bar: { limit: 1, good: 'at least' },
        detail: `${QUERIES} queries, order and distances included`,
      },
    ]
  } finally {
    await miniflare.dispose()
  }
}

/** Numbers the sets from 1. */
export async function putAll(url: string, all: Uint8Array<ArrayBuffer>, ofASet: number): Promise<void> {
  const bytes = ofASet * PACKED
  for (let set = 0; set * bytes < all.length; set++) {
    const body = all.slice(set * bytes, (set + 1) * bytes)
    const response = await fetch(`${url}/put?set=${set + 1}`, { method: 'POST', body })
    if (!response.ok) throw new Error(`a set was answered with ${response.status}`)
  }
}

export async function indexWorker(): Promise<Miniflare> {
  const worker = await runtimeWorker('benchmarks/runtime/vector-worker.ts', 'provenance')
  return new Miniflare(
    convertV4MiniflareOptions({
      ...worker,
      durableObjects: { VECTOR_INDEX: { className: 'VectorIndexObject', useSQLite: true } },
      cf: false,
    }),
  )
}

interface Found {
  readonly set: number
  readonly place: number
  readonly distance: number
}

/** The share of queries with the same result as a comparison with every vector, which counts bits in another way. */
function recall(found: readonly (readonly Found[])[], all: Uint8Array, queries: Uint8Array): number {
  const words = new Uint32Array(all.buffer)
  let same = 0
  for (let query = 0; query < QUERIES; query++) {
    const own = new Uint32Array(queries.slice(query * PACKED, (query + 1) * PACKED).buffer)
    const best = Array.from({ length: SETS }, (_, i): Found => ({ set: i + 1, place: -1, distance: Infinity }))
    for (let place = 0; place < words.length / 8; place++) {
      let distance = 0
      for (let i = 0; i < 8; i++) distance += BITS[(words[place * 8 + i]! ^ own[i]!) & 0xffff]!
      for (let i = 0; i < 8; i++) distance += BITS[(words[place * 8 + i]! ^ own[i]!) >>> 16]!
      const set = Math.floor(place / OF_A_SET)
      if (distance < best[set]!.distance) best[set] = { set: set + 1, place: place % OF_A_SET, distance }
    }
    const nearest = best.toSorted((one, other) => one.distance - other.distance).slice(0, 50)
    if (JSON.stringify(nearest) === JSON.stringify(found[query])) same += 1
  }
  return same / QUERIES
}

const BITS = Uint8Array.from({ length: 65_536 }, (_, word) => {
  let bits = 0
  for (let rest = word; rest > 0; rest &= rest - 1) bits += 1
  return bits
})

/** Deterministic. */
export function randomVectors(count: number, seed: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(count * 8)
  let state = seed
  for (let i = 0; i < words.length; i++) {
    state = (state + 0x9e37_79b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0_aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a_2d97)
    words[i] = mixed ^ (mixed >>> 15)
  }
  return new Uint8Array(words.buffer)
}

/** Some vectors of the index, with an increasing number of flipped values. */
export function editedQueries(all: Uint8Array, places: readonly number[]): Uint8Array<ArrayBuffer> {
  const queries = new Uint8Array(places.length * PACKED)
  for (const [query, place] of places.entries()) {
    queries.set(all.subarray(place * PACKED, (place + 1) * PACKED), query * PACKED)
    for (let bit = 0; bit < query * 4; bit++) queries[query * PACKED + (bit >> 3)]! ^= 1 << (bit & 7)
  }
  return queries
}

/** Through the service: signature, quota, D1, R2 and the index. */
async function measureRegistration(core: string, provenance: string): Promise<Figure> {
  const text = Array.from({ length: 60 }, (_, i) => `word${i * 7919} and`).join(' ')
  const [chunk] = toTextRegistration(fingerprintText(text)).chunks
  if (!chunk) throw new Error('no chunk')
  const url = `${provenance}/api/register/text`
  const times: number[] = []
  for (let round = 0; round <= TEXTS; round++) {
    // The index keeps one such text for each identity that does not pay.
    const { identity } = await Person.create(core)
    const vectors = randomVectors(OF_A_SET, round + 2)
    const chunks = Array.from({ length: OF_A_SET }, (_, index) => {
      const values = chunk.values.map((_value, i) => ((vectors[index * PACKED + (i >> 3)]! >> (i & 7)) & 1 ? 1 : -1))
      return { index, values, start: index * 20, words: 40 }
    })
    if (packVector(chunks[7]?.values ?? [])[0] !== vectors[7 * PACKED]) throw new Error('packed another way')
    const asset_id = `text-${crypto.randomUUID().replaceAll('-', '')}`
    const body = new TextEncoder().encode(JSON.stringify({ asset_id, word_count: 100_020, chunks }))
    const authorization = await identity.assertion({
      audience: 'provenance',
      method: 'POST',
      url,
      body,
      now: Date.now(),
    })
    const request: LoadRequest = { method: 'POST', url, body, headers: { authorization } }
    const [answer] = await sendAll([request], 1, 200)
    if (round > 0 && answer) times.push(answer.milliseconds) // The first is warm-up.
  }
  const milliseconds = median(times)
  const rate = (OF_A_SET / milliseconds) * 1000
  return {
    name: 'chunks registered in a second / 5000',
    ratio: rate / 5_000,
    bar: { limit: 1, good: 'at least' },
    detail: `${rate.toFixed(0)} per second: a text of ${OF_A_SET} in ${milliseconds.toFixed(0)} ms`,
  }
}
