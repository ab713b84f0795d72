import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import type { BuiltPackage } from './build.ts'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Record<string, string>
}

/** Packs what the built packages depend on, directly or not, in the locked versions. Returns the tarballs. */
export function packDependencies(built: readonly BuiltPackage[], folder: string): string[] {
  const tarballs = new Map<string, string>()
  const own = new Set(built.map(({ name }) => name))
  for (const { name, folder: source } of built)
    for (const dependency of Object.keys(readManifest(source).dependencies ?? {}))
      if (!own.has(dependency))
        addInstalled(dependency, join(ROOT, 'packages', basename(source), 'node_modules'), tarballs, folder, name)
  return [...tarballs.values()]
}

/** An installed package and its dependencies. A declared dependency that is not installed is an error. */
function addInstalled(
  name: string,
  nodeModules: string,
  tarballs: Map<string, string>,
  folder: string,
  requiredBy: string,
): void {
  const source = realpathOf(join(nodeModules, name)) ?? realpathOf(join(ROOT, 'node_modules/.pnpm/node_modules', name))
  if (source === undefined) throw new Error(`${requiredBy} needs ${name}, which is not installed`)
  const manifest = readManifest(source)
  // Two dependencies may need two versions of one package.
  const id = `${name}@${manifest.version}`
  if (tarballs.has(id)) return
  tarballs.set(id, packInstalled(source, manifest, folder))
  const siblings = join(source, ...name.split('/').map(() => '..'))
  for (const dependency of Object.keys(manifest.dependencies ?? {}))
    addInstalled(dependency, siblings, tarballs, folder, name)
}

function packInstalled(source: string, { name, version }: Manifest, folder: string): string {
  const work = mkdtempSync(join(folder, 'package-'))
  const copy = join(work, 'package')
  cpSync(source, copy, { recursive: true, filter: (path) => basename(path) !== 'node_modules' })
  // Applications get the package as published, without our patch.
  const patch = join(ROOT, 'scripts/platform/patches', `${name.replace('/', '__')}@${version}.patch`)
  if (existsSync(patch)) execFileSync('git', ['apply', '--reverse', patch], { cwd: copy, stdio: 'pipe' })
  const tarball = join(folder, `${name.replace('/', '-').replace('@', '')}-${version}.tgz`)
  execFileSync('tar', ['-czf', tarball, '-C', work, 'package'])
  return tarball
}

function readManifest(source: string): Manifest {
  return JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest
}

function realpathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
