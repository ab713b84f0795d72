// Assembles every .wat file of the Workers into the .wasm file beside it; --check only compares.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import wabt from 'wabt'
import { ROOT } from './workspace.ts'

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const assembler = await wabt()
for (const source of globSync('workers/*/src/**/*.wat', { cwd: ROOT })) {
  const target = join(ROOT, source.replace(/\.wat$/, '.wasm'))
  const assembled = assembler
    .parseWat(source, readFileSync(join(ROOT, source), 'utf8'), { simd: true })
    .toBinary({}).buffer
  if (!values.check) writeFileSync(target, assembled)
  else if (!readFileSync(target).equals(assembled)) {
    console.error(`${source}: its .wasm is stale: run node scripts/platform/wasm.ts`)
    process.exitCode = 1
  }
}
