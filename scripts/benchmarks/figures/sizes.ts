import { MAX_COMPRESSED_KIB } from '@svc/operations/upload-size'
import { bundleWorker, type WorkerModule } from '@svc/platform/bundle'
import { readWorkerConfig } from '@svc/platform/worker-config'
import { WORKER_NAMES, type WorkerName } from '@svc/platform/workspace'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { Figure } from './figure.ts'
import { runtimeMs } from './processor-time.ts'

const MAX_STARTUP_MS = 150
const ROUNDS = 5
/** Started in one runtime besides the first. */
const MORE = 5
const EMPTY: WorkerModule[] = [{ type: 'ESModule', path: 'index.js', contents: 'export default {}' }]

/** Gzipped size and start-up CPU time against their limits. */
export async function measureSizes(): Promise<Figure[]> {
  const empty = await copyMs('docs', EMPTY)
  const figures: Figure[] = []
  for (const name of WORKER_NAMES) {
    const { modules, gzipBytes } = await bundleWorker(name)
    const milliseconds = (await copyMs(name, modules)) - empty
    figures.push({
      name: `${name}: gzipped size / ${MAX_COMPRESSED_KIB} KiB`,
      ratio: gzipBytes / 1024 / MAX_COMPRESSED_KIB,
      bar: { limit: 1, good: 'at most' },
      detail: `${(gzipBytes / 1024).toFixed(1)} KiB`,
    })
    figures.push({
      name: `${name}: start-up CPU / ${MAX_STARTUP_MS} ms`,
      ratio: milliseconds / MAX_STARTUP_MS,
      bar: { limit: 1, good: 'at most' },
      detail: `${milliseconds.toFixed(0)} ms above the ${empty.toFixed(0)} ms of an empty Worker`,
    })
  }
  return figures
}

/** What the runtime spends on one more copy: a Worker starts in a process that runs already. The least of a few rounds. */
async function copyMs(like: WorkerName, modules: readonly WorkerModule[]): Promise<number> {
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, copies] of [1, 1 + MORE].entries())
      least[index] = Math.min(least[index]!, await runtimeMsFor(like, modules, copies))
  return (least[1]! - least[0]!) / MORE
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
