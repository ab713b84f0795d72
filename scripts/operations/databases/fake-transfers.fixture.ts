import { createHash, randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { unstable_splitSqlQuery as splitSql } from 'wrangler'

/** https://developers.cloudflare.com/d1/platform/limits/ */
const MOST_STATEMENT_BYTES = 100_000

export interface Answer {
  readonly status: number
  readonly result?: unknown
  readonly bytes?: Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/** Exports and imports of D1, in two steps each, with their files at addresses that need no token. */
export class FakeTransfers {
  readonly #exports = new Map<string, string>()
  readonly #uploads = new Map<string, Buffer>()
  /** Databases whose export or import goes on, by bookmark. */
  readonly #running = new Map<string, object>()

  /** Requests to the addresses. Storage refuses a request with two credentials. */
  file(method: string, path: string, hasToken: boolean, body: Buffer): Answer {
    const [, , kind = '', name = ''] = path.split('/')
    if (hasToken) return { status: 400 }
    if (kind === 'export' && method === 'GET') {
      const sql = this.#exports.get(name)
      return sql === undefined ? { status: 403 } : { status: 200, bytes: Buffer.from(sql) }
    }
    if (kind !== 'import' || method !== 'PUT' || !this.#uploads.has(name)) return { status: 403 }
    this.#uploads.set(name, body)
    return { status: 200, bytes: Buffer.alloc(0), headers: { etag: `"${md5(body)}"` } }
  }

  export(sqlite: DatabaseSync, base: string, { current_bookmark: bookmark }: Record<string, unknown>): Answer {
    if (bookmark === undefined) {
      const name = randomUUID()
      this.#exports.set(name, dumpOf(sqlite))
      return this.#goesOn({ filename: 'x.sql', signed_url: `${base}/transfers/export/${name}` })
    }
    return this.#completed(bookmark)
  }

  import(
    sqlite: DatabaseSync,
    base: string,
    { action, etag, filename, current_bookmark: bookmark }: Record<string, unknown>,
  ): Answer {
    if (action === 'poll') return this.#completed(bookmark)
    const name = String(etag)
    if (action === 'init') {
      this.#uploads.set(name, Buffer.alloc(0))
      return ok({ filename: name, upload_url: `${base}/transfers/import/${name}` })
    }
    const sql = this.#uploads.get(String(filename))
    if (sql === undefined || md5(sql) !== etag) return ok({ success: false, error: 'the file was not uploaded' })
    const error = ingested(sqlite, sql.toString())
    if (error !== null) return ok({ success: false, status: 'error', error, messages: [] })
    return this.#goesOn({ final_bookmark: 'b', num_queries: 1, meta: {} })
  }

  #goesOn(result: object): Answer {
    const bookmark = randomUUID()
    this.#running.set(bookmark, result)
    return ok({ success: true, status: 'active', at_bookmark: bookmark, messages: [] })
  }

  #completed(bookmark: unknown): Answer {
    const result = this.#running.get(String(bookmark))
    if (!result) return ok({ success: false, error: 'Not currently exporting or importing anything.' })
    return ok({ success: true, status: 'complete', at_bookmark: bookmark, messages: [], result })
  }
}

/** Runs one statement, and answers its rows if it reads. */
export function queried(sqlite: DatabaseSync, sent: Record<string, unknown>): Answer {
  const sql = String(sent['sql'])
  const isRead = /^\s*(select|pragma)/i.test(sql)
  if (!isRead) sqlite.exec(sql)
  const rows = isRead ? sqlite.prepare(sql).all() : []
  return ok([{ results: rows, success: true, meta: { duration: 1 } }])
}

const ok = (result: unknown): Answer => ({ status: 200, result })
const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')

/** Runs all of it or nothing, in the runtime's order, with its limits. Returns the error. */
function ingested(sqlite: DatabaseSync, sql: string): string | null {
  const statements = splitSql(sql)
  if (statements.some((one) => Buffer.byteLength(one) > MOST_STATEMENT_BYTES))
    return 'statement too long: SQLITE_TOOBIG'
  if (statements.some((one) => /^\s*(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT)\b/i.test(one))) return 'no transactions'
  sqlite.exec('BEGIN')
  try {
    for (const statement of statements) sqlite.exec(statement)
    sqlite.exec('COMMIT')
    return null
  } catch (error) {
    sqlite.exec('ROLLBACK')
    return error instanceof Error ? error.message : String(error)
  }
}

const id = (name: unknown) => `"${String(name).replaceAll('"', '""')}"`

/** The SQL that D1 exports: tables in the order of their creation with their rows, then indexes, triggers and views. */
function dumpOf(sqlite: DatabaseSync): string {
  const lines = ['PRAGMA defer_foreign_keys=TRUE;']
  const tables = sqlite
    .prepare(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql NOT NULL ORDER BY name = 'sqlite_sequence', rowid`,
    )
    .all()
  for (const { name, sql } of tables) {
    lines.push(name === 'sqlite_sequence' ? 'DELETE FROM sqlite_sequence;' : `${String(sql)};`)
    const columns = sqlite.prepare(`PRAGMA table_info(${id(name)})`).all()
    const names = columns.map((column) => id(column['name'])).join(',')
    for (const row of sqlite.prepare(`SELECT * FROM ${id(name)}`).all()) {
      const cells = columns.map((column) => literalOf(row[String(column['name'])]))
      lines.push(`INSERT INTO ${id(name)} (${names}) VALUES(${cells.join(',')});`)
    }
  }
  const rest = sqlite
    .prepare(`SELECT sql FROM sqlite_schema WHERE sql NOT NULL AND type IN ('index', 'trigger', 'view') ORDER BY type`)
    .all()
  return [...lines, ...rest.map(({ sql }) => `${String(sql)};`)].join('\n')
}

/** Breaks of lines are written as calls. */
function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'number') return String(value)
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex')}'`
  const text = (value as string).replaceAll("'", "''")
  const escaped = `'${text.replaceAll('\r', '\\r').replaceAll('\n', '\\n')}'`
  const returns = text.includes('\r') ? `replace(${escaped},'\\r',char(13))` : escaped
  return text.includes('\n') ? `replace(${returns},'\\n',char(10))` : returns
}
