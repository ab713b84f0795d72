import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { capture } from '@svc/platform/command'
import { ROOT, SetupError } from '@svc/platform/workspace'
import { catalogVersion } from './catalog.ts'
import { distPath, emit } from './emit.ts'
import { type Contents, contentsOf, PUBLISHED, type PublishedName } from './published-packages.ts'
import { originOf, PUBLISHING, type Publishing, withPublishedNames } from './publishing.ts'

export interface BuiltPackage {
  readonly name: string
  readonly version: string
  /** The content of the tarball. */
  readonly folder: string
  readonly tarball: string
}

/** Builds every published package into `folder`, which it empties first. */
export async function buildPackages(folder: string, publishing = PUBLISHING): Promise<BuiltPackage[]> {
  rmSync(folder, { recursive: true, force: true })
  const built: BuiltPackage[] = []
  for (const name of PUBLISHED) built.push(await buildPackage(name, folder, publishing))
  return built
}

async function buildPackage(name: PublishedName, folder: string, publishing: Publishing): Promise<BuiltPackage> {
  const contents = contentsOf(name)
  const target = join(folder, name)
  mkdirSync(target, { recursive: true })
  await emit(contents, target)
  const published = publishedManifest(contents, publishing, `packages/${name}`)
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  for (const file of ['README.md', 'CHANGELOG.md']) {
    const text = readFileSync(join(ROOT, 'packages', name, file), 'utf8')
    writeFileSync(join(target, file), withPublishedNames(text, publishing))
  }
  cpSync(join(ROOT, 'LICENSE'), join(target, 'LICENSE'))
  return { name: published.name, version: published.version, folder: target, tarball: await pack(target, folder) }
}

function publishedManifest(
  { manifest, entries, dependencies, optionalDependencies }: Contents,
  publishing: Publishing,
  folder: string,
) {
  const exports: Record<string, string | { types: string; default: string }> = {}
  for (const [subpath, source] of entries)
    exports[subpath] = { types: `./${distPath(source, '.d.ts')}`, default: `./${distPath(source, '.js')}` }
  exports['./package.json'] = './package.json'
  const inPackage = (source: string) => `./${distPath(join(folder, source), '.js')}`
  const bin = Object.entries(manifest.bin ?? {}).map(([command, source]) => [command, inPackage(source)] as const)
  const versions = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, `^${catalogVersion(name)}`]))
  return {
    name: withPublishedNames(manifest.name, publishing),
    version: manifest.version,
    description: manifest.description,
    keywords: manifest.keywords,
    license: 'Apache-2.0',
    ...originOf(publishing, folder),
    type: 'module',
    sideEffects: false,
    engines: { node: '>=22' },
    files: ['dist', 'CHANGELOG.md'],
    exports,
    ...(bin.length > 0 && { bin: Object.fromEntries(bin) }),
    dependencies: versions(dependencies),
    ...(optionalDependencies.length > 0 && { optionalDependencies: versions(optionalDependencies) }),
  }
}

/** Uses npm, because its rules decide what a published package contains. */
async function pack(source: string, folder: string): Promise<string> {
  const { code, output } = await capture('npm', ['pack', source, '--pack-destination', folder, '--loglevel', 'error'])
  const file = /^\S+\.tgz$/m.exec(output)?.[0]
  if (code !== 0 || file === undefined) throw new SetupError(`npm could not pack ${source}.\n${output}`)
  return join(folder, basename(file))
}
