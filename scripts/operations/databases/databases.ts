/** The D1 databases of one deployment, at Cloudflare or on this machine. */
export interface Databases {
  /** The names in the committed configuration: `svc-core`. */
  readonly names: readonly string[]
  /** SQL that makes the database again, of one moment. */
  export(name: string): Promise<string>
  query(name: string, sql: string): Promise<readonly Row[]>
  /** Runs all of these statements or none of them. */
  run(name: string, statements: readonly string[]): Promise<void>
}

export type Row = Readonly<Record<string, unknown>>

/** The tables that are not SQLite's own or Cloudflare's. */
export const OWN_TABLES = `type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'`

/** `"name"`, as an identifier of SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
