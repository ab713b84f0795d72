import { defineProject } from 'vitest/config'
import { TEST_DEFAULTS } from './lib/test-defaults.ts'

export default defineProject({
  test: {
    name: 'scripts',
    include: ['**/*.test.ts'],
    exclude: ['browser/**', 'packaging/**', 'operations/uploads/**'],
    ...TEST_DEFAULTS,
  },
})
