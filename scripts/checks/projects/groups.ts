import { globSync } from 'node:fs'
import { ROOT } from '@svc/platform/workspace'

/**
 * The vitest projects in groups of similar duration. Each group is a step of `scripts/test` and runs on one thread, so
 * that the steps fill the cores.
 */
export const TEST_GROUPS = {
  'core-notes': ['workers/core/vitest.notes.config.ts'],
  'core-rotation': ['workers/core/vitest.rotation.config.ts'],
  core: ['workers/core/vitest.config.ts'],
  identity: ['workers/{auth,did,keys}/vitest.config.ts'],
  records: ['workers/{consent,docs,pay,provenance}/vitest.config.ts'],
  packages: ['packages/*/vitest*.config.ts'],
  scripts: ['scripts/checks/projects/vitest.config.ts'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type TestGroup = keyof typeof TEST_GROUPS

/** Paths of the configurations of a group's projects, from the root of the repository. */
export function configsOf(group: TestGroup): string[] {
  return globSync([...TEST_GROUPS[group]], { cwd: ROOT }).toSorted()
}

const CHOSEN = 'SVC_TEST_CONFIGS'

/** Environment that makes vitest load only these configurations; loading all of them takes seconds. */
export function choosing(configs: readonly string[]): Record<string, string> {
  return { [CHOSEN]: configs.join(',') }
}

/** The configurations to load: those chosen by the environment, or all. */
export function chosenConfigs(): string[] {
  const chosen = process.env[CHOSEN]
  return chosen ? chosen.split(',') : (Object.keys(TEST_GROUPS) as TestGroup[]).flatMap(configsOf)
}
