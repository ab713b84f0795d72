/**
 * What a Durable Object keeps in SQLite, as the list of steps that lead to it. Each step runs once, in the transaction
 * that records its version.
 *
 * Before the first tagged release the steps of a schema may be squashed into one. After it, steps are only ever
 * appended, and a released step never changes: objects that ran it do not run it again.
 *
 * @module
 */
import { createFacts, hasFacts, readFact, writeFact } from './facts.ts'
import { hasTable } from './sql.ts'

/** One migration: SQL statements, or a function where the data decides what to write. */
export type SchemaStep = { readonly name: string } & (
  | { readonly sql: string }
  | { readonly run: (sql: SqlStorage) => void }
)

/** Tables that an object makes with the first row of any of them. Its version is counted like that of a schema. */
export interface TableGroup {
  readonly name: string
  readonly steps: readonly [SchemaStep, ...SchemaStep[]]
}

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
  /** Tables that most objects do without. */
  readonly groups?: readonly TableGroup[]
  /** Names of what an object has at most one of. */
  readonly facts?: readonly string[]
}

/** What an object records of itself, as the fact `schema`. */
export interface SchemaVersion {
  readonly schema: string
  readonly version: number
  /** The versions of the groups that it has made. */
  readonly groups?: Readonly<Record<string, number>>
}

const SCHEMA_FACT = 'schema'

/** Thrown by the constructor, so that code that does not know the data never serves it. */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch'
}

export function runStep(sql: SqlStorage, step: SchemaStep): void {
  if ('sql' in step) sql.exec(step.sql)
  else step.run(sql)
}

/** What the object records, null for one that nothing was ever written to. */
export function readVersion(sql: SqlStorage): SchemaVersion | null {
  return hasFacts(sql) ? versionInFacts(sql) : null
}

/** Of an object that has the table of facts. */
export function versionInFacts(sql: SqlStorage): SchemaVersion {
  const recorded = readFact<SchemaVersion>(sql, SCHEMA_FACT)
  if (!recorded) throw new SchemaMismatch('The object has facts and no schema version')
  return recorded
}

/** In the transaction that runs the step of this version. */
export function writeVersion(sql: SqlStorage, version: SchemaVersion): void {
  createFacts(sql)
  writeFact(sql, SCHEMA_FACT, version)
}

/** The schema of an object from before versions were recorded; null for an object without tables. */
export function unversionedSchema(sql: SqlStorage, schemas: readonly Schema[]): Schema | null {
  if (!hasTable(sql, '*')) return null
  const found = schemas.find(({ unversionedTable: table }) => table !== undefined && hasTable(sql, table))
  if (found) return found
  throw new SchemaMismatch(`The object has tables and no schema version: expected ${namesOf(schemas)}`)
}

/** The schema that an object records, if this code knows its version and those of its groups. */
export function knownSchema(schemas: readonly Schema[], { schema: name, version, groups }: SchemaVersion): Schema {
  const known = schemas.find((schema) => schema.name === name)
  if (!known) throw new SchemaMismatch(`The object has schema "${name}", and this code knows ${namesOf(schemas)}`)
  checkKnown(`schema "${name}"`, version, known.steps.length)
  for (const [group, made] of Object.entries(groups ?? {})) {
    const newest = known.groups?.find((one) => one.name === group)?.steps.length ?? 0
    checkKnown(`tables "${group}"`, made, newest)
  }
  return known
}

function checkKnown(what: string, version: number, newest: number): void {
  if (version <= newest) return
  throw new SchemaMismatch(
    `The object is at version ${version} of ${what}, and this code knows ${newest}: deploy newer code`,
  )
}

function namesOf(schemas: readonly Schema[]): string {
  return schemas.map(({ name }) => `"${name}"`).join(', ')
}
