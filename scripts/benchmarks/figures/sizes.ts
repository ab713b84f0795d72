import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleWorker } from '@svc/platform/bundle'
import { WORKER_NAMES } from '@svc/platform/workspace'
import type { Figure } from './figure.ts'

const MAX_GZIP_BYTES = 200 * 1024
const RUNS = 5

/** Gzipped size against its limit, and start-up CPU time against an empty module's. */
export async function measureSizes(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'start-up-'))
  try {
    const empty = startupMs(folder, 'export default {}')
    const figures: Figure[] = []
    for (const name of WORKER_NAMES) {
      const { code, gzipBytes } = await bundleWorker(name)
      const milliseconds = startupMs(folder, code)
      figures.push({
        name: `${name}: gzipped size / 200 KiB`,
        ratio: gzipBytes / MAX_GZIP_BYTES,
        bar: { limit: 1, good: 'at most' },
        detail: `${(gzipBytes / 1024).toFixed(1)} KiB`,
      })
      figures.push({
        name: `${name}: start-up CPU / an empty module’s`,
        ratio: milliseconds / empty,
        detail: `${milliseconds.toFixed(1)} ms / ${empty.toFixed(1)} ms`,
      })
    }
    return figures
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The lowest CPU time of a few new processes that compile and evaluate the module; the runtime's classes are stubs. */
function startupMs(folder: string, code: string): number {
  writeFileSync(join(folder, 'runtime.mjs'), 'export class DurableObject {}\nexport class WorkerEntrypoint {}\n')
  const evaluated = code
    .replaceAll(/(["'])cloudflare:workers\1/g, '"./runtime.mjs"')
    // The runtime compiles these before it evaluates the module.
    .replaceAll(/import\s*(\w+)\s*from\s*(["'])[^"']+\.wasm\2/g, 'const $1 = null')
  writeFileSync(join(folder, 'worker.mjs'), evaluated)
  writeFileSync(
    join(folder, 'measure.mjs'),
    `const before = process.cpuUsage()
await import('../../measure/worker.mjs')
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
