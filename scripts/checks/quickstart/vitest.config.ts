import { defineConfig } from 'vitest/config'

// Separate from the other projects, because it installs a clone of the repository and starts it.
export default defineConfig({
  test: {
    name: 'quickstart',
    include: ['scripts/checks/quickstart/quickstart.test.ts'],
    // Longer than the page may take, so that the time is what fails.
    testTimeout: 900_000,
    // Deletes some hundred thousand files.
    hookTimeout: 300_000,
    fileParallelism: false,
  },
})
