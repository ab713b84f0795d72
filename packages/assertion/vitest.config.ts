import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineProject } from 'vitest/config'
import { RUNTIME } from '../../scripts/checks/projects/package-tests.ts'
import { TEST_DEFAULTS } from '../../scripts/checks/projects/test-defaults.ts'

/** `packageProject` cannot host a Durable Object, and the tests of nonces need its storage. */
export default defineProject({
  plugins: [
    cloudflareTest({
      main: './test/main.ts',
      miniflare: {
        ...RUNTIME,
        durableObjects: { NONCES: { className: 'NonceObject', useSQLite: true } },
      },
    }),
  ],
  test: {
    name: 'assertion',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    isolate: false,
    ...TEST_DEFAULTS,
  },
})
