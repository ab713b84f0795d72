import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { defineProject } from 'vitest/config'
import { PLATFORM_PARTS } from '../running-platform/tests.ts'
import { LONG_TEST_FILES } from './long-files.ts'
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
      ...PLATFORM_PARTS.platform,
      ...LONG_TEST_FILES.map((glob) => glob.replace(/^scripts\//, '')),
    ],
    ...TEST_DEFAULTS,
  },
})
