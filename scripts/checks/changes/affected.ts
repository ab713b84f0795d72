/**
 * What a change can affect, computed from the imports. It does not follow service bindings: a change in core selects no
 * test of a Worker that calls core. The whole suite covers those.
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
const FOLDER = /^(packages|workers|scripts|examples)\/[^/]+\//
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
  const tests = new Set<string>()
  const reached = closure(changed, importers, (file, importer) => FEATURE.test(file) && JOINT.test(importer))
  for (const file of reached) {
    const more = TEST.test(file) ? [file] : testsBeside(file, changed.includes(file), under)
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

/** Tests that reach a file without importing it: over HTTP, or by its path. */
function testsBeside(file: string, isChanged: boolean, under: (...prefixes: string[]) => string[]): string[] {
  const [, worker, feature] = FEATURE.exec(file) ?? []
  if (worker !== undefined) {
    const own = under(`workers/${worker}/test/${feature}/`)
    const top = under(`workers/${worker}/test/`).filter((test) => test.split('/').length === 4)
    return own.length > 0 ? [...own, ...top] : under(`workers/${worker}/`)
  }
  const folder = FOLDER.exec(file)?.[0]
  if (JOINT.test(file) || /\/vitest[^/]*\.config\.ts$/.test(file)) return under(folder ?? '')
  if (!isChanged || file.endsWith('.ts')) return []
  const migrated = MIGRATION.exec(file)?.[1]
  if (migrated !== undefined) return under(`workers/${migrated}/`)
  // Configuration, data and texts are read by path.
  const readers = TEXT.test(file) ? ['scripts/checks/'] : []
  return under(...(folder === undefined ? [] : [folder]), ...readers)
}
