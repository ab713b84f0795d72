/**
 * What a Durable Object keeps in SQLite, as the list of steps that lead to it. Each step runs once, in the transaction
 * that records its version.
 *
 * Before the first tagged release the steps of a schema may be squashed into one. After it, steps are only ever
 * appended, and a released step never changes: objects that ran it do not run it again.
 *
 * @module
 */

/** One migration: SQL statements, or a function where the data decides what to write. */
export type SchemaStep = { readonly name: string } & (
  | { readonly sql: string }
  | { readonly run: (sql: SqlStorage) => void }
)

export interface Schema {
  /** Recorded beside the version, so that a class may have objects of more than one kind. */
  readonly name: string
  /**
   * A table that objects had before versions were recorded, as a GLOB pattern. Such an object runs every step, so the
   * steps that it may have run already use `IF NOT EXISTS`.
   */
  readonly unversionedTable?: string
  /** The version of an object is the number of steps it has run. */
  readonly steps: readonly [SchemaStep, ...SchemaStep[]]
}

/** What an object records of itself: one row. */
export interface SchemaVersion {
  readonly schema: string
  readonly version: number
}

export const VERSION_TABLE = 'schema_version'

/** Thrown by the constructor, so that code that does not know the data never serves it. */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch'
}

export function runStep(sql: SqlStorage, step: SchemaStep): void {
  if ('sql' in step) sql.exec(step.sql)
  else step.run(sql)
}

/** The row of an object, null for one that nothing was ever written to. */
export function readVersion(sql: SqlStorage): SchemaVersion | null {
  if (!hasTable(sql, VERSION_TABLE)) return null
  const [row] = sql.exec<{ schema: string; version: number }>(`SELECT schema, version FROM ${VERSION_TABLE}`).toArray()
  if (!row) throw new SchemaMismatch(`The table ${VERSION_TABLE} of the object has no row`)
  return row
}

/** In the transaction that runs the step of this version. */
export function writeVersion(sql: SqlStorage, { schema, version }: SchemaVersion): void {
  sql.exec(
    `CREATE TABLE IF NOT EXISTS ${VERSION_TABLE} (
       id INTEGER PRIMARY KEY CHECK (id = 0), schema TEXT NOT NULL, version INTEGER NOT NULL
     ) STRICT`,
  )
  sql.exec(
    `INSERT INTO ${VERSION_TABLE} (id, schema, version) VALUES (0, ?1, ?2)
     ON CONFLICT (id) DO UPDATE SET schema = ?1, version = ?2`,
    schema,
    version,
  )
}

/** The schema of an object from before versions were recorded; null for an object without tables. */
export function unversionedSchema(sql: SqlStorage, schemas: readonly Schema[]): Schema | null {
  if (!hasTable(sql, '*')) return null
  const found = schemas.find(({ unversionedTable: table }) => table !== undefined && hasTable(sql, table))
  if (found) return found
  throw new SchemaMismatch(`The object has tables and no schema version: expected ${namesOf(schemas)}`)
}

/** The schema that a row names, if this code knows its version. */
export function knownSchema(schemas: readonly Schema[], { schema: name, version }: SchemaVersion): Schema {
  const known = schemas.find((schema) => schema.name === name)
  if (!known) throw new SchemaMismatch(`The object has schema "${name}", and this code knows ${namesOf(schemas)}`)
  const newest = known.steps.length
  if (version <= newest) return known
  throw new SchemaMismatch(
    `The object is at version ${version} of schema "${name}", and this code knows ${newest}: deploy newer code`,
  )
}

/** The platform's own tables begin with `_cf`. */
function hasTable(sql: SqlStorage, pattern: string): boolean {
  const found = sql.exec(
    `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name GLOB ? AND name NOT GLOB '_cf_*'
       AND name NOT GLOB 'sqlite_*' LIMIT 1`,
    pattern,
  )
  return found.toArray().length > 0
}

function namesOf(schemas: readonly Schema[]): string {
  return schemas.map(({ name }) => `"${name}"`).join(', ')
}
