import { defineConfig } from 'vitest/config'
import { TEST_DEFAULTS } from '../projects/test-defaults.ts'
import { chosenPlatformTests } from './tests.ts'

/** Tests that share one running platform and run one after the other. */
export default defineConfig({
  test: {
    name: 'platform',
    include: chosenPlatformTests().map((glob) => `scripts/${glob}`),
    globalSetup: ['scripts/checks/running-platform/setup.ts'],
    setupFiles: ['projects/remembered-keys', 'running-platform/documented-answers', 'running-platform/own-address'].map(
      (file) => `scripts/checks/${file}.ts`,
    ),
    fileParallelism: false,
    isolate: false,
    ...TEST_DEFAULTS,
  },
})
