import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { capture } from '@svc/platform/command'
import { ROOT, SetupError } from '@svc/platform/workspace'
import { catalogVersion } from './catalog.ts'
import { distPath, emit } from './emit.ts'
import { type Contents, contentsOf, manifestOf, PUBLISHED, type PublishedName } from './published-packages.ts'

export interface BuiltPackage {
  readonly name: string
  readonly version: string
  /** The content of the tarball. */
  readonly folder: string
  readonly tarball: string
}

/** Builds every published package into `folder`, which it empties first. */
export async function buildPackages(folder: string): Promise<BuiltPackage[]> {
  rmSync(folder, { recursive: true, force: true })
  const built: BuiltPackage[] = []
  for (const name of PUBLISHED) built.push(await buildPackage(name, folder))
  return built
}

async function buildPackage(name: PublishedName, folder: string): Promise<BuiltPackage> {
  const contents = contentsOf(name)
  const target = join(folder, name)
  mkdirSync(target, { recursive: true })
  await emit(contents, target)
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(publishedManifest(contents), null, 2)}\n`)
  for (const file of ['README.md', 'CHANGELOG.md']) cpSync(join(ROOT, 'packages', name, file), join(target, file))
  cpSync(join(ROOT, 'LICENSE'), join(target, 'LICENSE'))
  const { manifest } = contents
  return { name: manifest.name, version: manifest.version, folder: target, tarball: await pack(target, folder) }
}

function publishedManifest({ manifest, entries, dependencies }: Contents) {
  const exports: Record<string, string | { types: string; default: string }> = {}
  for (const [subpath, source] of entries)
    exports[subpath] = { types: `./${distPath(source, '.d.ts')}`, default: `./${distPath(source, '.js')}` }
  exports['./package.json'] = './package.json'
  return {
    name: manifest.name,
    version: manifest.version,
    description: manifest.description,
    keywords: manifest.keywords,
    license: 'Apache-2.0',
    type: 'module',
    sideEffects: false,
    engines: { node: '>=22' },
    files: ['dist', 'CHANGELOG.md'],
    exports,
    dependencies: Object.fromEntries(dependencies.map((name) => [name, `^${versionOf(name)}`])),
  }
}

function versionOf(dependency: string): string {
  const own = PUBLISHED.find((name) => manifestOf(name).name === dependency)
  return own === undefined ? catalogVersion(dependency) : manifestOf(own).version
}

/** Uses npm, because its rules decide what a published package contains. */
async function pack(source: string, folder: string): Promise<string> {
  const { code, output } = await capture('npm', ['pack', source, '--pack-destination', folder, '--loglevel', 'error'])
  const file = /^\S+\.tgz$/m.exec(output)?.[0]
  if (code !== 0 || file === undefined) throw new SetupError(`npm could not pack ${source}.\n${output}`)
  return join(folder, basename(file))
}
