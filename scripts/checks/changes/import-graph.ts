import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { importsOf } from '@svc/platform/imports'
import { ROOT } from '@svc/platform/workspace'
import { repositoryFiles, sourceFiles } from '../source-files.ts'

/** For each file, the files that import it. Paths are relative to the root of the repository. */
export type Importers = ReadonlyMap<string, readonly string[]>

type Exports = Readonly<Record<string, string>>

/** Reads the imports of every source file. Installed packages are left out. */
export function readImporters(): Importers {
  const packages = readExports()
  const importers = new Map<string, string[]>()
  for (const file of sourceFiles())
    for (const { target } of importsOf(file, readFileSync(join(ROOT, file), 'utf8'))) {
      const path = target.startsWith('@svc/') ? exportedFile(target, packages) : target
      if (path === undefined) continue
      const known = importers.get(path)
      if (known) known.push(file)
      else importers.set(path, [file])
    }
  return importers
}

function readExports(): ReadonlyMap<string, { readonly folder: string; readonly exports: Exports }> {
  return new Map(
    repositoryFiles()
      .filter((file) => /^(packages|workers|scripts|examples)\/[^/]+\/package\.json$/.test(file))
      .map((file) => {
        const { name, exports = {} } = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as {
          name: string
          exports?: Exports
        }
        return [name, { folder: dirname(file), exports }]
      }),
  )
}

/** The file that a package of this repository exports under a specifier. */
function exportedFile(specifier: string, packages: ReturnType<typeof readExports>): string | undefined {
  const [, name = '', rest = ''] = /^(@svc\/[^/]+)(?:\/(.+))?$/.exec(specifier) ?? []
  const known = packages.get(name)
  if (known === undefined) return undefined
  const exported = known.exports[rest === '' ? '.' : `./${rest}`] ?? known.exports['./*']?.replace('*', rest)
  return exported === undefined ? undefined : join(known.folder, exported)
}
