import type { Figure } from './figure.ts'
import { median, sendAll } from './load.ts'
import { Person } from './people.ts'

const CONCURRENCY = 16
const ROUNDS = 12
const PER_ROUND = 200

/** An authenticated head read against the unauthenticated root read of the same object, in alternating rounds. */
export async function measureReads(core: string): Promise<Figure[]> {
  const person = await Person.create(core)
  const heads: number[] = []
  const roots: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const headReads = await Promise.all(Array.from({ length: PER_ROUND }, () => person.read('/api/chain/head')))
    const rootReads = Array.from({ length: PER_ROUND }, () => person.rootRead)
    const root = await sendAll(rootReads, CONCURRENCY, 200)
    const head = await sendAll(headReads, CONCURRENCY, 200)
    if (round === 0) continue // warms both up
    roots.push(...root.map(({ milliseconds }) => milliseconds))
    heads.push(...head.map(({ milliseconds }) => milliseconds))
  }
  const [head, root] = [median(heads), median(roots)]
  return [
    {
      name: 'authenticated head read / unauthenticated root read, p50',
      ratio: head / root,
      bar: { limit: 2, good: 'at most' },
      detail: `${head.toFixed(2)} ms / ${root.toFixed(2)} ms at concurrency ${CONCURRENCY}, ${heads.length} each`,
    },
  ]
}
