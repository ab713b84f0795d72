import type { LoadAnswer, LoadRequest } from '@svc/platform/callers/send'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { Figure } from './figure.ts'
import { median, sendAll } from './load.ts'
import { runtimeWorker } from './runtime-worker.ts'

/** The floor of a request: an empty Worker with the same bytes in and out, and bare object calls. */
export interface Floor {
  /** Sends the same method, header and body, and gets as many bytes back. */
  readonly like: (request: LoadRequest, answer: LoadAnswer, objectCalls: number) => LoadRequest
}

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
    return await work({
      like: (request, { body }, objectCalls) => ({
        ...request,
        url: `${href}?bytes=${body.length}&calls=${objectCalls}`,
      }),
    })
  } finally {
    await miniflare.dispose()
  }
}

export interface FloorRun {
  readonly name: string
  /** The number of sequential object calls of the request. */
  readonly objectCalls: number
  /** The limit, as a multiple of the floor. */
  readonly limit: number
  readonly concurrency: number
  readonly rounds: number
  /** The requests of one round, prepared before it starts. */
  readonly requests: () => Promise<readonly LoadRequest[]>
}

/** Measures requests and their floor in alternating rounds. */
export async function measureOverFloor(floor: Floor, run: FloorRun): Promise<Figure> {
  const times = { whole: [] as number[], floor: [] as number[] }
  for (let round = 0; round <= run.rounds; round++) {
    const requests = await run.requests()
    const whole = await sendAll(requests, run.concurrency, 200)
    const [answer] = whole
    if (!answer) throw new Error('no answer')
    const bare = requests.map((request) => floor.like(request, answer, run.objectCalls))
    const empty = await sendAll(bare, run.concurrency, 200)
    if (round === 0) continue // Warm-up.
    times.whole.push(...whole.map(({ milliseconds }) => milliseconds))
    times.floor.push(...empty.map(({ milliseconds }) => milliseconds))
  }
  const [whole, bare] = [median(times.whole), median(times.floor)]
  const calls = `${run.objectCalls} bare object ${run.objectCalls === 1 ? 'call' : 'calls'}`
  return {
    name: `${run.name} / its floor, p50`,
    ratio: whole / bare,
    bar: { limit: run.limit, good: 'at most' },
    detail: `${whole.toFixed(2)} ms / ${bare.toFixed(2)} ms at concurrency ${run.concurrency}: an empty Worker, the same bytes, ${calls}`,
  }
}
