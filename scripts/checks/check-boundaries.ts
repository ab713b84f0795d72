// Fails when an import crosses a layer, a manifest declares an edge that is not allowed, or a mark for bundlers is missing.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import {
  EXAMPLE_EDGES,
  EXAMPLE_FILE,
  PACKAGE_EDGES,
  PACKAGE_FILE,
  TOOL_EDGES,
  TOOL_FILE,
  violations,
} from './boundaries.ts'
import { unmarkedConstants } from './pure-marks.ts'
import { sourceFiles } from './source-files.ts'

for (const file of sourceFiles().filter((path) => /^(workers|packages|scripts|examples)\//.test(path))) {
  const source = readFileSync(join(ROOT, file), 'utf8')
  for (const violation of [...violations(file, source), ...unmarkedConstants(file, source)]) fail(violation)
}

for (const manifest of globSync(['packages/*/package.json', 'scripts/*/package.json', 'examples/*/package.json'], {
  cwd: ROOT,
})) {
  const tool = TOOL_FILE.exec(manifest)?.[1]
  const edges = edgesOf(manifest, tool)
  if (edges === undefined)
    fail(`${manifest}: the package is missing from the allowed edges in scripts/checks/boundaries.ts`)
  const { dependencies = {} } = JSON.parse(readFileSync(join(ROOT, manifest), 'utf8')) as { dependencies?: object }
  for (const name of Object.keys(dependencies).filter((dependency) => dependency.startsWith('@svc/'))) {
    const to = name.slice('@svc/'.length)
    const isAllowed = edges?.includes(to) === true || (tool !== undefined && to in PACKAGE_EDGES)
    if (!isAllowed) fail(`${manifest}: "${name}" (the edges between packages are fixed)`)
  }
}

function edgesOf(manifest: string, tool: string | undefined): readonly string[] | undefined {
  if (EXAMPLE_FILE.test(manifest)) return EXAMPLE_EDGES
  return tool === undefined ? PACKAGE_EDGES[PACKAGE_FILE.exec(manifest)?.[1] ?? ''] : TOOL_EDGES[tool]
}

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}
