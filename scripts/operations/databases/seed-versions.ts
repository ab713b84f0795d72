import type { Databases } from './databases.ts'

/** What a version of a seed still names in a database. */
export interface NamedRows {
  readonly seed: string
  readonly version: number
  readonly what: string
  readonly rows: number
}

interface Counted {
  readonly seed: string
  readonly database: string
  readonly what: string
  /** Rows of `version` and `n`. */
  readonly sql: string
}

const grouped = (version: string, table: string, where = '1') =>
  `SELECT ${version} AS version, count(*) AS n FROM ${table} WHERE ${where} GROUP BY 1 ORDER BY 1`
/** Of a name such as `2.c29tZWJvZHk`. */
const prefixOf = (column: string) => `CAST(substr(${column}, 1, instr(${column}, '.') - 1) AS INTEGER)`

const COUNTED: readonly Counted[] = [
  {
    seed: 'OPAQUE_SERVER_SEED',
    database: 'svc-auth',
    what: 'passwords',
    sql: grouped('seed_version', 'opaque_records'),
  },
  {
    seed: 'OPAQUE_SERVER_SEED',
    database: 'svc-auth',
    what: 'people at providers',
    sql: grouped('seed_version', 'subjects'),
  },
  {
    seed: 'CLAIMANTS_SEED',
    database: 'svc-provenance',
    what: 'claimants of texts',
    sql: grouped(prefixOf('claimant'), 'text_claimants'),
  },
  {
    seed: 'CLAIMANTS_SEED',
    database: 'svc-provenance',
    what: 'registrants of texts',
    sql: grouped(prefixOf('registrant'), 'text_assets'),
  },
]

/** How many rows each version of a seed names: one that names none can be dropped. */
export async function countNamedRows(databases: Databases): Promise<NamedRows[]> {
  const counts: NamedRows[] = []
  for (const { seed, database, what, sql } of COUNTED)
    for (const { version, n } of await databases.query(database, sql))
      counts.push({ seed, version: Number(version), what, rows: Number(n) })
  return counts
}

/** One line for each version and kind of row. */
export function seedVersionLines(counts: readonly NamedRows[]): string[] {
  return counts.map(({ seed, version, what, rows }) => `${seed} version ${version}: ${what}: ${rows}`)
}
