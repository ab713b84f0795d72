import { basename, dirname } from 'node:path'
import { WORKER_NAMES } from '@svc/platform/workspace'
import type { UserWorkspaceConfig } from 'vitest/config'
import { corePartOf } from './core-parts.ts'
import { workerProject } from './worker-tests.ts'

/**
 * The project that a configuration file is for: `workers/core/vitest.notes.config.ts` is the part `notes` of core. All
 * these files have the same text and the same root, because vitest caches transformed modules by both: so what Workers
 * share is transformed once.
 */
export function workerProjectOf(file: string): UserWorkspaceConfig {
  const name = WORKER_NAMES.find((worker) => worker === basename(dirname(file)))
  if (!name) throw new Error(`${file} is in no Worker's folder`)
  return workerProject(name, name === 'core' ? corePartOf(file) : undefined)
}
