import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { defineProject } from 'vitest/config'
import { BROWSER_TESTS, CALL_TESTS, PLATFORM_TESTS } from '../running-platform/tests.ts'
import { leftOutOf } from './long-tests.ts'
import { TEST_DEFAULTS } from './test-defaults.ts'

export default defineProject({
  test: {
    name: 'scripts',
    root: join(ROOT, 'scripts'),
    // Importing the same modules anew for each file takes as long as the tests.
    isolate: false,
    include: ['**/*.test.ts'],
    exclude: [
      '**/node_modules/**',
      BROWSER_TESTS,
      ...PLATFORM_TESTS,
      ...CALL_TESTS,
      'checks/quickstart/quickstart.test.ts',
      'release/packaging/**',
      'operations/uploads/**',
      ...leftOutOf('scripts'),
    ],
    ...TEST_DEFAULTS,
  },
})
