import { Client } from '@svc/client'
import { Person } from '@svc/platform/callers/person'
import { freshFetch } from '../figures/fresh-fetch.ts'
import { runtimeMs } from '../figures/processor-time.ts'
import { type DatabaseServer, urlOf } from './databases.ts'
import { Peer } from './peer.ts'
import { type Compared, compare, figure, type Take } from './rounds.ts'
import { type Lines, line, type Scene } from './scene.ts'
import { timed } from './taken.ts'

const ROUNDS = 5
const LEASES = 40
const LEASED = 100
/** Of each lease: the others go back. */
const SPENT = 90
const CONCURRENCY = 16
const COUNT = LEASES * SPENT

/** rate-limiter-flexible on PostgreSQL and on Redis, against uses under a lease. */
export async function compareLimits({ platform, programs, postgres, redis }: Scene): Promise<Lines> {
  const skipped: string[] = []
  const rows: Lines['rows'][number][] = []
  const figures: Lines['figures'][number][] = []
  const ours = () => leasedUses(platform.urls)
  if (postgres) {
    const compared = await withLimiter(programs, 'postgres', { url: urlOf(postgres, 'limits') }, postgres, ours)
    rows.push(line('rate-limiter-flexible on PostgreSQL: consume', compared, UNEQUAL))
    figures.push(
      ...figure(
        'leased use / rate-limiter-flexible on PostgreSQL, rate',
        compared.rate,
        { limit: 1, good: 'at least' },
        '',
      ),
    )
  } else skipped.push('rate-limiter-flexible on PostgreSQL: PostgreSQL is not installed')
  if (redis) {
    const compared = await withLimiter(programs, 'redis', { port: redis.port }, redis, ours)
    rows.push(line('rate-limiter-flexible on Redis: consume', compared, `${UNEQUAL}; theirs may lose a second`))
  } else skipped.push('rate-limiter-flexible on Redis: Redis is not installed')
  return { rows, figures, skipped }
}

const UNEQUAL = `ours takes ${LEASED} units by one signed request and settles; theirs asks for each, unsigned`

async function withLimiter(
  programs: string,
  store: 'postgres' | 'redis',
  place: object,
  server: DatabaseServer,
  ours: () => Promise<Take>,
): Promise<Compared> {
  const limiter = await Peer.start(programs, 'limits')
  try {
    await limiter.call(store, place)
    return await compare(ROUNDS, {
      ours,
      theirs: async () => {
        const spent = () => limiter.processorMs + server.processorMs()
        const before = spent()
        const milliseconds = await limiter.call<number>('consume', { count: COUNT, concurrency: CONCURRENCY })
        return { count: COUNT, milliseconds, processorMs: spent() - before }
      },
    })
  } finally {
    limiter.stop()
  }
}

/** Clients that have used the service before, as the peer's has; what they take, spend and give back is what counts. */
async function leasedUses({ core, did, pay }: Scene['platform']['urls']): Promise<Take> {
  const clients: Client[] = []
  const { discovery } = await Client.connect({ core })
  const options = { core, did, pay, fetch: freshFetch, ...(discovery && { discovery }) }
  for (let i = 0; i < LEASES; i++) {
    const { identity } = await Person.create(core)
    const client = new Client({ ...options, identity })
    await client.quota.consume('text')
    clients.push(client)
  }
  let spent = 0
  const worker = async () => {
    for (let client = clients.pop(); client; client = clients.pop()) {
      const lease = await client.quota.lease('search', LEASED)
      for (let i = 0; i < SPENT; i++) if (lease.spend()) spent += 1
      await lease.settle()
    }
  }
  const take = await timed(COUNT, runtimeMs, () => Promise.all(Array.from({ length: CONCURRENCY }, worker)))
  if (spent !== COUNT) throw new Error(`${spent} units were spent instead of ${COUNT}`)
  return take
}
