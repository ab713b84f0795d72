/**
 * What a change can affect: every test of a project in whose folder something changed, and of the other projects what
 * imports it. It does not follow service bindings: a change in core selects no test of a Worker that calls core. The whole
 * suite covers those.
 *
 * @module
 */
import type { Importers } from './import-graph.ts'

export interface Affected {
  /** Test files to run. */
  readonly tests: readonly string[]
  /** Files whose types may have changed. */
  readonly typed: readonly string[]
}

const TEST = /\.test\.ts$/
/** Files that join the features of a Worker. Following their imports would select every feature for any change. */
const JOINT = /^workers\/[^/]+\/src\/[^/]+\.ts$/
const FEATURE = /^workers\/([^/]+)\/src\/([^/]+)\//
/** The folder of a project: a Worker, a package, or all scripts. */
const PROJECT = /^(?:(?:packages|workers)\/[^/]+|scripts)\//
/** A change to one of these selects everything. */
const EVERYTHING =
  /^(pnpm-(lock|workspace)\.yaml|package\.json|tsconfig\.base\.json|scripts\/checks\/(projects|runtime)\/)/
const MIGRATION = /^migrations\/([^/]+)\//
/** Pages, READMEs, workflows: read by the tests of `scripts/checks`. */
const TEXT = /\.(md|yml)$/

export function affectedBy(changed: readonly string[], importers: Importers, files: readonly string[]): Affected {
  const all = files.filter((file) => TEST.test(file))
  if (changed.some((file) => EVERYTHING.test(file))) return { tests: all, typed: files }
  const under = (...prefixes: string[]) => all.filter((file) => prefixes.some((prefix) => file.startsWith(prefix)))
  const tests = new Set(changed.flatMap((file) => testsTouchedBy(file, under)))
  const reached = closure(changed, importers, (file, importer) => FEATURE.test(file) && JOINT.test(importer))
  for (const file of reached) {
    const more = TEST.test(file) ? [file] : testsBeside(file, under)
    for (const test of more) tests.add(test)
  }
  const existing = new Set(all)
  return {
    tests: [...tests].filter((test) => existing.has(test)).toSorted(),
    typed: [...closure(changed, importers)].toSorted(),
  }
}

/** The files and everything that imports them, directly or not. */
export function closure(
  from: readonly string[],
  importers: Importers,
  isCut: (file: string, importer: string) => boolean = () => false,
): ReadonlySet<string> {
  const reached = new Set(from)
  // Iterating over a set also visits what is added on the way.
  for (const file of reached)
    for (const importer of importers.get(file) ?? []) if (!isCut(file, importer)) reached.add(importer)
  return reached
}

type Under = (...prefixes: string[]) => string[]

/** Tests that a changed file selects by its place. */
function testsTouchedBy(file: string, under: Under): string[] {
  const [project] = PROJECT.exec(file) ?? []
  const migrated = MIGRATION.exec(file)?.[1]
  return under(
    ...(project === undefined ? [] : [project]),
    ...(migrated === undefined ? [] : [`workers/${migrated}/`]),
    ...(TEXT.test(file) ? ['scripts/checks/'] : []),
  )
}

/** Tests that reach a file over HTTP, without importing it. */
function testsBeside(file: string, under: Under): string[] {
  const [, worker, feature] = FEATURE.exec(file) ?? []
  if (worker !== undefined) {
    const own = under(`workers/${worker}/test/${feature}/`)
    const top = under(`workers/${worker}/test/`).filter((test) => test.split('/').length === 4)
    return own.length > 0 ? [...own, ...top] : under(`workers/${worker}/`)
  }
  return JOINT.test(file) ? under(PROJECT.exec(file)?.[0] ?? '') : []
}
