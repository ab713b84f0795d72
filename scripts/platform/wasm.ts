// Assembles every .wat file of the Workers into the .wasm file beside it, and what is written by a program; --check only compares.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import wabt from 'wabt'
import { RISTRETTO } from './ristretto/module.ts'
import { ROOT } from './workspace.ts'

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const assembler = await wabt()
const sources = globSync('workers/*/src/**/*.wat', { cwd: ROOT }).map((source) => ({
  target: source.replace(/\.wat$/, '.wasm'),
  text: readFileSync(join(ROOT, source), 'utf8'),
}))
sources.push({ target: 'workers/auth/src/opaque/ristretto.wasm', text: RISTRETTO })

for (const { target, text } of sources) {
  const module = assembler.parseWat(target, text, { simd: true, bulk_memory: true })
  const assembled = module.toBinary({}).buffer
  if (!values.check) writeFileSync(join(ROOT, target), assembled)
  else if (!readFileSync(join(ROOT, target)).equals(assembled)) {
    console.error(`${target} is stale: run node scripts/platform/wasm.ts`)
    process.exitCode = 1
  }
}
