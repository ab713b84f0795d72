import { defineConfig } from 'vitest/config'

// Apart from the other projects: each upload is a run of Wrangler.
export default defineConfig({
  test: {
    name: 'deploy',
    include: ['scripts/operations/uploads/*.test.ts'],
    // A busy machine fails no test.
    testTimeout: 600_000,
    fileParallelism: false,
  },
})
