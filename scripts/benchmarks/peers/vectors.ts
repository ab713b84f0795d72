import { median } from '../figures/load.ts'
import { editedQueries, indexWorker, PACKED, putAll, QUERIES, randomVectors } from '../figures/search.ts'
import { Peer } from './peer.ts'
import { ratioOf } from './rounds.ts'
import { type Lines, type Scene, shown } from './scene.ts'

const ROUNDS = 5
const SETS = 20
const OF_A_SET = 5_000
const MAX_DISTANCE = 76

/** usearch: the nearest of 100,000 vectors of 256 bits. */
export async function compareVectors({ programs }: Scene): Promise<Lines> {
  const all = randomVectors(SETS * OF_A_SET, 1)
  const sources = Array.from({ length: QUERIES }, (_, query) => query * Math.floor((SETS * OF_A_SET) / QUERIES))
  const queries = editedQueries(all, sources)
  const usearch = await Peer.start(programs, 'vectors')
  const miniflare = await indexWorker()
  try {
    await usearch.call('start', { vectorsB64: Buffer.from(all).toString('base64') })
    const url = (await miniflare.ready).href.replace(/\/$/, '')
    await putAll(url, all, OF_A_SET)
    const queriesB64 = Buffer.from(queries).toString('base64')
    const times = { theirs: [] as number[], ours: [] as number[] }
    const recalls = { theirs: 0, ours: 0 }
    for (let round = 0; round <= ROUNDS; round++) {
      const theirs = await usearch.call<{ found: number[][]; milliseconds: number }>('search', { queriesB64 })
      const startedAt = performance.now()
      const response = await fetch(`${url}/nearest?maxDistance=${MAX_DISTANCE}`, { method: 'POST', body: queries })
      const ours = (await response.json()) as { readonly set: number; readonly place: number }[][]
      const milliseconds = performance.now() - startedAt
      if (round === 0) continue // Warm-up.
      times.theirs.push(theirs.milliseconds)
      times.ours.push(milliseconds)
      recalls.theirs = shareOf(sources, theirs.found)
      recalls.ours = shareOf(
        sources,
        ours.map((found) => found.map(({ set, place }) => (set - 1) * OF_A_SET + place)),
      )
    }
    const ratio = ratioOf(times.ours.map((ms, i) => ms / (times.theirs[i] ?? Number.NaN)))
    const cell = (side: 'theirs' | 'ours') => `${median(times[side]).toFixed(1)} ms, recall ${recalls[side].toFixed(2)}`
    const unequal = 'a query is a random vector with up to 76 bits changed; ours is exact, with a call to its object'
    const name = `usearch HNSW: ${QUERIES} queries among ${SETS * OF_A_SET} vectors of ${PACKED * 8} bits`
    return {
      skipped: [],
      figures: [],
      rows: [[name, cell('theirs'), cell('ours'), `${shown(ratio)} time`, unequal]],
    }
  } finally {
    usearch.stop()
    await miniflare.dispose()
  }
}

/** The share of queries that find the vector from which they were made. */
function shareOf(sources: readonly number[], found: readonly (readonly number[])[]): number {
  return sources.filter((source, query) => found[query]?.includes(source)).length / sources.length
}
