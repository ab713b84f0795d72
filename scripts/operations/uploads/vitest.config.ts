import { defineConfig } from 'vitest/config'

// Separate from the other projects, because each upload runs Wrangler.
export default defineConfig({
  test: {
    name: 'deploy',
    include: ['scripts/operations/uploads/*.test.ts'],
    // Long, so that a busy machine does not fail a test.
    testTimeout: 600_000,
    fileParallelism: false,
  },
})
