import type { Row } from './row.ts'

const HEADS = ['Lost', 'Restored from', 'Missing', 'Doubled'] as const

/** The rows as a Markdown table. */
export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(({ lost, restoredFrom, missing, later, doubled }) => [
    lost,
    restoredFrom,
    missing.length > 0 ? String(missing.length) : later > 0 ? `${later} after the export` : 'nothing',
    doubled.length === 0 ? 'nothing' : String(doubled.length),
  ])
  return [HEADS, HEADS.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/** A sentence for each fault, with the loss that it followed. */
export function faultsIn(rows: readonly Row[]): string[] {
  return rows.flatMap(({ lost, missing, doubled }) => [...missing, ...doubled].map((fault) => `${lost}: ${fault}`))
}
