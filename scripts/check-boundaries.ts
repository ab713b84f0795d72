// Fails when an import crosses a layer. Reads import specifiers; needs no bundler.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_EDGES, PACKAGE_FILE, violations } from './lib/boundaries.ts'
import { sourceFiles } from './lib/source-files.ts'
import { ROOT } from './lib/workspace.ts'

for (const file of sourceFiles().filter((path) => /^(workers|packages)\//.test(path)))
  for (const violation of violations(file, readFileSync(join(ROOT, file), 'utf8'))) fail(violation)

for (const manifest of globSync('packages/*/package.json', { cwd: ROOT })) {
  const from = PACKAGE_FILE.exec(manifest)?.[1] ?? ''
  const edges = PACKAGE_EDGES[from]
  if (edges === undefined) fail(`${manifest}: the package has no place among the edges between packages`)
  const { dependencies = {} } = JSON.parse(readFileSync(join(ROOT, manifest), 'utf8')) as { dependencies?: object }
  for (const name of Object.keys(dependencies))
    if (name.startsWith('@svc/') && edges?.includes(name.slice(5)) !== true)
      fail(`${manifest}: "${name}" (the edges between packages are fixed)`)
}

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}
