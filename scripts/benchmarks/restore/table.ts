import type { Row } from './row.ts'

const HEADS = ['Lost', 'Restored from', 'Acknowledged', 'Missing', 'Doubled'] as const

/** The rows as a Markdown table. */
export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(({ lost, restoredFrom, acknowledged, replayed, missing, later, doubled }) => [
    lost,
    restoredFrom,
    `${acknowledged} writes, ${replayed} assertions`,
    missing.length > 0 ? String(missing.length) : later > 0 ? `${later} writes after the export` : 'nothing',
    doubled.length === 0 ? 'nothing' : String(doubled.length),
  ])
  return [HEADS, HEADS.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/** A sentence for each fault, with the loss that it followed. */
export function faultsIn(rows: readonly Row[]): string[] {
  return rows.flatMap(({ lost, missing, doubled }) => [...missing, ...doubled].map((fault) => `${lost}: ${fault}`))
}
