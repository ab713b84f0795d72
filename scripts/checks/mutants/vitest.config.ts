import { defineConfig, type Plugin } from 'vitest/config'
import { TEST_DEFAULTS } from '../projects/test-defaults.ts'
import { MUTANT_TESTS } from './scope.ts'

/** As in a Worker, importing a WebAssembly file gives the module that is not instantiated yet. */
const wasmModules: Plugin = {
  name: 'wasm-modules',
  enforce: 'pre',
  load(id) {
    if (!id.endsWith('.wasm')) return null
    return `import { readFileSync } from 'node:fs'
export default new WebAssembly.Module(readFileSync(${JSON.stringify(id)}))`
  },
}

/** In the pool of Node.js alone: a mutant takes half a second there, and a Workers runtime would be started for each. */
export default defineConfig({
  plugins: [wasmModules],
  test: { name: 'mutants', include: MUTANT_TESTS, environment: 'node', isolate: false, ...TEST_DEFAULTS },
})
