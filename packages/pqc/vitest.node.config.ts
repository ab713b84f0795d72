import { defineProject } from 'vitest/config'
import { TEST_DEFAULTS } from '../../scripts/lib/test-defaults.ts'

export default defineProject({
  test: { name: 'pqc-node', environment: 'node', include: ['src/**/*.test.ts', 'test/**/*.test.ts'], ...TEST_DEFAULTS },
})
