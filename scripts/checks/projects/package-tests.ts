import { join } from 'node:path'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { ROOT } from '@svc/platform/workspace'
import { defineProject, mergeConfig, type UserWorkspaceConfig } from 'vitest/config'
import { TEST_DEFAULTS } from './test-defaults.ts'

export interface PackageProjectOptions {
  runtime: 'workerd' | 'node'
  /** What `test/main.ts` exports and is bound to, for a package about Durable Objects. */
  hosted?: HostedObjects
}

interface HostedObjects {
  readonly durableObjects: Record<string, { className: string; useSQLite: boolean }>
  readonly bindings?: Record<string, string>
  readonly r2Buckets?: string[]
}

/** The vitest project of a package, in the runtime that its code is for. */
export function packageProject(
  name: string,
  { runtime, hosted }: PackageProjectOptions,
  overrides: UserWorkspaceConfig = {},
): UserWorkspaceConfig {
  const worker = hosted
    ? { main: `./packages/${name}/test/main.ts`, miniflare: { ...RUNTIME, ...hosted } }
    : { miniflare: RUNTIME }
  const project = defineProject({
    // The same for all, so that the projects share the cache of transformed modules.
    root: ROOT,
    plugins: runtime === 'workerd' ? [cloudflareTest(worker)] : [],
    test: {
      name: runtime === 'node' ? `${name}-node` : name,
      dir: join(ROOT, 'packages', name),
      include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
      isolate: false,
      ...TEST_DEFAULTS,
    },
  })
  return mergeConfig(project, overrides)
}

/** As in every wrangler.jsonc here. */
const RUNTIME = {
  compatibilityDate: '2026-10-30',
  compatibilityFlags: ['webcrypto_modern_algorithms', 'nodejs_als'],
}
