import { DatabaseSync } from 'node:sqlite'
import { SetupError } from '@svc/platform/workspace'
import { OWN_TABLES, quoted } from './databases.ts'

/** D1 refuses a statement over 100,000 bytes, and exports rows that are longer all the same. */
const MOST_BYTES = 90_000
/** Characters of three bytes at most, quotes that are written twice. */
const PIECE = 15_000

interface Column {
  readonly name: string
  /** From 1 on in the primary key, or 0. */
  readonly pk: number
}

interface Cell {
  readonly column: Column
  readonly value: unknown
  readonly literal: string
}

/** A database in memory, made from the SQL of an export: the proof that the export can be replayed. */
export class DatabaseCopy {
  readonly #sqlite: DatabaseSync

  private constructor(sqlite: DatabaseSync) {
    this.#sqlite = sqlite
  }

  /** Throws if the SQL does not run. The message has none of it: it may have what users wrote. */
  static replay(name: string, sql: string): DatabaseCopy {
    const sqlite = new DatabaseSync(':memory:')
    try {
      sqlite.exec(`BEGIN; ${withoutNul(sql)}\n COMMIT`)
    } catch {
      sqlite.close()
      throw new SetupError(`The export of ${name} cannot be replayed: it is damaged or incomplete.`)
    }
    return new DatabaseCopy(sqlite)
  }

  close(): void {
    this.#sqlite.close()
  }

  /** The number of rows of each table. */
  counts(): Record<string, number> {
    return Object.fromEntries(
      this.#tables().map(({ name }) => {
        const row = this.#sqlite.prepare(`SELECT count(*) AS n FROM ${quoted(name)}`).get()
        return [name, Number(row?.['n'])]
      }),
    )
  }

  /** The migrations that it has, in order. */
  migrations(): string[] {
    if (!this.#tables().some(({ name }) => name === 'd1_migrations')) return []
    return this.#sqlite
      .prepare('SELECT name FROM d1_migrations ORDER BY id')
      .all()
      .map(({ name }) => String(name))
  }

  execute(sql: string): void {
    this.#sqlite.exec(sql)
  }

  /** Tables whose numbers are never given twice. */
  counted(): string[] {
    return this.#tables()
      .filter(({ name, sql }) => /\bAUTOINCREMENT\b/i.test(sql) && name !== 'd1_migrations')
      .map(({ name }) => name)
  }

  /** The next number of a table is larger by this. */
  skipNumbers(table: string, by: number): void {
    const row = this.#sqlite.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').get(table)
    this.#sqlite.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(table)
    const next = Number(row?.['seq'] ?? 0) + by
    this.#sqlite.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table, next)
  }

  /** What makes the database again, in statements that D1 takes. A table comes before those that refer to it. */
  statements(): string[] {
    const rest = this.#sqlite
      .prepare(`SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND type <> 'table' ORDER BY type, rowid`)
      .all()
      .map(({ sql }) => String(sql))
    const rows = this.#tables().flatMap(({ name, sql }) => [sql, ...this.#rows(name)])
    return ['PRAGMA defer_foreign_keys = TRUE', ...rows, ...this.#sequences(), ...rest]
  }

  #tables(): { readonly name: string; readonly sql: string }[] {
    return this.#sqlite
      .prepare(`SELECT name, sql FROM sqlite_schema WHERE ${OWN_TABLES} ORDER BY rowid`)
      .all()
      .map(({ name, sql }) => ({ name: String(name), sql: String(sql) }))
  }

  #sequences(): string[] {
    if (!this.#sqlite.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'`).get()) return []
    const rows = this.#sqlite.prepare('SELECT name, seq FROM sqlite_sequence ORDER BY name').all()
    return [
      'DELETE FROM sqlite_sequence',
      ...rows.map(
        ({ name, seq }) => `INSERT INTO sqlite_sequence (name, seq) VALUES (${literalOf(name)}, ${literalOf(seq)})`,
      ),
    ]
  }

  *#rows(table: string): Iterable<string> {
    const columns = this.#sqlite.prepare(`PRAGMA table_info(${quoted(table)})`).all() as unknown as Column[]
    const read = this.#sqlite.prepare(`SELECT * FROM ${quoted(table)}`)
    // A number above 2^53 would lose its last digits.
    read.setReadBigInts(true)
    for (const row of read.iterate()) {
      const cells = columns.map((column) => {
        const value = row[column.name]
        return { column, value, literal: literalOf(value) }
      })
      yield* insertsOf(table, cells)
    }
  }
}

/** SQL ends at the character 0, which a text may have: an export has it as it is. */
function withoutNul(sql: string): string {
  if (!sql.includes('\0')) return sql
  return sql.replaceAll(/'(?:[^']|'')*'/g, (literal) =>
    literal.includes('\0') ? literalOf(literal.slice(1, -1).replaceAll("''", "'")) : literal,
  )
}

/** One statement, or one that leaves out long texts and others that append them piece by piece. */
function insertsOf(table: string, cells: readonly Cell[]): string[] {
  const whole = insertOf(table, cells)
  if (Buffer.byteLength(whole) <= MOST_BYTES) return [whole]
  const isLong = ({ value, column, literal }: Cell) =>
    typeof value === 'string' && column.pk === 0 && literal.length > PIECE
  const key = cells.filter(({ column }) => column.pk > 0)
  const short = insertOf(
    table,
    cells.map((cell) => (isLong(cell) ? { ...cell, literal: "''" } : cell)),
  )
  if (key.length === 0 || Buffer.byteLength(short) > MOST_BYTES)
    throw new SetupError(`A row of the table ${table} is too long for D1.`)
  const where = key.map(({ column, literal }) => `${quoted(column.name)} = ${literal}`).join(' AND ')
  const appended = cells.filter(isLong).flatMap(({ column, value }) =>
    piecesOf(String(value)).map((piece) => {
      const name = quoted(column.name)
      return `UPDATE ${quoted(table)} SET ${name} = ${name} || ${literalOf(piece)} WHERE ${where}`
    }),
  )
  return [short, ...appended]
}

function insertOf(table: string, cells: readonly Cell[]): string {
  const names = cells.map(({ column }) => quoted(column.name)).join(',')
  return `INSERT INTO ${quoted(table)} (${names}) VALUES (${cells.map(({ literal }) => literal).join(',')})`
}

/** Without cutting a character in two. */
function piecesOf(text: string): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length; ) {
    const isCut = /[\uD800-\uDBFF]/.test(text.charAt(from + PIECE - 1))
    const until = from + PIECE + (isCut ? 1 : 0)
    pieces.push(text.slice(from, until))
    from = until
  }
  return pieces
}

// Line breaks and the character 0 end a statement where SQL is read by lines or as a string of C.
const CONTROL = /\p{Cc}/u

function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex')}'`
  if (typeof value !== 'string') return numberOf(value as number | bigint)
  if (CONTROL.test(value)) return `CAST(X'${Buffer.from(value).toString('hex')}' AS TEXT)`
  return `'${value.replaceAll("'", "''")}'`
}

/** A real number stays one: `1.0`, not `1`. */
function numberOf(value: number | bigint): string {
  if (typeof value === 'bigint') return String(value)
  if (!Number.isFinite(value)) return value > 0 ? '9e999' : '-9e999'
  return Number.isInteger(value) ? `${value}.0` : String(value)
}
