import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { Figure } from './figure.ts'
import { median } from './load.ts'
import { runtimeWorker } from './runtime-worker.ts'

const TIMES = 400
const ROUNDS = 7

type Verify = (backend: 'native' | 'noble', times: number) => Promise<number>

/** Hands out verification inside workerd, timed in milliseconds from outside: its own clock stands still in a request. */
export async function withVerifier<T>(work: (verify: Verify) => Promise<T>): Promise<T> {
  const worker = await runtimeWorker('verification-worker.ts', 'core')
  const miniflare = new Miniflare(convertV4MiniflareOptions({ ...worker, cf: false }))
  try {
    const url = await miniflare.ready
    return await work(async (backend, times) => {
      const startedAt = performance.now()
      const response = await fetch(`${url.href}?backend=${backend}&times=${times}`)
      if ((await response.text()) !== String(times)) throw new Error(`${backend} did not verify`)
      return performance.now() - startedAt
    })
  } finally {
    await miniflare.dispose()
  }
}

export function measureVerification(): Promise<Figure[]> {
  return withVerifier(async (verify) => {
    const each = async (backend: 'native' | 'noble') => {
      const rounds: number[] = []
      for (let round = 0; round <= ROUNDS; round++)
        rounds.push((await verify(backend, TIMES)) - (await verify(backend, 0)))
      return median(rounds.slice(1)) / TIMES
    }
    const [native, noble] = [await each('native'), await each('noble')]
    return [
      {
        name: 'native verifications for one of noble’s, in workerd',
        ratio: noble / native,
        bar: { limit: 8, good: 'at least' },
        detail: `${native.toFixed(3)} ms / ${noble.toFixed(3)} ms each, key import included`,
      },
    ]
  })
}
