import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineProject } from 'vitest/config'
import { TEST_DEFAULTS } from '../../scripts/lib/test-defaults.ts'

export default defineProject({
  plugins: [
    cloudflareTest({
      miniflare: { compatibilityDate: '2026-10-23', compatibilityFlags: ['webcrypto_modern_algorithms'] },
    }),
  ],
  test: { name: 'pqc', include: ['src/**/*.test.ts'], ...TEST_DEFAULTS },
})
