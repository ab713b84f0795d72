import { defineConfig } from 'vitest/config'
import { CORES } from './lib/workspace.ts'

export default defineConfig({
  test: {
    projects: [
      'workers/*/vitest.config.ts',
      'packages/*/vitest.config.ts',
      'packages/*/vitest.node.config.ts',
      'scripts/vitest.project.config.ts',
    ],
    passWithNoTests: true,
    maxWorkers: Math.max(2, CORES - 1),
    // Workers print a line for each request: worth reading only beside a failure.
    silent: 'passed-only',
  },
})
