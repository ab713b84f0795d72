// Fails on leftovers, machine paths, unclear words, stray files and lost run bits.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { stumbles } from './plain-words.ts'
import { isGenerated, repositoryFiles } from './source-files.ts'

interface Ban {
  name: string
  files: RegExp
  pattern: RegExp
}

/** These files contain the patterns. */
const PATTERN_FILES = /^scripts\/checks\/(?:check-words|plain-words(?:\.test)?)\.ts$/
const BINARY = new Set(['.br', '.wasm', '.bin', '.png', '.ico', '.woff2', '.onnx'])
const COMMANDS = [
  'scripts/start',
  'scripts/test',
  'scripts/bench',
  'scripts/faults',
  'scripts/operate',
  'scripts/fuzz',
  'scripts/admin',
  'scripts/assertion',
  'scripts/package',
  'scripts/provision',
  'scripts/deploy',
  'scripts/smoke',
  'scripts/witness',
  'scripts/log-list',
  'scripts/publish-anchor',
  'scripts/seed-faults',
  '.ci/run',
]
const TOP_LEVEL =
  /^(package\.json|pnpm-workspace\.yaml|pnpm-lock\.yaml|tsconfig\.base\.json|(README|CONTRIBUTING|SECURITY|CHANGELOG)\.md|LICENSE|docs|examples|deployments|play|workers|packages|migrations|scripts|node_modules|\..+)$/

const BANS: Ban[] = [
  { name: 'merge marker', files: /./, pattern: /^(<{7}|>{7}|\|{7}) .*$/m },
  { name: 'left for later', files: /./, pattern: /\b(TODO|FIXME|XXX)\b/ },
  { name: 'path of one machine', files: /./, pattern: /(?<![\w.:/])\/(home|Users|root|work)\/[\w.-]+/ },
  { name: 'path of one machine', files: /./, pattern: /\b[A-Z]:\\Users\\/ },
  { name: 'host name', files: /^pnpm-lock\.yaml$/, pattern: /\w+:\/\/\S+|\btarball:.*/ },
]

for (const file of repositoryFiles()) {
  if (PATTERN_FILES.test(file) || BINARY.has(extname(file))) continue
  const text = readFileSync(join(ROOT, file), 'utf8')
  for (const { name, files, pattern } of BANS) {
    const found = files.test(file) && !(isGenerated(file) && file !== 'pnpm-lock.yaml') ? pattern.exec(text) : null
    if (found) fail(`${file}:${lineOf(text, found.index)}: ${found[0].slice(0, 80)} (${name})`)
  }
  if (!isGenerated(file) && !file.endsWith('.patch'))
    for (const { line, found, reason } of stumbles(text, (path) => existsSync(join(ROOT, path))))
      fail(`${file}:${line}: ${found} (${reason})`)
  if (text.startsWith('#!') && !isExecutable(file)) fail(`${file}: is a command without its run bit: chmod +x it`)
}
for (const command of COMMANDS)
  if (!isExecutable(command)) fail(`${command}: is missing, or lacks its run bit: chmod +x it`)
for (const entry of globSync('*', { cwd: ROOT }))
  if (!TOP_LEVEL.test(entry)) fail(`${entry}: does not belong at the top level`)

function isExecutable(file: string): boolean {
  return ((statSync(join(ROOT, file), { throwIfNoEntry: false })?.mode ?? 0) & 0o111) !== 0
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}
