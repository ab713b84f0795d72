import { FACTS_TABLE } from '../facts.ts'
import { type Sql, tableNames } from '../sql.ts'
import { type Cell, cellOf, type RecordedRows, sqlValueOf } from './record.ts'

/** A record holds at most about this much of the tables that only grow; the rest is in the next one. */
const MAX_APPENDED_BYTES = 2 * 1024 * 1024

/** A table whose rows are only ever added, by an integer key. */
export interface AppendedTable {
  readonly key: string
  /** SQL of the first key whose row may still change, null if there is none. Rows change nowhere below it. */
  readonly unsettled?: string
}

/** What of an object's state is recorded: everything that is not listed as left out. */
export interface RecordPlan {
  readonly appended?: Readonly<Record<string, AppendedTable>>
  /** Tables that are short-lived or follow from the others. Spent nonces are always left out. */
  readonly leftOut?: readonly string[]
  readonly leftOutFacts?: readonly string[]
  /** What is deleted from these has to disappear from the records as well. */
  readonly erased?: readonly string[]
}

/** The tables that changed since the last record, or `all` if that is not known. */
export type Changed = ReadonlySet<string> | 'all'

/** Written by `Recorder`, or by the storage itself. */
const OWN_FACTS = ['schema', 'records', 'noncesForgotten', 'noncesFrom']
const NONCES = /^nonces_\d+$/
const WRITES = /^\s*(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|REPLACE\s+INTO|UPDATE(?:\s+OR\s+\w+)?|(DELETE)\s+FROM)\s+(\w+)/i
/** Nonces are in tables that are made for an hour. */
const OF_NONCES = /^\s*(?:CREATE|DROP) TABLE nonces_/i

/** The table that a statement has written to, null if that cannot be told. */
export function writtenBy(statement: string): { readonly table: string | null; readonly deletes: boolean } {
  const [, deletes, table] = WRITES.exec(statement) ?? []
  if (table !== undefined) return { table, deletes: deletes !== undefined }
  return { table: OF_NONCES.test(statement) ? 'nonces_0' : null, deletes: true }
}

/** The rows and facts of an object, as a plan records them. */
export class RecordedTables {
  readonly #sql: Sql
  readonly #plan: RecordPlan

  constructor(sql: Sql, plan: RecordPlan) {
    this.#sql = sql
    this.#plan = plan
  }

  isRecorded(table: string): boolean {
    return !NONCES.test(table) && table !== FACTS_TABLE && !this.#plan.leftOut?.includes(table)
  }

  /** Whether a change has to be recorded: what is pruned from a table that only grows has not. */
  isNoted(table: string, deletes: boolean): boolean {
    return this.isRecorded(table) && !(deletes && this.#plan.appended?.[table])
  }

  isRecordedFact(name: string): boolean {
    return !OWN_FACTS.includes(name) && !this.#plan.leftOutFacts?.includes(name)
  }

  isErased(table: string): boolean {
    return this.#plan.erased?.includes(table) === true
  }

  /** What changed, and whether that is all of it. Tables that grow begin at their marks. */
  read(changed: Changed, marks: Readonly<Record<string, number>>) {
    const isChanged = (table: string) => changed === 'all' || changed.has(table)
    const names = tableNames(this.#sql, '*').filter((table) => this.isRecorded(table))
    const next: Record<string, number> = { ...marks }
    const tables: RecordedRows[] = []
    const room = { bytes: MAX_APPENDED_BYTES }
    for (const table of names) {
      const appended = this.#plan.appended?.[table]
      if (!appended) continue
      const from = marks[table] ?? 0
      const { until, ...rows } = this.#appendedRows(table, appended, from, room)
      next[table] = until
      if (rows.rows.length > 0 || from === 0) tables.push({ table, from, ...rows })
    }
    const isWhole = room.bytes > 0
    if (isWhole) {
      for (const table of names) {
        if (!this.#plan.appended?.[table] && isChanged(table))
          tables.push({ table, from: null, ...this.#allRows(table) })
      }
    }
    return { tables, marks: next, isWhole, facts: isWhole && isChanged(FACTS_TABLE) ? this.#facts() : null }
  }

  /** Call inside a transaction. */
  apply(tables: readonly RecordedRows[], facts: Readonly<Record<string, unknown>> | null): void {
    for (const { table, from, columns, rows } of tables) {
      const key = this.#plan.appended?.[table]?.key
      if (from === null || key === undefined) this.#sql.exec(`DELETE FROM "${table}"`)
      else this.#sql.exec(`DELETE FROM "${table}" WHERE "${key}" >= ?`, from)
      const names = columns.map((column) => `"${column}"`).join(', ')
      const insert = `INSERT INTO "${table}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`
      for (const row of rows) this.#sql.exec(insert, ...row.map(sqlValueOf))
    }
    if (!facts) return
    for (const name of Object.keys(this.#facts())) {
      if (!(name in facts)) this.#sql.exec('DELETE FROM facts WHERE name = ?', name)
    }
    for (const [name, value] of Object.entries(facts)) {
      const put = 'INSERT INTO facts (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2'
      this.#sql.exec(put, name, JSON.stringify(value))
    }
  }

  #facts(): Record<string, unknown> {
    const rows = this.#sql
      .exec<{ name: string; value: string }>('SELECT name, value FROM facts ORDER BY name')
      .toArray()
    const recorded = rows.filter(({ name }) => this.isRecordedFact(name))
    return Object.fromEntries(recorded.map(({ name, value }) => [name, JSON.parse(value) as unknown]))
  }

  #allRows(table: string): Pick<RecordedRows, 'columns' | 'rows'> {
    const cursor = this.#sql.exec(`SELECT * FROM "${table}"`)
    return { columns: cursor.columnNames, rows: [...cursor.raw()].map((row) => row.map(cellOf)) }
  }

  #appendedRows(table: string, { key, unsettled }: AppendedTable, from: number, room: { bytes: number }) {
    const cursor = this.#sql.exec(`SELECT * FROM "${table}" WHERE "${key}" >= ? ORDER BY "${key}"`, from)
    const columns = cursor.columnNames
    const position = columns.indexOf(key)
    const rows: (readonly Cell[])[] = []
    let until = from
    for (const row of cursor.raw()) {
      if (room.bytes <= 0) return { columns, rows, until }
      rows.push(row.map(cellOf))
      until = Number(row[position]) + 1
      for (const value of row) room.bytes -= sizeOf(value)
    }
    return { columns, rows, until: Math.min(until, this.#unsettledFrom(unsettled) ?? until) }
  }

  #unsettledFrom(query: string | undefined): number | null {
    if (query === undefined) return null
    return this.#sql.exec<{ key: number | null }>(query).toArray()[0]?.key ?? null
  }
}

function sizeOf(value: SqlStorageValue): number {
  if (typeof value === 'string') return value.length
  return value instanceof ArrayBuffer ? value.byteLength : 8
}
