import { defineConfig } from 'vitest/config'

// Apart from the other projects: it needs a browser, and starts the whole platform.
export default defineConfig({
  test: {
    name: 'browser',
    include: ['scripts/browser/**/*.test.ts'],
    testTimeout: 15_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
})
