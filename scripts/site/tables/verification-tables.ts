import { VERIFICATION_REASONS, VERIFICATION_SUBJECTS } from '@svc/client/verify'

const SOURCE = 'packages/client/src/verification'
const markerOf = (file: string) => `<!-- The table below is generated from ${SOURCE}/${file} -->`

function tableOf(head: string, rows: Readonly<Record<string, string>>): string {
  const lines = Object.entries(rows).map(([name, text]) => `| \`${name}\` | ${text} |`)
  return `${head}\n|---|---|\n${lines.join('\n')}`
}

/** What the SDK verifies, and why it refuses, each beside its marker on the page on verification. */
export const VERIFICATION_TABLES: readonly (readonly [marker: string, table: string])[] = [
  [markerOf('subjects.ts'), tableOf('| `subject` | What it is |', VERIFICATION_SUBJECTS)],
  [markerOf('reasons.ts'), tableOf('| `reason` | What it means |', VERIFICATION_REASONS)],
]
