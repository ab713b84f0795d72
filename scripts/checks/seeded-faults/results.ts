import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Outcome } from './trial.ts'

/** What was found in one tree. Written after every fault, so that a run that was stopped can go on. */
export interface Results {
  readonly tree: string
  readonly outcomes: readonly Outcome[]
}

export function readResults(file: string): Results | null {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : null
}

export function writeResults(file: string, results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
}

/** A Markdown table of several results, a column each, in the order of the faults. */
export function tableOf(
  faults: readonly { readonly id: string; readonly about: string }[],
  all: readonly Results[],
): string {
  const columns = all.map((_, i) => (all.length === 1 ? 'verdict' : `verdict ${i + 1}`))
  const header = ['fault', 'what goes wrong', ...columns, 'caught by']
  const rows = faults.map(({ id, about }) => {
    const found = all.map(({ outcomes }) => outcomes.find((one) => one.id === id))
    const by = found.findLast((one) => one?.by)?.by
    return [id, about, ...found.map((one) => one?.verdict ?? '–'), by ? `${by.file}: ${by.test}` : '–']
  })
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}
