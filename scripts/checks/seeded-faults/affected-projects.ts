import { dirname, matchesGlob } from 'node:path'
import { readAllWorkerConfigs } from '@svc/platform/worker-config'
import { closure } from '../changes/affected.ts'
import { type Importers, readImporters } from '../changes/import-graph.ts'
import { boundWorkers } from '../projects/bound-workers.ts'
import { corePartOf } from '../projects/core-parts.ts'
import { configsOf, type TestGroup } from '../projects/groups.ts'
import { sourceFiles } from '../source-files.ts'
import type { Fault } from './fault.ts'

/** In the order in which their projects are tried: the quickest first. */
const GROUPS: readonly TestGroup[] = [
  'packages',
  'records',
  'identity',
  'core-notes',
  'core',
  'core-rotation',
  'scripts',
]
const SCRIPTS = 'scripts/checks/projects'

/** What is read once for all faults. */
export interface Reach {
  readonly importers: Importers
  /** Every test file, from the top of the repository. */
  readonly tests: readonly string[]
  /** The Workers that run in the tests of a Worker, itself included. */
  readonly running: ReadonlyMap<string, readonly string[]>
  /** The configurations of all projects, in the order in which they are tried. */
  readonly configs: readonly string[]
}

export function readReach(): Reach {
  const workers = readAllWorkerConfigs()
  return {
    importers: readImporters(),
    tests: sourceFiles().filter((file) => file.endsWith('.test.ts')),
    running: new Map(workers.map((one) => [one.name, [one, ...boundWorkers(one, workers)].map(({ name }) => name)])),
    configs: GROUPS.flatMap(configsOf),
  }
}

/**
 * Configurations of the projects that a change of a file can affect: by import, or by a Worker that their tests run. The
 * tests of the scripts run all Workers and every package.
 */
export function projectsAffectedBy(path: string, { importers, running, configs }: Omit<Reach, 'tests'>): string[] {
  const folders = new Set([SCRIPTS, ...[...closure([path], importers)].map(folderOf)])
  for (const [worker, others] of running)
    if (others.some((other) => folders.has(`workers/${other}`))) folders.add(`workers/${worker}`)
  return configs.filter((config) => folders.has(dirname(config)))
}

const folderOf = (path: string) => path.split('/').slice(0, 2).join('/')

/** The test files of a project that a fault names. */
export function namedTests({ tests }: Pick<Fault, 'tests'>, config: string, all: readonly string[]): string[] {
  const folder = config.startsWith('scripts/') ? 'scripts/' : `${dirname(config)}/`
  const part = folder === 'workers/core/' ? corePartOf(config) : null
  const isIn = (file: string, globs: readonly string[]) => globs.some((glob) => matchesGlob(file, `${folder}${glob}`))
  return all.filter(
    (file) =>
      file.startsWith(folder) &&
      tests.some((one) => file.includes(one)) &&
      (part === null || (isIn(file, part.include) && !isIn(file, part.exclude))),
  )
}
