import { Client } from '@svc/client'
import { Person } from '@svc/platform/callers/person'
import type { LoadRequest } from '@svc/platform/callers/send'
import { withFloor } from '../figures/floor.ts'
import { freshFetch } from '../figures/fresh-fetch.ts'
import { runtimeMs } from '../figures/processor-time.ts'
import { type DatabaseServer, urlOf } from './databases.ts'
import { Peer, type PeerRequest, requestsTo } from './peer.ts'
import { compare, figure, rateOf, ratioOf } from './rounds.ts'
import { type Lines, line, type Scene } from './scene.ts'
import { taken } from './taken.ts'

const ROUNDS = 5
const PER_ROUND = 128

/** As in `scripts/bench reads`. The answer has the block with its signature and key. */
const GENESIS_FLOOR = { objectCalls: 1, stored: 8_000, verifications: 1, isNewObject: true } as const
const GENESIS_FLOOR_WORDS =
  'the floor is a Worker that verifies one signature and commits 8,000 bytes in a new object, and nothing else'
const GENESIS_ANSWER = { status: 200, body: Buffer.alloc(8_000) }

/** did-plc/server on PostgreSQL: creating, updating and resolving a DID. */
export async function compareIdentities({ platform, programs, postgres }: Scene): Promise<Lines> {
  if (!postgres) return { rows: [], figures: [], skipped: ['did-plc/server: PostgreSQL is not installed'] }
  const plc = await Peer.start(programs, 'plc')
  try {
    const port = await plc.call<number>('start', { url: urlOf(postgres, 'plc') })
    const their = async (name: string) => requestsTo(port, await plc.call<PeerRequest[]>(name, { count: PER_ROUND }))
    const theirs = (requests: readonly LoadRequest[]) =>
      taken(requests, 200, () => plcMs(plc, postgres), { isRepeated: true })
    const { core, did } = platform.urls
    const people: Person[] = []
    const prepared = () => Promise.all(Array.from({ length: PER_ROUND }, () => Person.prepared(core)))
    const ours = async () => {
      const made = await prepared()
      people.push(...made.map(({ person }) => person))
      return taken(
        made.map(({ genesis }) => genesis),
        200,
        runtimeMs,
      )
    }
    const created = await compare(ROUNDS, { theirs: async () => theirs(await their('create')), ours })
    const overFloor = await withFloor((floor) =>
      compare(ROUNDS, {
        theirs: async () => {
          const requests = (await prepared()).map(({ genesis }, turn) =>
            floor.like(genesis, GENESIS_ANSWER, GENESIS_FLOOR, turn),
          )
          return taken(requests, 200, runtimeMs)
        },
        ours,
      }),
    )
    const appenders = people.slice(0, PER_ROUND)
    const updated = await compare(ROUNDS, {
      theirs: async () => theirs(await their('update')),
      ours: async () => taken(await Promise.all(appenders.map((person) => person.append())), 201, runtimeMs),
    })
    for (const { identity } of appenders)
      await new Client({ core, did, identity, origin: 'http://localhost:3000', fetch: freshFetch }).did.register()
    const slowest = { theirs: [] as number[], ours: [] as number[] }
    const resolved = await compare(ROUNDS, {
      theirs: async () => {
        const take = await theirs(await their('resolve'))
        slowest.theirs.push(take.p99)
        return take
      },
      ours: async () => {
        const requests = appenders.map(({ identity }) => resolution(did, identity.did))
        const take = await taken(requests, 200, runtimeMs)
        slowest.ours.push(take.p99)
        return take
      },
    })
    // The first of each is warm-up.
    const p99 = ratioOf(slowest.ours.slice(1).map((ms, i) => ms / (slowest.theirs[i + 1] ?? Number.NaN)))
    const signed = 'secp256k1 against ML-DSA-65; theirs answers some writes at once with 500, which are sent again'
    return {
      skipped: [],
      rows: [
        line('did-plc/server: create', created, signed),
        line('a genesis against its floor', overFloor, GENESIS_FLOOR_WORDS),
        line('did-plc/server: update', updated, `${signed}; ours verifies and spends an assertion too`),
        line('did-plc/server: resolve', resolved, 'ours signs the answer'),
      ],
      figures: [
        ...figure(
          'genesis / plc create, rate',
          created.rate,
          { limit: 1, good: 'at least' },
          `the floor of a genesis does ${rateOf(overFloor.theirs)}`,
        ),
        ...figure('append / plc update, rate', updated.rate, { limit: 1.5, good: 'at least' }, ''),
        ...figure('append / plc update, processor time', updated.processor, { limit: 0.6, good: 'at most' }, ''),
        ...figure('resolution / plc resolve, rate', resolved.rate, { limit: 2, good: 'at least' }, ''),
        ...figure('resolution / plc resolve, p99', p99, { limit: 1, good: 'at most' }, ''),
      ],
    }
  } finally {
    plc.stop()
  }
}

const plcMs = (plc: Peer, postgres: DatabaseServer) => plc.processorMs + postgres.processorMs()

const resolution = (did: string, subject: string): LoadRequest => ({
  method: 'GET',
  url: `${did}/1.0/identifiers/${subject}`,
})
