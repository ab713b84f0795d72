/**
 * The published packages and their contents. A published package includes the files of the workspace packages that it
 * imports, so that it installs alone: their names and layout can change without notice. Packages from
 * the registry stay dependencies, so that an application installs each of them once.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importsOf } from '@svc/platform/imports'
import { ROOT } from '@svc/platform/workspace'
import { SCHEMA_LIBRARY } from './lean-schemas.ts'

const SCOPE = '@svc/'

export const PUBLISHED = ['fingerprint', 'client', 'cli'] as const
export type PublishedName = (typeof PUBLISHED)[number]

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description?: string
  readonly keywords?: readonly string[]
  readonly exports: Readonly<Record<string, string>>
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
      const source = specifier.startsWith('.') ? target : inlinedSource(specifier)
      if (specifier.startsWith('node:')) continue
      if (specifier === 'zod') files.add(SCHEMA_LIBRARY)
      if (source === null) dependencies.add(packageOf(specifier))
      else files.add(source)
    }
  const optional = Object.keys(manifest.optionalDependencies ?? {})
  return {
    manifest,
    entries,
    files: [...files].toSorted(),
    dependencies: [...dependencies].filter((one) => !optional.includes(one)).toSorted(),
    optionalDependencies: optional,
  }
}

/** The repository path of a specifier in a workspace package, or null for other specifiers. */
export function inlinedSource(specifier: string): string | null {
  if (!specifier.startsWith(SCOPE)) return null
  const [workspacePackage = '', ...rest] = specifier.slice(SCOPE.length).split('/')
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
