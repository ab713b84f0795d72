import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineProject, mergeConfig, type UserWorkspaceConfig } from 'vitest/config'
import { leftOutOf } from './long-tests.ts'
import { TEST_DEFAULTS } from './test-defaults.ts'

export interface PackageProjectOptions {
  runtime: 'workerd' | 'node'
}

/** The vitest project of a package, in the runtime that its code is for. */
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
      exclude: leftOutOf(`packages/${name}`),
      isolate: false,
      ...TEST_DEFAULTS,
    },
  })
  return mergeConfig(project, overrides)
}

/** As in every wrangler.jsonc here. */
export const RUNTIME = {
  compatibilityDate: '2026-10-30',
  compatibilityFlags: ['webcrypto_modern_algorithms', 'nodejs_als'],
}
