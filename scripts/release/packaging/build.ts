import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { capture } from '@svc/platform/command'
import { ROOT, SetupError } from '@svc/platform/workspace'
import { catalogVersion } from './catalog.ts'
import { copyDist, distPath, withCompiled } from './emit.ts'
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
  const packages = PUBLISHED.map((name) => [name, contentsOf(name)] as const)
  return withCompiled(
    packages.map(([, contents]) => contents),
    async (compiled) => {
      const built: BuiltPackage[] = []
      for (const [name, contents] of packages) {
        const target = join(folder, name)
        copyDist(contents, compiled, target)
        built.push(await describeAndPack(name, contents, target, publishing))
      }
      return built
    },
  )
}

/** Adds what a package has beside its code. */
async function describeAndPack(
  name: PublishedName,
  contents: Contents,
  target: string,
  publishing: Publishing,
): Promise<BuiltPackage> {
  const published = publishedManifest(contents, publishing, `packages/${name}`)
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  for (const file of ['README.md', 'CHANGELOG.md']) {
    const text = readFileSync(join(ROOT, 'packages', name, file), 'utf8')
    writeFileSync(join(target, file), withPublishedNames(text, publishing))
  }
  cpSync(join(ROOT, 'LICENSE'), join(target, 'LICENSE'))
  return {
    name: published.name,
    version: published.version,
    folder: target,
    tarball: await pack(target, dirname(target)),
  }
}

function publishedManifest(
  { manifest, entries, imports, dependencies, optionalDependencies }: Contents,
  publishing: Publishing,
  folder: string,
) {
  const inDist = (sources: ReadonlyMap<string, string>) =>
    Object.fromEntries(
      [...sources].map(([name, source]) => [
        name,
        { types: `./${distPath(source, '.d.ts')}`, default: `./${distPath(source, '.js')}` },
      ]),
    )
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
    // The first that gives modules to programs that call require().
    engines: { node: '>=22.12' },
    files: ['dist', 'CHANGELOG.md'],
    exports: { ...inDist(entries), './package.json': './package.json' },
    ...(imports.size > 0 && { imports: inDist(imports) }),
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
