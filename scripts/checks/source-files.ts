import { globSync } from 'node:fs'
import { ROOT } from '@svc/platform/workspace'

const NOT_SOURCE = new Set(['node_modules', '.git', '.state', '.wrangler', 'coverage', 'dist'])
const GENERATED = /(^|\/)(env\.d\.ts|openapi\.json|pnpm-lock\.yaml)$|\.gen\.ts$|\.tsbuildinfo$/

/** Every file of the repository, by path. Does not need Git, so an archive can be checked too. */
export function repositoryFiles(): string[] {
  return globSync('**/*', { cwd: ROOT, withFileTypes: true, exclude: (entry) => NOT_SOURCE.has(entry.name) })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(ROOT.length + 1))
    .toSorted()
}

/** TypeScript files, except generated ones. */
export function sourceFiles(): string[] {
  return repositoryFiles().filter((file) => /\.tsx?$/.test(file) && !GENERATED.test(file))
}

export function isGenerated(file: string): boolean {
  return GENERATED.test(file)
}
