import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { Figure } from './figure.ts'
import { median } from './load.ts'
import { runtimeWorker } from './runtime-worker.ts'

const TIMES = 400
const ROUNDS = 7

type Backend = 'native' | 'noble'
type Verify = (backend: Backend, times: number) => Promise<number>

interface Run {
  /** Timed from outside, because the clock stands still during a request. */
  readonly milliseconds: number
  /** How many of the requested pieces of work succeeded. */
  readonly done: number
}
type Work = (path: 'verifications' | 'digests', backend: Backend, times: number) => Promise<Run>

async function withWorker<T>(measure: (work: Work) => Promise<T>): Promise<T> {
  const worker = await runtimeWorker('benchmarks/runtime/verification-worker.ts', 'core')
  const miniflare = new Miniflare(convertV4MiniflareOptions({ ...worker, cf: false }))
  try {
    const url = await miniflare.ready
    return await measure(async (path, backend, times) => {
      const startedAt = performance.now()
      const response = await fetch(`${url.href}${path}?backend=${backend}&times=${times}`)
      const done = Number(await response.text())
      return { milliseconds: performance.now() - startedAt, done }
    })
  } finally {
    await miniflare.dispose()
  }
}

/** Verification inside workerd, in milliseconds. */
export function withVerifier<T>(measure: (verify: Verify) => Promise<T>): Promise<T> {
  return withWorker((work) => measure((backend, times) => timed(work, 'verifications', backend, times)))
}

export function measureVerification(): Promise<Figure[]> {
  return withWorker(async (work) => {
    const verification = await compared(work, 'verifications')
    // The workerd that is locked for macOS has no native digest.
    const hasDigest = (await work('digests', 'native', 1)).done === 1
    const digest = hasDigest ? await compared(work, 'digests') : null
    return [
      {
        name: 'native verifications for one of noble’s, in workerd',
        ratio: verification.noble / verification.native,
        bar: { limit: 8, good: 'at least' },
        detail: `${milliseconds(verification)} each, key import included`,
      },
      ...(digest
        ? [
            {
              name: 'native SHA3-384 digests for one of noble’s, in workerd',
              ratio: digest.noble / digest.native,
              bar: { limit: 4, good: 'at least' } as const,
              detail: `${milliseconds(digest)} each, 7,400 bytes`,
            },
          ]
        : []),
    ]
  })
}

/** Milliseconds of one piece of work by each backend, alternating, without what a request takes. */
async function compared(work: Work, path: Parameters<Work>[0]): Promise<Record<Backend, number>> {
  const rounds: Record<Backend, number[]> = { native: [], noble: [] }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const backend of ['native', 'noble'] as const) {
      const taken = (await timed(work, path, backend, TIMES)) - (await timed(work, path, backend, 0))
      if (round > 0) rounds[backend].push(taken / TIMES) // the first warms up
    }
  }
  return { native: median(rounds.native), noble: median(rounds.noble) }
}

async function timed(work: Work, path: Parameters<Work>[0], backend: Backend, times: number): Promise<number> {
  const run = await work(path, backend, times)
  if (run.done !== times) throw new Error(`${backend}: ${run.done} of ${times} ${path} succeeded`)
  return run.milliseconds
}

const milliseconds = ({ native, noble }: Record<Backend, number>) => `${native.toFixed(3)} ms / ${noble.toFixed(3)} ms`
