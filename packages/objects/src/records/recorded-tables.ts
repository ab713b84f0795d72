import { FACTS_TABLE } from '../facts.ts'
import { REPLACEMENT_TABLE } from '../replacement.ts'
import { type Sql, tableNames } from '../sql.ts'
import { CHANGED_KEYS_TABLE, ChangedKeys } from './changed-keys.ts'
import { OWNER_COLUMN } from './owned-rows.ts'
import { type Cell, cellOf, type Mark, type RecordedRows, type RowKey, sqlValueOf } from './record.ts'

/** A record holds at most about this much of tables that may be large; the rest is in the next one. */
const MAX_BYTES = 2 * 1024 * 1024
const ROWS_AT_ONCE = 16

/** A table whose rows are only ever added, by an integer key. */
export interface AppendedTable {
  readonly key: string
  /** SQL of the first key whose row may still change, null if there is none. Rows change nowhere below it. */
  readonly unsettled?: string
}

/** What of an object's state is recorded: everything that is not listed as left out. */
export interface RecordPlan {
  readonly appended?: Readonly<Record<string, AppendedTable>>
  /** Tables that may be large: only rows that changed are recorded. The key of a row never changes. */
  readonly keyed?: readonly string[]
  /** Tables that are short-lived or follow from the others. Spent nonces are always left out. All others are whole. */
  readonly leftOut?: readonly string[]
  readonly leftOutFacts?: readonly string[]
  /** What is deleted from these has to disappear from the records as well, within a day. */
  readonly erased: readonly string[]
  /** All others: rows are never deleted, or reveal nothing that other rows do not. */
  readonly lasting: readonly string[]
  /** SQL of whose a row is, by table; null if it is the object's, as all others are. For objects with rows of many owners. */
  readonly owners?: Readonly<Record<string, string>>
  /** Facts whose former values have to disappear, when they change or are deleted. */
  readonly erasedFacts?: readonly string[]
}

/** The tables that changed since the last record, or `all` if that is not known. */
export type Changed = ReadonlySet<string> | 'all'

/** Written by `Recorder`, or by the storage itself. */
const OWN_FACTS = ['schema', 'records', 'noncesForgotten', 'noncesFrom']
const OWN_TABLES = [FACTS_TABLE, CHANGED_KEYS_TABLE, REPLACEMENT_TABLE]
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

/** What a record has of an object. */
export interface ReadTables {
  readonly tables: readonly RecordedRows[]
  readonly facts: Readonly<Record<string, unknown>> | null
  readonly marks: Readonly<Record<string, Mark>>
  readonly isWhole: boolean
}

/** The bytes that are left in a record. */
interface Room {
  bytes: number
}

/** The rows and facts of an object, as a plan records them. */
export class RecordedTables {
  readonly keys: ChangedKeys
  readonly #sql: Sql
  readonly #plan: RecordPlan

  constructor(sql: Sql, plan: RecordPlan) {
    this.#sql = sql
    this.#plan = plan
    this.keys = new ChangedKeys(sql, plan.keyed ?? [])
  }

  isRecorded(table: string): boolean {
    const isOwn = NONCES.test(table) || OWN_TABLES.includes(table)
    return !isOwn && !this.#plan.leftOut?.includes(table)
  }

  /** Whether a change has to be recorded: what is pruned from a table that only grows has not. */
  isNoted(table: string, deletes: boolean): boolean {
    return this.isRecorded(table) && !(deletes && this.#plan.appended?.[table])
  }

  isRecordedFact(name: string): boolean {
    return !OWN_FACTS.includes(name) && !this.#plan.leftOutFacts?.includes(name)
  }

  isErased(table: string): boolean {
    return this.#plan.erased.includes(table)
  }

  isErasedFact(name: string): boolean {
    return this.#plan.erasedFacts?.includes(name) === true
  }

  /**
   * What changed, and whether that is all of it. Tables that may be large go on at their marks, and rows that are
   * recorded by key after the last change that a record has. Returns the newest change that this one has, too.
   */
  read(changed: Changed, marks: Readonly<Record<string, Mark>>, keysTo: number): ReadTables & { keysTo: number } {
    const isChanged = (table: string) => changed === 'all' || changed.has(table)
    const names = tableNames(this.#sql, '*').filter((table) => this.isRecorded(table))
    const next: Record<string, Mark> = { ...marks }
    const tables: RecordedRows[] = []
    const room: Room = { bytes: MAX_BYTES }
    for (const table of names) {
      const appended = this.#plan.appended?.[table]
      const mark = marks[table]
      if (appended) {
        const from = typeof mark === 'number' ? mark : 0
        const { until, ...rows } = this.#appendedRows(table, appended, from, room)
        next[table] = until
        if (rows.rows.length > 0 || mark === undefined) tables.push({ table, from, ...rows })
      } else if (this.#isKeyed(table) && mark !== null && room.bytes > 0) {
        const { last, ...rows } = this.#page(table, typeof mark === 'object' ? mark : null, room)
        next[table] = last
        tables.push({ table, from: null, ...rows })
      }
    }
    const byKey = room.bytes > 0 ? this.#changedRows(keysTo, room) : { rows: [], to: keysTo }
    tables.push(...byKey.rows)
    const isWhole = room.bytes > 0
    if (isWhole) {
      for (const table of names) {
        const isSmall = !this.#plan.appended?.[table] && !this.#isKeyed(table)
        if (isSmall && isChanged(table)) tables.push({ table, from: null, ...this.#allRows(table) })
      }
    }
    const facts = isWhole && isChanged(FACTS_TABLE) ? this.#facts() : null
    return { tables, marks: next, isWhole, facts, keysTo: byKey.to }
  }

  /** Call inside a transaction. */
  apply(tables: readonly RecordedRows[], facts: Readonly<Record<string, unknown>> | null): void {
    for (const { table, from, columns, rows, keys } of tables) {
      const key = this.#plan.appended?.[table]?.key
      if (keys) this.#deleteKeys(table, keys)
      else if (from === null || key === undefined) this.#sql.exec(`DELETE FROM "${table}"`)
      else this.#sql.exec(`DELETE FROM "${table}" WHERE "${key}" >= ?`, from)
      const names = columns.map((column) => `"${column}"`).join(', ')
      // A row that has what is unique of another one has it from that one, which changed as well.
      const insert = `INSERT OR REPLACE INTO "${table}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`
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
    const cursor = this.#sql.exec(`SELECT ${this.#columnsOf(table)} FROM "${table}"`)
    return { columns: cursor.columnNames, rows: [...cursor.raw()].map((row) => row.map(cellOf)) }
  }

  /** A row whose key names its owner never passes to another: what replaces or deletes it is that owner's, too. */
  #ownerInKey(table: string): { readonly ownerInKey?: number } {
    const owner = this.#plan.owners?.[table]
    const at = owner === undefined ? -1 : this.keys.keyOf(table).indexOf(owner)
    return at === -1 ? {} : { ownerInKey: at }
  }

  #columnsOf(table: string): string {
    const owner = this.#plan.owners?.[table]
    return owner === undefined ? '*' : `*, (${owner}) AS "${OWNER_COLUMN}"`
  }

  #isKeyed(table: string): boolean {
    return this.#plan.keyed?.includes(table) === true
  }

  /** The rows after a key, as many as there is room for, and the last key; null if there are no more. */
  #page(table: string, after: RowKey | null, room: Room) {
    const key = this.keys.keyOf(table)
    const names = key.map((column) => `"${column}"`).join(', ')
    const marks = key.map(() => '?').join(', ')
    const keyIn = (columns: readonly string[], row: readonly Cell[]) =>
      key.map((column) => row[columns.indexOf(column)] ?? null)
    const { columns, rows, isLast } = this.#fill(room, (columnsBefore, last) => {
      const from = last ? keyIn(columnsBefore, last) : after
      const where = from === null ? '' : `WHERE (${names}) > (${marks})`
      const query = `SELECT ${this.#columnsOf(table)} FROM "${table}" ${where} ORDER BY ${names} LIMIT ${ROWS_AT_ONCE}`
      return this.#sql.exec(query, ...(from ?? []).map(sqlValueOf))
    })
    const last = rows.at(-1)
    return { columns, rows, keys: [], ...this.#ownerInKey(table), last: isLast || !last ? null : keyIn(columns, last) }
  }

  /**
   * Rows until there is no room or no more of them. Each cursor is read to its end: while one is open, no table can be
   * dropped.
   */
  #fill(
    room: Room,
    select: (
      columns: readonly string[],
      last: readonly Cell[] | null,
    ) => SqlStorageCursor<Record<string, SqlStorageValue>>,
  ) {
    const rows: (readonly Cell[])[] = []
    for (let columns: readonly string[] = []; ; ) {
      const cursor = select(columns, rows.at(-1) ?? null)
      columns = cursor.columnNames
      const found = [...cursor.raw()]
      for (const row of found) {
        rows.push(row.map(cellOf))
        room.bytes -= sizeOf(row)
      }
      if (found.length < ROWS_AT_ONCE || room.bytes <= 0) return { columns, rows, isLast: found.length < ROWS_AT_ONCE }
    }
  }

  /** The rows that changed, as they are now, by table. */
  #changedRows(after: number, room: Room): { readonly rows: RecordedRows[]; readonly to: number } {
    const seen = new Map<string, Set<string>>()
    let to = after
    const found = new Map<string, { columns: readonly string[]; rows: (readonly Cell[])[]; keys: RowKey[] }>()
    for (const { seq, tbl, key } of this.keys.after(after)) {
      if (room.bytes <= 0) break
      to = seq
      const ofTable = seen.get(tbl) ?? new Set()
      if (ofTable.has(key)) continue
      seen.set(tbl, ofTable.add(key))
      const cells = JSON.parse(key) as RowKey
      const where = this.keys.keyOf(tbl).map((column) => `"${column}" = ?`)
      const cursor = this.#sql.exec(
        `SELECT ${this.#columnsOf(tbl)} FROM "${tbl}" WHERE ${where.join(' AND ')}`,
        ...cells.map(sqlValueOf),
      )
      const rows = found.get(tbl) ?? { columns: cursor.columnNames, rows: [], keys: [] }
      found.set(tbl, rows)
      const [row] = [...cursor.raw()]
      if (row) rows.rows.push(row.map(cellOf))
      rows.keys.push(cells)
      room.bytes -= row ? sizeOf(row) : key.length
    }
    return { rows: [...found].map(([table, rows]) => ({ table, from: null, ...this.#ownerInKey(table), ...rows })), to }
  }

  #deleteKeys(table: string, keys: readonly RowKey[]): void {
    if (keys.length === 0) return
    const where = this.keys.keyOf(table).map((column) => `"${column}" = ?`)
    const query = `DELETE FROM "${table}" WHERE ${where.join(' AND ')}`
    for (const key of keys) this.#sql.exec(query, ...key.map(sqlValueOf))
  }

  #appendedRows(table: string, { key, unsettled }: AppendedTable, from: number, room: Room) {
    if (room.bytes <= 0) return { columns: [], rows: [], until: from }
    const { columns, rows } = this.#fill(room, (columnsBefore, last) => {
      const next = last ? Number(last[columnsBefore.indexOf(key)]) + 1 : from
      const query = `SELECT ${this.#columnsOf(table)} FROM "${table}" WHERE "${key}" >= ? ORDER BY "${key}" LIMIT ${ROWS_AT_ONCE}`
      return this.#sql.exec(query, next)
    })
    const last = rows.at(-1)
    const until = last ? Number(last[columns.indexOf(key)]) + 1 : from
    return { columns, rows, until: Math.min(until, this.#unsettledFrom(unsettled) ?? until) }
  }

  #unsettledFrom(query: string | undefined): number | null {
    if (query === undefined) return null
    return this.#sql.exec<{ key: number | null }>(query).toArray()[0]?.key ?? null
  }
}

function sizeOf(row: readonly SqlStorageValue[]): number {
  let bytes = 0
  for (const value of row) {
    if (typeof value === 'string') bytes += value.length
    else bytes += value instanceof ArrayBuffer ? value.byteLength : 8
  }
  return bytes
}
