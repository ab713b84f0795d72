import { defineConfig } from 'vitest/config'

// Apart from the other projects: it builds the packages and installs them first.
export default defineConfig({
  test: {
    name: 'packaging',
    include: ['scripts/packaging/**/*.test.ts'],
    globalSetup: 'scripts/packaging/install-setup.ts',
    // A busy machine fails no test.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
})
