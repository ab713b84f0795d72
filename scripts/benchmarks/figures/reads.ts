import { Client } from '@svc/client'
import { Person } from '@svc/platform/callers/person'
import type { LoadRequest } from '@svc/platform/callers/send'
import type { Figure } from './figure.ts'
import { type Floor, measureOverFloor, withFloor } from './floor.ts'
import { freshFetch } from './fresh-fetch.ts'
import { median, sendAll } from './load.ts'

const CONCURRENCY = 16
const ROUNDS = 12
const PER_ROUND = 200
/** A nonce with what indexes it, and a block with its signature and key. */
const NONCE_BYTES = 100
const BLOCK_BYTES = 8_000
const APPENDERS = 64

/** The cost of reads, of an append and of a genesis above their floors, and what an assertion adds. */
export async function measureReads(core: string, did: string): Promise<Figure[]> {
  const person = await Person.create(core)
  const headReads = () => Promise.all(Array.from({ length: PER_ROUND }, () => person.read('/api/chain/head')))
  const rootReads = async () => Array.from({ length: PER_ROUND }, () => person.rootRead)
  const common = { concurrency: CONCURRENCY, rounds: ROUNDS }
  const asserted = { objectCalls: 1, stored: NONCE_BYTES, verifications: 1 }
  return withFloor(async (floor) => [
    await measureOverFloor(floor, {
      ...common,
      name: 'authenticated head read',
      floor: asserted,
      limit: 2,
      requests: headReads,
    }),
    await measureOverFloor(floor, {
      ...common,
      name: 'unauthenticated root read',
      floor: { objectCalls: 1 },
      limit: 3,
      requests: rootReads,
    }),
    await measureAppend(core, floor),
    ...(await measureAnchorReads(core, did, floor)),
    await measureAuthentication(person),
    // Last: what new identities keep of themselves is written for a while afterwards.
    await measureGenesis(core, floor),
  ])
}

/** One for each of many identities. */
async function measureAppend(core: string, floor: Floor): Promise<Figure> {
  const people: Person[] = []
  for (let i = 0; i < APPENDERS; i++) people.push(await Person.create(core))
  return measureOverFloor(floor, {
    name: 'append',
    floor: { objectCalls: 1, stored: BLOCK_BYTES, verifications: 2 },
    limit: 2.5,
    concurrency: CONCURRENCY,
    rounds: ROUNDS,
    status: 201,
    requests: () => Promise.all(people.map((person) => person.append())),
  })
}

/** Each in an object of its own, which is a database of its own. */
async function measureGenesis(core: string, floor: Floor): Promise<Figure> {
  const prepared = () => Promise.all(Array.from({ length: APPENDERS }, () => Person.prepared(core)))
  return measureOverFloor(floor, {
    name: 'genesis',
    floor: { objectCalls: 1, stored: BLOCK_BYTES, verifications: 1, isNewObject: true },
    concurrency: CONCURRENCY,
    rounds: ROUNDS,
    requests: async () => (await prepared()).map(({ genesis }) => genesis),
  })
}

/** The bundle of an anchor and the newest checkpoint of its log. */
async function measureAnchorReads(core: string, did: string, floor: Floor): Promise<Figure[]> {
  const { identity } = await Person.create(core)
  const client = new Client({ core, did, identity, fetch: freshFetch })
  const { anchorId } = await client.anchors.submit({ root: 'ab'.repeat(48), epoch: 'bench' })
  while (!(await client.anchors.safeBundle(anchorId)).ok) await new Promise((resolve) => setTimeout(resolve, 200))
  const figure = (name: string, path: string) => {
    const read: LoadRequest = { method: 'GET', url: `${core}/api/anchors/${path}` }
    return measureOverFloor(floor, {
      name,
      floor: { objectCalls: 1 },
      limit: 2.5,
      concurrency: CONCURRENCY,
      rounds: ROUNDS,
      requests: async () => Array.from({ length: PER_ROUND }, () => read),
    })
  }
  return [await figure('bundle of an anchor', `${anchorId}/bundle`), await figure('checkpoint', 'checkpoint')]
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
