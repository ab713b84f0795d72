// Fails if the median source file is too long, or a folder has too many. The linter limits each file.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { sourceFiles } from './source-files.ts'

const MAX_MEDIAN_LINES = 80
const MAX_FILES_IN_FOLDER = 25

const files = sourceFiles()
const lines = files
  .filter((file) => !/\.test\.tsx?$/.test(file))
  .map((file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1)
  .toSorted((a, b) => a - b)
const median = lines[lines.length >> 1] ?? 0
console.log(`${lines.length} source files, median ${median} lines, longest ${lines.at(-1) ?? 0}`)
if (median > MAX_MEDIAN_LINES) fail(`The median is more than ${MAX_MEDIAN_LINES} lines`)

const folders = Map.groupBy(files, dirname)
for (const [folder, { length }] of folders)
  if (length > MAX_FILES_IN_FOLDER) fail(`${folder}: ${length} .ts and .tsx files (more than ${MAX_FILES_IN_FOLDER})`)

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}
