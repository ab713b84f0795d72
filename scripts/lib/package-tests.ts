import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineProject, mergeConfig, type UserWorkspaceConfig } from 'vitest/config'
import { TEST_DEFAULTS } from './test-defaults.ts'

export interface PackageProjectOptions {
  runtime: 'workerd' | 'node'
}

/** The vitest project of one package, in the runtime where its code will run. */
export function packageProject(
  name: string,
  { runtime }: PackageProjectOptions,
  overrides: UserWorkspaceConfig = {},
): UserWorkspaceConfig {
  const project = defineProject({
    plugins: runtime === 'workerd' ? [cloudflareTest({ miniflare: RUNTIME })] : [],
    test: {
      name: runtime === 'node' ? `${name}-node` : name,
      include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
      isolate: false,
      ...TEST_DEFAULTS,
    },
  })
  return mergeConfig(project, overrides)
}

// As in every wrangler.jsonc here.
const RUNTIME = { compatibilityDate: '2026-10-23', compatibilityFlags: ['webcrypto_modern_algorithms'] }
