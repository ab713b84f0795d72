// Fails on a file that nobody reads in one go. House rule: median at most 80, over 250 is a smell, over 400 fails.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sourceFiles } from './lib/source-files.ts'
import { ROOT } from './lib/workspace.ts'

const SMELL_LINES = 250
const MAX_LINES = 400

const sizes = sourceFiles().map((file) => ({
  file,
  lines: readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1,
}))
const large = sizes.filter(({ lines }) => lines > SMELL_LINES).toSorted((a, b) => b.lines - a.lines)
for (const { file, lines } of large)
  console.log(`${file}: ${lines} lines${lines > MAX_LINES ? ` (more than ${MAX_LINES})` : ''}`)

const written = sizes.filter(({ file }) => !file.endsWith('.test.ts')).map(({ lines }) => lines)
const sorted = written.toSorted((a, b) => a - b)
console.log(
  `${sorted.length} source files, median ${sorted[sorted.length >> 1] ?? 0} lines, longest ${sorted.at(-1) ?? 0}`,
)
process.exitCode = large.some(({ lines }) => lines > MAX_LINES) ? 1 : 0
