import { defineConfig } from 'vitest/config'
import { leftOutOf } from '../projects/long-tests.ts'
import { TEST_DEFAULTS } from '../projects/test-defaults.ts'

/** The configuration of tests that share one running platform and run one after the other. Paths are relative to `scripts`. */
export function platformTests(include: readonly string[], exclude: readonly string[] = []) {
  const inScripts = (glob: string) => `scripts/${glob}`
  return defineConfig({
    test: {
      name: 'platform',
      include: include.map(inScripts),
      exclude: [...exclude.map(inScripts), ...leftOutOf('')],
      globalSetup: ['scripts/checks/running-platform/setup.ts'],
      setupFiles: ['documented-answers', 'own-address'].map((file) => `scripts/checks/running-platform/${file}.ts`),
      fileParallelism: false,
      isolate: false,
      ...TEST_DEFAULTS,
    },
  })
}
