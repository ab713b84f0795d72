import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineProject } from 'vitest/config'
import { TEST_DEFAULTS } from '../../scripts/checks/projects/test-defaults.ts'

/** `packageProject` hosts no Durable Object, which is what this package is about. */
export default defineProject({
  plugins: [
    cloudflareTest({
      main: './test/main.ts',
      miniflare: {
        compatibilityDate: '2026-10-23',
        compatibilityFlags: ['webcrypto_modern_algorithms', 'nodejs_als'],
        bindings: { COMMIT: 'c0ffee' },
        durableObjects: {
          OBJECTS: { className: 'LedgerObject', useSQLite: true },
          SHOPS: { className: 'ShopObject', useSQLite: true },
          LIBRARIES: { className: 'LibraryObject', useSQLite: true },
        },
        r2Buckets: ['RECORDS'],
      },
    }),
  ],
  test: {
    name: 'objects',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    isolate: false,
    ...TEST_DEFAULTS,
  },
})
