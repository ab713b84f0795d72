import { defineProject } from 'vitest/config'
import { TEST_DEFAULTS } from '../../scripts/checks/projects/test-defaults.ts'
import type { RuntimeFacts } from './src/native-sha3.fixture.ts'

export default defineProject({
  test: {
    name: 'pqc-node',
    environment: 'node',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    provide: { hasNativeSha3: true } satisfies RuntimeFacts,
    ...TEST_DEFAULTS,
  },
})
