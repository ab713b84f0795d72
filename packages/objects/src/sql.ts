/** All that a store needs of SQLite, whether its tables exist from the start or from the first row on. */
export type Sql = Pick<SqlStorage, 'exec'>

/** The platform's own tables begin with `_cf`. */
const OWN = "type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'"

/** The tables whose names match a GLOB pattern. */
export function tableNames(sql: Sql, pattern: string): string[] {
  return sql
    .exec<{ name: string }>(`SELECT name FROM sqlite_master WHERE ${OWN} AND name GLOB ? ORDER BY name`, pattern)
    .toArray()
    .map(({ name }) => name)
}

export function hasTable(sql: Sql, pattern: string): boolean {
  return tableNames(sql, pattern).length > 0
}

/** Whether a statement can write nothing. */
export function isReading(statement: string): boolean {
  if (/^\s*SELECT\b/i.test(statement)) return true
  return /^\s*WITH\b/i.test(statement) && !/\b(?:INSERT|REPLACE|UPDATE|DELETE)\b/i.test(statement)
}

/** Drops every table but one, and what belongs to them. Throws while a cursor is open. Call inside a transaction. */
export function dropTables(sql: Sql, kept: string): void {
  for (const name of tableNames(sql, '*')) if (name !== kept) sql.exec(`DROP TABLE "${name}"`)
}
