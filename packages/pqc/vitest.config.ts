import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineProject } from 'vitest/config'

export default defineProject({
  plugins: [
    cloudflareTest({
      miniflare: { compatibilityDate: '2026-10-23', compatibilityFlags: ['webcrypto_modern_algorithms'] },
    }),
  ],
  test: { name: 'pqc', include: ['src/**/*.test.ts'] },
})
