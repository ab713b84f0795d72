import { MAX_COMPRESSED_KIB } from '@svc/operations/upload-size'
import { bundleWorker, type WorkerModule } from '@svc/platform/bundle'
import { readWorkerConfig } from '@svc/platform/worker-config'
import { WORKER_NAMES, type WorkerName } from '@svc/platform/workspace'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { Figure } from './figure.ts'
import { median } from './load.ts'
import { runtimeMs } from './processor-time.ts'

const MAX_STARTUP_MS = 150
const ROUNDS = 5
/** Started in one runtime besides the first. */
const MORE = 5
const EMPTY: WorkerModule[] = [{ type: 'ESModule', path: 'index.js', contents: 'export default {}' }]

/** Gzipped size and start-up CPU time against their limits. The Workers take turns in each round. */
export async function measureSizes(): Promise<Figure[]> {
  const bundles = await Promise.all(WORKER_NAMES.map(async (name) => ({ name, ...(await bundleWorker(name)) })))
  const rounds: { empty: number; starts: number[] }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const empty = await copyMs('docs', EMPTY)
    const starts: number[] = []
    for (const { name, modules } of bundles) starts.push((await copyMs(name, modules)) - empty)
    rounds.push({ empty, starts })
  }
  const empty = median(rounds.map((round) => round.empty))
  return bundles.flatMap(({ name, gzipBytes }, index) => {
    const starts = rounds.map((round) => round.starts[index]!)
    return [
      {
        name: `${name}: gzipped size / ${MAX_COMPRESSED_KIB} KiB`,
        ratio: gzipBytes / 1024 / MAX_COMPRESSED_KIB,
        bar: { limit: 1, good: 'at most' },
        detail: `${(gzipBytes / 1024).toFixed(1)} KiB`,
      },
      {
        name: `${name}: start-up CPU / ${MAX_STARTUP_MS} ms`,
        ratio: median(starts) / MAX_STARTUP_MS,
        range: [Math.min(...starts) / MAX_STARTUP_MS, Math.max(...starts) / MAX_STARTUP_MS],
        bar: { limit: 1, good: 'at most' },
        detail: `${median(starts).toFixed(0)} ms above the ${empty.toFixed(0)} ms of an empty Worker`,
      },
    ] satisfies Figure[]
  })
}

/** What the runtime spends on one more copy of the Worker: a Worker starts in a process that runs already. */
async function copyMs(like: WorkerName, modules: readonly WorkerModule[]): Promise<number> {
  const one = await runtimeMsFor(like, modules, 1)
  const all = await runtimeMsFor(like, modules, 1 + MORE)
  return (all - one) / MORE
}

async function runtimeMsFor(like: WorkerName, modules: readonly WorkerModule[], copies: number): Promise<number> {
  const { compatibilityDate, compatibilityFlags } = readWorkerConfig(like).options
  const worker = {
    modules: [...modules],
    ...(compatibilityDate === undefined ? {} : { compatibilityDate }),
    ...(compatibilityFlags === undefined ? {} : { compatibilityFlags }),
  }
  const workers = Array.from({ length: copies }, (_, copy) => ({ name: `copy-${copy}`, ...worker }))
  const miniflare = new Miniflare(convertV4MiniflareOptions({ cf: false, workers }))
  try {
    await miniflare.ready
    return runtimeMs()
  } finally {
    await miniflare.dispose()
  }
}
