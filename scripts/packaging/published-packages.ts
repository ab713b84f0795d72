/**
 * Which packages are published, and what of the workspace is in each. A package that is published brings the workspace
 * packages that are not along, as files of its own: their names and layout may change without notice, so nobody else may
 * depend on them. Packages from the registry stay dependencies, so that an application has each of them once.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importsOf } from '../lib/imports.ts'
import { ROOT } from '../lib/workspace.ts'

const SCOPE = '@svc/'

/** In the order of their dependence. */
export const PUBLISHED = ['fingerprint', 'client'] as const
export type PublishedName = (typeof PUBLISHED)[number]

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description?: string
  readonly keywords?: readonly string[]
  readonly exports: Readonly<Record<string, string>>
}

/** The part of the workspace that one published package is made of. */
export interface Contents {
  readonly manifest: Manifest
  /** Subpath of the package, such as `.`, to the repository path of its source. */
  readonly entries: ReadonlyMap<string, string>
  /** Repository paths. */
  readonly files: readonly string[]
  /** Names of packages that it imports from elsewhere, published ones of this workspace included. */
  readonly dependencies: readonly string[]
}

export function manifestOf(workspacePackage: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, 'packages', workspacePackage, 'package.json'), 'utf8')) as Manifest
}

/** Everything that the entries reach. */
export function contentsOf(name: PublishedName): Contents {
  const manifest = manifestOf(name)
  const subpaths = Object.entries(manifest.exports)
  const entries = new Map(subpaths.map(([subpath, source]) => [subpath, join('packages', name, source)]))
  const files = new Set(entries.values())
  const dependencies = new Set<string>()
  for (const file of files)
    for (const { specifier, target } of importsOf(file, readFileSync(join(ROOT, file), 'utf8'))) {
      const source = specifier.startsWith('.') ? target : inlinedSource(specifier)
      if (source === null) dependencies.add(packageOf(specifier))
      else files.add(source)
    }
  return { manifest, entries, files: [...files].toSorted(), dependencies: [...dependencies].toSorted() }
}

/** The repository path behind a specifier of a workspace package that is not published, or null for any other. */
export function inlinedSource(specifier: string): string | null {
  if (!specifier.startsWith(SCOPE)) return null
  const [workspacePackage = '', ...rest] = specifier.slice(SCOPE.length).split('/')
  if ((PUBLISHED as readonly string[]).includes(workspacePackage)) return null
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
