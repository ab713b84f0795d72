import { defineConfig } from 'vitest/config'
import { TEST_DEFAULTS } from '../projects/test-defaults.ts'
import { MUTANT_TESTS } from './scope.ts'

/** In the pool of Node.js alone: a mutant takes half a second there, and a Workers runtime would be started for each. */
export default defineConfig({
  test: { name: 'mutants', include: MUTANT_TESTS, environment: 'node', isolate: false, ...TEST_DEFAULTS },
})
