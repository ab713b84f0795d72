import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MAX_COMPRESSED_KIB } from '@svc/operations/upload-size'
import { bundleWorker } from '@svc/platform/bundle'
import { WORKER_NAMES } from '@svc/platform/workspace'
import type { Figure } from './figure.ts'

const MAX_STARTUP_MS = 150
const RUNS = 5

/** Gzipped size and start-up CPU time against their limits. */
export async function measureSizes(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'start-up-'))
  try {
    const empty = startupMs(folder, 'export default {}')
    const figures: Figure[] = []
    for (const name of WORKER_NAMES) {
      const { code, gzipBytes } = await bundleWorker(name)
      const milliseconds = startupMs(folder, code)
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
        detail: `${milliseconds.toFixed(1)} ms; an empty module ${empty.toFixed(1)} ms`,
      })
    }
    return figures
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The lowest CPU time of a few new processes that compile and evaluate the module; the runtime's classes are stubs. */
function startupMs(folder: string, code: string): number {
  writeFileSync(
    join(folder, 'runtime.mjs'),
    'export class DurableObject {}\nexport class WorkerEntrypoint {}\nexport const env = {}\n',
  )
  const evaluated = code
    .replaceAll(/(["'])cloudflare:workers\1/g, '"./runtime.mjs"')
    // The runtime compiles these before it evaluates the module.
    .replaceAll(/import\s*(?:\*\s*as\s+)?([\w$]+)\s*from\s*(["'])[^"']+\.wasm\2/g, 'const $1 = {}')
  writeFileSync(join(folder, 'worker.mjs'), evaluated)
  writeFileSync(
    join(folder, 'measure.mjs'),
    `const before = process.cpuUsage()
await import('./worker.mjs')
const { user, system } = process.cpuUsage(before)
console.log((user + system) / 1000)
`,
  )
  const runs = Array.from({ length: RUNS }, () => {
    const output = execFileSync(process.execPath, ['--no-warnings', join(folder, 'measure.mjs')], {
      env: { ...process.env, NODE_COMPILE_CACHE: undefined, NODE_DISABLE_COMPILE_CACHE: '1' },
    })
    return Number(output.toString())
  })
  return Math.min(...runs)
}
