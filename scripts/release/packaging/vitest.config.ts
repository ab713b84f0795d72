import { defineConfig } from 'vitest/config'

// Separate from the other projects, because it first builds and installs the packages.
export default defineConfig({
  test: {
    name: 'packaging',
    include: ['scripts/release/packaging/**/*.test.ts'],
    globalSetup: 'scripts/release/packaging/install-setup.ts',
    // Long, so that a busy machine does not fail a test.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
})
