// Fails if a test file runs with --full alone though nothing that it does is long, or if too many do.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importsOf } from '@svc/platform/imports'
import { ROOT } from '@svc/platform/workspace'
import { LONG_TEST_FILES } from './projects/long-files.ts'
import { LONG_KINDS, MAX_SHARE_OF_FILES, MAX_SHARE_OF_LINES, NEVER_LONG } from './projects/long-kinds.ts'
import { sourceFiles } from './source-files.ts'

const TEST = /\.test\.tsx?$/
/** Where tests have their fixtures. What is tested says nothing of how long a test takes. */
const TESTED_SOURCE = /^(?:packages|workers)\/[^/]+\/src\//

const sources = new Set(sourceFiles())
/** It has the texts that the patterns find. */
const OF_THE_PATTERNS = 'scripts/checks/projects/long-kinds.test.ts'
const tests = [...sources].filter((file) => TEST.test(file) && file !== OF_THE_PATTERNS)
const long = new Set(globSync([...LONG_TEST_FILES], { cwd: ROOT }))
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const linesOf = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + textOf(file).split('\n').length - 1, 0)

for (const file of tests) {
  const kinds = kindsOf(file)
  if (long.has(file)) {
    if (kinds.length === 0) fail(`${file} runs with --full alone, but nothing that it does takes long`)
    if (NEVER_LONG.test(file)) fail(`${file} runs with --full alone: races, faults and attacks are part of every run`)
  } else {
    const always = kinds.find((kind) => kind.always)
    if (always) fail(`${file} ${always.does}, which every run would do: add it to projects/long-files.ts`)
  }
}
const files = long.size / tests.length
const lines = linesOf(long) / linesOf(tests)
const shown = (share: number) => `${(share * 100).toFixed(1)} %`
console.log(
  `${long.size} of ${tests.length} test files (${shown(files)}; ${shown(lines)} of their lines) run with --full alone`,
)
if (files > MAX_SHARE_OF_FILES) fail(`More than ${shown(MAX_SHARE_OF_FILES)} of the test files run with --full alone`)
if (lines > MAX_SHARE_OF_LINES) fail(`More than ${shown(MAX_SHARE_OF_LINES)} of the lines run with --full alone`)

/** What a test file does, itself or by the fixtures and helpers that it imports. */
function kindsOf(test: string) {
  const reached = new Set([test])
  for (const file of reached)
    for (const { target, typeOnly } of importsOf(file, textOf(file)))
      if (!typeOnly && sources.has(target) && !TESTED_SOURCE.test(target)) reached.add(target)
  const texts = [...reached].map(textOf)
  return LONG_KINDS.filter(({ pattern }) => texts.some((text) => pattern.test(text)))
}

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}
