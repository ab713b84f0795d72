/**
 * The published packages and their contents. A published package includes the files of the workspace packages that it
 * imports, so that it installs alone: their names and layout can change without notice. It imports them by the `imports`
 * of its manifest, such as `#protocol/base/hash`, which lead to workspace packages here and to its own files when it is
 * published. Packages from the registry stay dependencies, so that an application installs each of them once.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importsOf } from '@svc/platform/imports'
import { ROOT } from '@svc/platform/workspace'

export const PUBLISHED = ['fingerprint', 'client', 'cli'] as const
export type PublishedName = (typeof PUBLISHED)[number]

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description?: string
  readonly keywords?: readonly string[]
  readonly exports: Readonly<Record<string, string>>
  /** Names of imported workspace packages, which are included. */
  readonly imports?: Readonly<Record<string, string>>
  /** Commands, and their sources. */
  readonly bin?: Readonly<Record<string, string>>
  /** What it works without; only a program has them. */
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** The parts of the workspace that make up a published package. */
export interface Contents {
  readonly manifest: Manifest
  /** Source files by subpath of the package, such as `.`. */
  readonly entries: ReadonlyMap<string, string>
  /** Source files by what names them in the package's code, such as `#pqc` and `#protocol/*`. */
  readonly imports: ReadonlyMap<string, string>
  /** Repository paths. */
  readonly files: readonly string[]
  /** The packages that it imports from a registry. */
  readonly dependencies: readonly string[]
  /** Those that it works without. */
  readonly optionalDependencies: readonly string[]
}

export function manifestOf(workspacePackage: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, 'packages', workspacePackage, 'package.json'), 'utf8')) as Manifest
}

/** Collects everything that the entries import, directly or not. */
export function contentsOf(name: PublishedName): Contents {
  const manifest = manifestOf(name)
  const subpaths = Object.entries(manifest.exports)
  const entries = new Map(subpaths.map(([subpath, source]) => [subpath, join('packages', name, source)]))
  const programs = Object.values(manifest.bin ?? {}).map((source) => join('packages', name, source))
  const files = new Set([...entries.values(), ...programs])
  const dependencies = new Set<string>()
  for (const file of files)
    for (const { specifier, target } of importsOf(file, readFileSync(join(ROOT, file), 'utf8'))) {
      if (specifier.startsWith('node:')) continue
      if (specifier.startsWith('@svc/'))
        throw new Error(`${file} is published: import ${specifier} by #, as its manifest names it`)
      if (specifier.startsWith('.')) files.add(target)
      else if (specifier.startsWith('#')) files.add(includedSource(specifier))
      else dependencies.add(packageOf(specifier))
    }
  const optional = Object.keys(manifest.optionalDependencies ?? {})
  return {
    manifest,
    entries,
    imports: includedImports([...files]),
    files: [...files].toSorted(),
    dependencies: [...dependencies].filter((one) => !optional.includes(one)).toSorted(),
    optionalDependencies: optional,
  }
}

/** The sources that the packages of the files can name by `#`, by the name. */
function includedImports(files: readonly string[]): Map<string, string> {
  const folders = new Set(files.map((file) => file.split('/')[1] ?? ''))
  return new Map(
    [...folders].flatMap((from) =>
      Object.values(manifestOf(from).imports ?? {})
        .map((target) => target.split('/')[1] ?? '')
        .filter((to) => folders.has(to))
        .flatMap(exportsByName)
        .filter(([, source]) => source.includes('*') || files.includes(source)),
    ),
  )
}

/** What a workspace package exports: `#pqc/noble` and its source. */
function exportsByName(workspacePackage: string): [string, string][] {
  return Object.entries(manifestOf(workspacePackage).exports).map(([subpath, source]) => [
    `#${workspacePackage}${subpath.slice(1)}`,
    join('packages', workspacePackage, source),
  ])
}

/** The sources by all names that start with `#`, for the compiler. */
export function importsByPath(): Record<string, string[]> {
  const included = Object.values(manifestOf('client').imports ?? {}).map((target) => target.split('/')[1] ?? '')
  const names = ['client', ...included].flatMap(exportsByName)
  return Object.fromEntries(names.map(([name, source]) => [name, [join(ROOT, source)]]))
}

/** The repository path of a specifier that starts with `#`. */
function includedSource(specifier: string): string {
  const [workspacePackage = '', ...rest] = specifier.slice(1).split('/')
  const subpath = ['.', ...rest].join('/')
  const { exports } = manifestOf(workspacePackage)
  const source = exports[subpath] ?? exports['./*']?.replace('*', rest.join('/'))
  if (source === undefined) throw new Error(`${specifier} is not exported`)
  return join('packages', workspacePackage, source)
}

/** `@noble/hashes` of `@noble/hashes/sha3.js`. */
export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
