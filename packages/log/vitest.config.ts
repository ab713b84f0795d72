import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineProject } from 'vitest/config'
import { leftOutOf } from '../../scripts/checks/projects/long-tests.ts'
import { TEST_DEFAULTS } from '../../scripts/checks/projects/test-defaults.ts'

/** `packageProject` hosts no Durable Object, which is what this package is about. */
export default defineProject({
  plugins: [
    cloudflareTest({
      main: './test/main.ts',
      miniflare: {
        compatibilityDate: '2026-10-23',
        compatibilityFlags: ['webcrypto_modern_algorithms', 'nodejs_als'],
        durableObjects: { LOGS: { className: 'TestLogObject', useSQLite: true } },
        r2Buckets: ['TILES'],
      },
    }),
  ],
  test: {
    name: 'log',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: leftOutOf('packages/log'),
    isolate: false,
    ...TEST_DEFAULTS,
  },
})
