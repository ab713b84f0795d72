import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineProject } from 'vitest/config'
import { RUNTIME } from '../../scripts/checks/projects/package-tests.ts'
import { TEST_DEFAULTS } from '../../scripts/checks/projects/test-defaults.ts'
import type { RuntimeFacts } from './src/native-sha3.fixture.ts'

export default defineProject({
  plugins: [cloudflareTest({ miniflare: RUNTIME })],
  test: {
    name: 'pqc',
    include: ['src/**/*.test.ts'],
    isolate: false,
    // The workerd that is locked for macOS is older and has none (docs/adr/0012-version-set.md).
    provide: { hasNativeSha3: process.platform !== 'darwin' } satisfies RuntimeFacts,
    ...TEST_DEFAULTS,
  },
})
