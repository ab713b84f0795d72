/**
 * What a D1 migration may do: the code of before runs on the tables of after, during each deployment and after a roll-back.
 * So a release first adds what it needs, and a later one removes what none uses any more.
 *
 * @module
 */

/** Names the release after which nothing uses what the file removes: a commit, or its tag in Cloudflare. */
const UNUSED_SINCE = /^-- unused since: [0-9a-f]{12,40}$/m

const REMOVALS: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: 'drops a table or a view', pattern: /\bDROP\s+(?:TABLE|VIEW)\b/i },
  { what: 'drops a column', pattern: /\bALTER\s+TABLE\s+\S+\s+DROP\b/i },
  { what: 'renames a table or a column', pattern: /\bALTER\s+TABLE\s+\S+\s+RENAME\b/i },
]

/** `known` are the tables that earlier files make; a table that this file makes is used by nobody yet. */
export function migrationFaults(sql: string, known: ReadonlySet<string>): string[] {
  if (UNUSED_SINCE.test(sql)) return []
  const statements = sql
    .replaceAll(/--[^\n]*/g, ' ')
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
  const faults = statements.flatMap((statement) => [
    ...REMOVALS.filter(({ pattern }) => pattern.test(statement)).map(
      ({ what }) => `${what}: ${statement.slice(0, 80)}`,
    ),
    ...(isRequiredColumn(statement) ? [`adds a column that must have a value: ${statement.slice(0, 80)}`] : []),
    ...(isNarrowing(statement, known) ? [`makes rows unique in a table that has rows: ${statement.slice(0, 80)}`] : []),
  ])
  return faults
}

/** The tables that a file makes. */
export function tablesOf(sql: string): string[] {
  return [...sql.matchAll(/\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)/gi)].map(([, name = '']) => name)
}

function isRequiredColumn(statement: string): boolean {
  return (
    /\bALTER\s+TABLE\s+\S+\s+ADD\b/i.test(statement) &&
    /\bNOT\s+NULL\b/i.test(statement) &&
    !/\bDEFAULT\b/i.test(statement)
  )
}

/** The code of before may write what the index refuses. */
function isNarrowing(statement: string, known: ReadonlySet<string>): boolean {
  const [, table] = /\bCREATE\s+UNIQUE\s+INDEX\s+(?:IF\s+NOT\s+EXISTS\s+)?\w+\s+ON\s+(\w+)/i.exec(statement) ?? []
  return table !== undefined && known.has(table)
}
