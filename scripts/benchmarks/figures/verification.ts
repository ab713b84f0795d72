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
type Path = 'verifications' | 'digests' | 'labels' | 'proofs'
type Work = (path: Path, backend: Backend, times: number) => Promise<Run>

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

type Piece = readonly [path: Path, backend: Backend]
const SIGNATURE: Record<Backend, Piece> = { native: ['verifications', 'native'], noble: ['verifications', 'noble'] }

export function measureVerification(): Promise<Figure[]> {
  return withWorker(async (work) => {
    const [native, noble] = await compared(work, SIGNATURE.native, SIGNATURE.noble)
    // The workerd that is locked for macOS has no native digest.
    const hasDigest = (await work('digests', 'native', 1)).done === 1
    const digest = hasDigest ? await compared(work, ['digests', 'native'], ['digests', 'noble']) : null
    const label = await compared(work, ['labels', 'noble'], SIGNATURE.native)
    const proof = await compared(work, ['proofs', 'noble'], SIGNATURE.noble)
    return [
      {
        name: 'native verifications for one of noble’s, in workerd',
        ratio: noble / native,
        bar: { limit: 8, good: 'at least' },
        detail: `${milliseconds([native, noble])} each, key import included`,
      },
      ...(digest
        ? [
            {
              name: 'native SHA3-384 digests for one of noble’s, in workerd',
              ratio: digest[1] / digest[0],
              bar: { limit: 4, good: 'at least' } as const,
              detail: `${milliseconds(digest)} each, 7,400 bytes`,
            },
          ]
        : []),
      {
        name: 'label of an account with its proof / native verification of ML-DSA-65, in workerd',
        ratio: label[0] / label[1],
        bar: { limit: 15, good: 'at most' },
        detail: milliseconds(label),
      },
      {
        name: 'verification of a label / of ML-DSA-65 by noble, in workerd',
        ratio: proof[0] / proof[1],
        bar: { limit: 0.7, good: 'at most' },
        detail: milliseconds(proof),
      },
    ]
  })
}

/** Milliseconds of one of each, alternating, without what a request takes. */
async function compared(work: Work, ...pieces: [Piece, Piece]): Promise<[number, number]> {
  const rounds: [number[], number[]] = [[], []]
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [i, [path, backend]] of pieces.entries()) {
      const taken = (await timed(work, path, backend, TIMES)) - (await timed(work, path, backend, 0))
      if (round > 0) rounds[i]?.push(taken / TIMES) // the first warms up
    }
  }
  return [median(rounds[0]), median(rounds[1])]
}

async function timed(work: Work, path: Path, backend: Backend, times: number): Promise<number> {
  const run = await work(path, backend, times)
  if (run.done !== times) throw new Error(`${backend}: ${run.done} of ${times} ${path} succeeded`)
  return run.milliseconds
}

const milliseconds = ([one, other]: readonly [number, number]) => `${one.toFixed(3)} ms / ${other.toFixed(3)} ms`
