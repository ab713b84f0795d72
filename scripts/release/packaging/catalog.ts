import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'

/** The workspace's version of a package. */
export function catalogVersion(name: string): string {
  const text = readFileSync(join(ROOT, 'pnpm-workspace.yaml'), 'utf8')
  const catalog = /^catalog:\n((?: {2}.*\n)+)/m.exec(text)?.[1] ?? ''
  const line = catalog.split('\n').find((entry) => entry.replaceAll("'", '').startsWith(`  ${name}: `))
  if (line === undefined) throw new Error(`${name} is not in the catalog of pnpm-workspace.yaml`)
  return line.slice(line.lastIndexOf(': ') + 2)
}
