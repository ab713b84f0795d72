import { Person } from '@svc/platform/callers/person'
import type { Figure } from './figure.ts'
import { measureOverFloor, withFloor } from './floor.ts'
import { median, sendAll } from './load.ts'

const CONCURRENCY = 16
const ROUNDS = 12
const PER_ROUND = 200

/** The cost of a read above its floor, and what an assertion adds. */
export async function measureReads(core: string): Promise<Figure[]> {
  const person = await Person.create(core)
  const headReads = () => Promise.all(Array.from({ length: PER_ROUND }, () => person.read('/api/chain/head')))
  const rootReads = async () => Array.from({ length: PER_ROUND }, () => person.rootRead)
  const common = { objectCalls: 1, concurrency: CONCURRENCY, rounds: ROUNDS }
  return withFloor(async (floor) => [
    await measureOverFloor(floor, { ...common, name: 'authenticated head read', limit: 7, requests: headReads }),
    await measureOverFloor(floor, { ...common, name: 'unauthenticated root read', limit: 3, requests: rootReads }),
    await measureAuthentication(person),
  ])
}

/** An authenticated head read against an unauthenticated root read of the same object, in alternating rounds. */
async function measureAuthentication(person: Person): Promise<Figure> {
  const heads: number[] = []
  const roots: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const headReads = await Promise.all(Array.from({ length: PER_ROUND }, () => person.read('/api/chain/head')))
    const rootReads = Array.from({ length: PER_ROUND }, () => person.rootRead)
    const root = await sendAll(rootReads, CONCURRENCY, 200)
    const head = await sendAll(headReads, CONCURRENCY, 200)
    if (round === 0) continue // Warm-up.
    roots.push(...root.map(({ milliseconds }) => milliseconds))
    heads.push(...head.map(({ milliseconds }) => milliseconds))
  }
  const [head, root] = [median(heads), median(roots)]
  return {
    name: 'authenticated head read / unauthenticated root read, p50',
    ratio: head / root,
    detail: `${head.toFixed(2)} ms / ${root.toFixed(2)} ms at concurrency ${CONCURRENCY}, ${heads.length} each`,
  }
}
