import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  globSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { SourceFile } from './locate.ts'

const NOT_COPIED: ReadonlySet<string> = new Set(['node_modules', '.git', '.state', '.wrangler', 'coverage', 'dist'])
/** What the installation keeps for itself. A cache that a fault could be hidden by stays behind. */
const CACHES: ReadonlySet<string> = new Set(['.cache', '.vite', '.vite-temp', '.vitest'])
const TESTS = /\.(?:test|fixture|config)\.ts$|\/testing\/|^packages\/testing\/|\.gen\.ts$|\.d\.ts$/

/** It fails in a copy with a fault, by design: the text of the fault is gone. */
const OWN_TEST = 'scripts/checks/seeded-faults/faults.test.ts'
const SOURCES = [
  'packages/*/src/**/*.ts',
  'workers/*/src/**/*.ts',
  'scripts/operations/**/*.ts',
  'scripts/witnessing/**/*.ts',
]

/** The sources that faults are seeded in: deployed and published code, and the tools of operators and witnesses. No tests. */
export function sourcesOf(tree: string): SourceFile[] {
  return globSync(SOURCES, { cwd: tree, exclude: (name) => NOT_COPIED.has(name) })
    .filter((path) => !TESTS.test(path))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(tree, path), 'utf8') }))
}

/**
 * Copies a tree with its installed packages and its history. Files are copied, so that a fault stays in the copy; packages
 * are hard links, which is quick and takes no room. Symbolic links stay as they are: they are relative, so `@svc/*` leads to the
 * packages of the copy and never back to the tree.
 */
export function copyTree(tree: string, to: string): void {
  if (!existsSync(join(tree, 'node_modules')))
    throw new Error(`${tree} has no node_modules: run scripts/test --list there`)
  copyFolder(tree, to, (name) => !NOT_COPIED.has(name), copyFileSync)
  rmSync(join(to, OWN_TEST), { force: true })
  for (const manifest of globSync('**/package.json', { cwd: tree, exclude: (name) => NOT_COPIED.has(name) })) {
    const modules = join(dirname(manifest), 'node_modules')
    if (existsSync(join(tree, modules)))
      copyFolder(join(tree, modules), join(to, modules), (name) => !CACHES.has(name), link)
  }
  shareHistory(tree, to)
}

/** Some tests ask for the commit, and would fail in the copy whatever the fault. */
function shareHistory(tree: string, to: string): void {
  if (!existsSync(join(tree, '.git'))) return
  const git = (...args: string[]) => execFileSync('git', args, { cwd: to, stdio: ['ignore', 'ignore', 'inherit'] })
  git('clone', '--quiet', '--bare', '--shared', tree, join(to, '.git'))
  git('config', 'core.bare', 'false')
  git('reset', '--quiet')
}

function copyFolder(
  from: string,
  to: string,
  takes: (name: string) => boolean,
  copyFile: (from: string, to: string) => void,
): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (!takes(entry.name)) continue
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else if (entry.isDirectory()) copyFolder(source, target, takes, copyFile)
    else if (entry.isFile()) copyFile(source, target)
  }
}

/** The temporary folder may be another file system. */
function link(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
  }
}
