import { setTimeout } from 'node:timers/promises'
import { Client } from '@svc/client'
import { SignIn } from '@svc/client/sign-in'
import type { Platform } from '@svc/platform'
import { Person } from '@svc/platform/callers/person'
import type { Measured } from '../figures/figure.ts'
import { freshFetch } from '../figures/fresh-fetch.ts'
import { sendAll } from '../figures/load.ts'
import { runtimeMs } from '../figures/processor-time.ts'
import { Profiler, type Sample } from './profiler.ts'

const REQUESTS = 200
const CONCURRENCY = 8
const IDLE_MS = 3_000
const LOGINS = 20
const PASSWORD = 'correct horse battery staple'
const NAMES = ['collection', 'hashes', 'signatures', 'schemas', 'requests', 'objects', 'services']

/** What a sample counts as, by its file and then by its function. The first that fits. */
const PARTS: readonly (readonly [part: string, test: (sample: Sample) => boolean])[] = [
  ['collection', ({ functionName }) => functionName === '(garbage collector)'],
  ['hashes', ({ file }) => file !== null && /sha3|sha2|blake|_md|hkdf|hmac|noble-hashes|@noble\+hashes/.test(file)],
  ['signatures', ({ file }) => file !== null && /packages\/pqc|post-quantum|noble\+curves|opaque/.test(file)],
  ['schemas', ({ file }) => file !== null && /\/zod|base64url|jcs|canonical/.test(file)],
  ['requests', ({ file }) => file !== null && /hono|packages\/service/.test(file)],
  ['objects', ({ file }) => file !== null && /packages\/objects|packages\/sql/.test(file)],
  ['services', ({ file }) => file !== null],
]

/**
 * The processor time of five operations, and which part of each Worker’s own code takes it, in percent. Verification, hashes
 * and SQL of the runtime count for the code that calls them.
 */
export async function measureProfiles(core: string, did: string, pay: string, platform: Platform): Promise<Measured> {
  const inspector = await platform.miniflare.getInspectorURL()
  const person = await Person.create(core)
  const { identity } = person
  const client = new Client({ core, did, pay, identity, origin: 'http://localhost:3000', fetch: freshFetch })
  await client.did.register()
  const read = (path: string) => Promise.all(Array.from({ length: REQUESTS }, () => person.read(path)))
  const resolution = { method: 'GET', url: `${did}/1.0/identifiers/${identity.did}` } as const
  const signIn = await accounts(platform)
  const uses = await users(core, pay)
  const rows: string[][] = []
  const row = async (name: string, workers: readonly string[], count: number, work: () => Promise<unknown>) => {
    // The first run compiles.
    await work()
    const profilers = await Promise.all(workers.map((worker) => Profiler.of(worker, inspector)))
    for (const profiler of profilers) await profiler.start()
    // Profiling itself takes time, and so does what the runtime does beside it.
    const rest = await timed(() => setTimeout(IDLE_MS))
    const busy = await timed(work)
    const processor = (busy.processor - (rest.processor / rest.elapsed) * busy.elapsed) / count
    const samples = (await Promise.all(profilers.map((profiler) => profiler.stop()))).flat()
    for (const profiler of profilers) profiler.close()
    rows.push([name, processor.toFixed(2), ...partsOf(samples)])
  }
  const heads = async () => sendAll(await read('/api/chain/head'), CONCURRENCY, 200)
  await row('head', ['svc-core'], REQUESTS, heads)
  await row('append', ['svc-core'], REQUESTS, async () => sendAll(await person.appends(REQUESTS), 1, 201))
  await row('consume', ['svc-pay', 'svc-core'], REQUESTS, uses)
  await row('resolve', ['svc-did', 'svc-core'], REQUESTS, () =>
    sendAll(
      Array.from({ length: REQUESTS }, () => resolution),
      CONCURRENCY,
      200,
    ),
  )
  await row('login', ['svc-auth'], LOGINS, signIn)
  const columns = ['operation', 'processor, ms', ...NAMES]
  return { figures: [], table: { title: 'Where the processor time of a request goes', columns, rows } }
}

async function timed(work: () => Promise<unknown>): Promise<{ readonly processor: number; readonly elapsed: number }> {
  const [startedAt, before] = [performance.now(), runtimeMs()]
  await work()
  return { processor: runtimeMs() - before, elapsed: performance.now() - startedAt }
}

/** Samples without a stack are of a Worker that waits. */
function partsOf(samples: readonly Sample[]): string[] {
  const parts = new Map<string, number>(NAMES.map((name) => [name, 0]))
  let total = 0
  for (const sample of samples) {
    const part = PARTS.find(([, test]) => test(sample))?.[0]
    if (part === undefined) continue
    parts.set(part, (parts.get(part) ?? 0) + sample.count)
    total += sample.count
  }
  return NAMES.map((name) => `${Math.round((100 * (parts.get(name) ?? 0)) / total)} %`)
}

/** Many identities, each within the uses of its free plan. */
async function users(core: string, pay: string): Promise<() => Promise<void>> {
  const people = await Promise.all(Array.from({ length: CONCURRENCY }, () => Person.create(core)))
  const { discovery } = await Client.connect({ core })
  const options = { core, did: core, pay, fetch: freshFetch, ...(discovery && { discovery }) }
  const clients = people.map(({ identity }) => new Client({ ...options, identity }))
  return async () => {
    await Promise.all(
      clients.map(async ({ quota }) => {
        for (let i = 0; i < REQUESTS / CONCURRENCY; i++) await quota.consume('search')
      }),
    )
  }
}

/** Each run signs in to every account once: an account may be tried a few times in a minute. */
async function accounts({ urls }: Platform): Promise<() => Promise<void>> {
  const person = () => new SignIn({ auth: urls.auth, fetch: freshFetch, origin: 'http://localhost:3000' })
  const names = Array.from({ length: LOGINS }, () => `bench-${crypto.randomUUID().slice(0, 8)}`)
  for (const name of names) {
    const { grant } = await person().challenge('XXXX.DUMMY.TOKEN.XXXX', 'register')
    const made = await person().register(grant ?? '', name, PASSWORD)
    if (made.outcome !== 'signed-in') throw new Error(made.outcome)
  }
  return async () => {
    for (const name of names) if (!(await person().logIn(name, PASSWORD))) throw new Error('not signed in')
  }
}
