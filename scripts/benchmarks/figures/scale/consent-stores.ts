import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { Figure } from '../figure.ts'
import { median } from '../load.ts'
import { runtimeWorker } from '../runtime-worker.ts'

const SMALL = 10_000
/** A call fills so many: it ends well before a request has to. */
const FILLED = 100_000
const ACTS = 400
const RECORDS = 200_000
const BATCH = 10_000
const ROUNDS = 9
/** As many as there are, and fewer. */
const STORES = [64, 8, 1] as const

type Ask = (path: string) => Promise<number>

/** Objects of consent in a Worker that calls only them: no cache, no authority, no limits. */
export async function measureConsentStores(acts: number): Promise<Figure[]> {
  return [await withWorker((ask) => measureRows(ask, acts)), ...(await withWorker(measureStores))]
}

/** Counted, so that a busy machine changes nothing. */
async function measureRows(ask: Ask, acts: number): Promise<Figure> {
  const rows = new Map<number, number>()
  let filled = 0
  for (const size of [SMALL, acts]) {
    for (; filled < size; filled = Math.min(filled + FILLED, size)) {
      await ask(`fill?from=${filled}&to=${Math.min(filled + FILLED, size)}`)
    }
    rows.set(size, (await ask(`rows?from=${size - ACTS}&count=${ACTS}`)) / ACTS)
  }
  const [small, large] = [rows.get(SMALL) ?? 0, rows.get(acts) ?? 0]
  return {
    name: `rows written for an act of consent, after ${acts} acts / ${SMALL}`,
    ratio: large / small,
    bar: { limit: 1, good: 'at most' },
    detail: `${large.toFixed(2)} / ${small.toFixed(2)} rows of ${ACTS} acts, every second one new`,
  }
}

/** The same records and the same batch, in the 64 stores, in eight and in one. */
async function measureStores(ask: Ask): Promise<Figure[]> {
  const times = new Map(STORES.map((stores) => [stores, [] as number[]]))
  for (const stores of STORES) await ask(`place?records=${RECORDS}&stores=${stores}`)
  for (let round = 0; round <= ROUNDS; round++) {
    for (const stores of STORES) {
      const startedAt = performance.now()
      const found = await ask(`batch?size=${BATCH}&step=${RECORDS / BATCH}&stores=${stores}`)
      if (found !== BATCH) throw new Error(`${found} of ${BATCH} were found`)
      if (round > 0) times.get(stores)?.push(performance.now() - startedAt) // The first is a warm-up.
    }
  }
  const [all = 0, eight = 0, one = 0] = STORES.map((stores) => median(times.get(stores) ?? []))
  return [
    { stores: 8, time: eight },
    { stores: 1, time: one },
  ].map(({ stores, time }) => ({
    name: `batch of ${BATCH} over ${RECORDS} records, 64 stores / ${stores}`,
    ratio: all / time,
    bar: { limit: 1.5, good: 'at most' },
    detail: `${all.toFixed(0)} ms / ${time.toFixed(0)} ms, median of ${ROUNDS}`,
  }))
}

async function withWorker<T>(measure: (ask: Ask) => Promise<T>): Promise<T> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...(await runtimeWorker('benchmarks/runtime/consent/store-worker.ts', 'consent')),
      durableObjects: {
        CONSENT_STORES: { className: 'ConsentStoreObject', useSQLite: true },
        CONSENT_CREATORS: { className: 'ConsentCreatorObject', useSQLite: true },
      },
      r2Buckets: ['BLOBS'],
      cf: false,
    }),
  )
  try {
    const { origin } = await miniflare.ready
    return await measure(async (path) => {
      const response = await fetch(`${origin}/${path}`)
      const text = await response.text()
      if (!response.ok) throw new Error(`${path}: ${text}`)
      return Number(text)
    })
  } finally {
    await miniflare.dispose()
  }
}
