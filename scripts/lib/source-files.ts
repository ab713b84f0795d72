import { globSync } from 'node:fs'
import { ROOT } from './workspace.ts'

const NOT_SOURCE = new Set(['node_modules', '.git', '.state', '.wrangler', 'coverage', 'dist'])
const GENERATED = /(^|\/)(env\.d\.ts|openapi\.json|pnpm-lock\.yaml)$|\.gen\.ts$|\.tsbuildinfo$/

/** Every file that belongs to the repository, by path from its root. Needs no git: an archive of it is checked alike. */
export function repositoryFiles(): string[] {
  return globSync('**/*', { cwd: ROOT, withFileTypes: true, exclude: (entry) => NOT_SOURCE.has(entry.name) })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(ROOT.length + 1))
    .toSorted()
}

/** TypeScript that somebody writes. */
export function sourceFiles(): string[] {
  return repositoryFiles().filter((file) => file.endsWith('.ts') && !GENERATED.test(file))
}

export function isGenerated(file: string): boolean {
  return GENERATED.test(file)
}
