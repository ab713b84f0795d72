import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleModules } from '@svc/platform/bundle'
import { readWorkerConfig } from '@svc/platform/worker-config'
import { WORKER_NAMES } from '@svc/platform/workspace'
import { afterAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'start-up-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const RUNTIME = 'export class DurableObject {}\nexport class WorkerEntrypoint {}\nexport const env = {}\n'
/** Evaluates a module and prints the messages of the errors that it made. */
const WATCH = `
const made = []
for (const name of ['Error', 'TypeError', 'RangeError'])
  globalThis[name] = new Proxy(globalThis[name], {
    construct(type, values, target) {
      const error = Reflect.construct(type, values, target)
      made.push(error.message)
      return error
    },
  })
await import(process.argv[2])
console.log(JSON.stringify(made))
`

/** The messages of the errors that a module makes while it is evaluated; the runtime's own modules are stubs. */
function errorsMadeBy(code: string): string[] {
  writeFileSync(join(folder, 'runtime.mjs'), RUNTIME)
  writeFileSync(join(folder, 'watch.mjs'), WATCH)
  const evaluated = code
    .replaceAll(/(["'])cloudflare:workers\1/g, '"./runtime.mjs"')
    .replaceAll(/import\s*(?:\*\s*as\s+)?([\w$]+)\s*from\s*(["'])[^"']+\.wasm\2/g, 'const $1 = {}')
  writeFileSync(join(folder, 'worker.mjs'), evaluated)
  const output = execFileSync(process.execPath, ['--no-warnings', join(folder, 'watch.mjs'), './worker.mjs'])
  return JSON.parse(output.toString()) as string[]
}

describe('a Worker that starts', () => {
  // The runtime then parses the whole module once more, to know the line: a seventh of core's start.
  it.each(WORKER_NAMES)('makes no error: %s', async (name) => {
    const [main] = await bundleModules(readWorkerConfig(name))
    expect(errorsMadeBy(String(main?.contents))).toEqual([])
  })

  it('is watched', () => {
    const code = "import { env } from 'cloudflare:workers'\nexport const ROLL_BACK = new Error('refused ' + typeof env)"
    expect(errorsMadeBy(code)).toEqual(['refused object'])
  })
})
