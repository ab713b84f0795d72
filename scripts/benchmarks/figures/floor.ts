import type { LoadAnswer, LoadRequest } from '@svc/platform/callers/send'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { Figure } from './figure.ts'
import { median, sendAll } from './load.ts'
import { runtimeWorker } from './runtime-worker.ts'

/** What a request cannot do without. */
export interface FloorSteps {
  /** Object calls, one after the other. */
  readonly objectCalls: number
  /** Bytes that each of them commits; default none. */
  readonly stored?: number
  /** Native verifications of an ML-DSA-65 signature; default none. */
  readonly verifications?: number
  /** Each request has an object of its own, which nothing has called before. */
  readonly isNewObject?: true
}

/** The floor of a request: a Worker with the same bytes in and out that does these steps and nothing else. */
export interface Floor {
  /** Sends the same method, header and body, and gets as many bytes back. The objects take turns. */
  readonly like: (
    request: LoadRequest,
    answer: Pick<LoadAnswer, 'status' | 'body'>,
    steps: FloorSteps,
    turn: number,
  ) => LoadRequest
}

/** As many as identities in most runs. */
const OBJECTS = 64

/** Measures the floor on this machine, over the same HTTP, in another runtime. */
export async function withFloor<T>(work: (floor: Floor) => Promise<T>): Promise<T> {
  const worker = await runtimeWorker('benchmarks/runtime/floor-worker.ts', 'core')
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      workers: [
        {
          name: 'floor',
          unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
          ...worker,
          durableObjects: { OBJECTS: { className: 'Bare', useSQLite: true } },
        },
      ],
    }),
  )
  try {
    const { href } = await miniflare.unsafeGetDirectURL('floor')
    let created = OBJECTS
    return await work({
      like: (request, { body, status }, { objectCalls, stored = 0, verifications = 0, isNewObject }, turn) => ({
        ...request,
        url: `${href}?${new URLSearchParams({
          bytes: String(body.length),
          status: String(status),
          calls: String(objectCalls),
          stored: String(stored),
          verifications: String(verifications),
          object: String(isNewObject ? created++ : turn % OBJECTS),
        }).toString()}`,
      }),
    })
  } finally {
    await miniflare.dispose()
  }
}

export interface FloorRun {
  readonly name: string
  readonly floor: FloorSteps
  /** The limit, as a multiple of the floor; none if absent. */
  readonly limit?: number
  readonly concurrency: number
  readonly rounds: number
  /** Of the answers; default 200. */
  readonly status?: number
  /** The requests of one round, prepared before it starts. */
  readonly requests: () => Promise<readonly LoadRequest[]>
}

/** Measures requests and their floor in alternating rounds; each round gives a ratio of medians. */
export async function measureOverFloor(
  floor: Floor,
  { name, floor: steps, limit, concurrency, rounds, status = 200, requests: prepare }: FloorRun,
): Promise<Figure> {
  const times = { whole: [] as number[], floor: [] as number[] }
  const ratios: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const requests = await prepare()
    const whole = await sendAll(requests, concurrency, status)
    const [answer] = whole
    if (!answer) throw new Error('no answer')
    const bare = requests.map((request, turn) => floor.like(request, answer, steps, turn))
    const empty = await sendAll(bare, concurrency, status)
    if (round === 0) continue // Warm-up.
    const [ours, theirs] = [whole, empty].map((answers) => median(answers.map(({ milliseconds }) => milliseconds)))
    if (ours === undefined || theirs === undefined) continue
    times.whole.push(ours)
    times.floor.push(theirs)
    ratios.push(ours / theirs)
  }
  return {
    name: `${name} / its floor, p50`,
    ratio: median(ratios),
    range: [Math.min(...ratios), Math.max(...ratios)],
    ...(limit === undefined ? {} : { bar: { limit, good: 'at most' } }),
    detail: `${median(times.whole).toFixed(2)} ms / ${median(times.floor).toFixed(2)} ms at concurrency ${concurrency}: ${wordsOf(steps)}`,
  }
}

function wordsOf({ objectCalls, stored = 0, verifications = 0, isNewObject }: FloorSteps): string {
  const words = ['the same bytes', count(objectCalls, isNewObject ? 'call of a new object' : 'object call')]
  if (stored > 0) words.push(`each commits ${stored} bytes`)
  if (verifications > 0) words.push(count(verifications, 'native verification'))
  return words.join(', ')
}

const count = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`
