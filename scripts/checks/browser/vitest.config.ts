import { defineConfig } from 'vitest/config'

// Separate from the other projects, because it needs a browser and starts the whole platform.
export default defineConfig({
  test: {
    name: 'browser',
    include: ['scripts/checks/browser/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
})
