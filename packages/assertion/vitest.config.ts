import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineProject } from 'vitest/config'
import { TEST_DEFAULTS } from '../../scripts/lib/test-defaults.ts'

/** `packageProject` hosts no Durable Object, and the guard is nothing without its storage. */
export default defineProject({
  plugins: [
    cloudflareTest({
      main: './test/main.ts',
      miniflare: {
        compatibilityDate: '2026-10-23',
        compatibilityFlags: ['webcrypto_modern_algorithms'],
        durableObjects: { NONCES: { className: 'NonceGuard', useSQLite: true } },
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
