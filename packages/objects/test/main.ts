import { err, ok, type Result } from '@svc/protocol/base/result'
import { persist, type Schema, type SchemaStep, type TableGroup, VersionedObject } from '../src/index.ts'

export const TABLES: SchemaStep = {
  name: 'entries',
  sql: `CREATE TABLE IF NOT EXISTS entries (seq INTEGER PRIMARY KEY, amount TEXT NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS wrong (n INTEGER NOT NULL) STRICT;`,
}
/** Decided by the data: amounts were text with a unit. */
export const CENTS: SchemaStep = {
  name: 'amounts in cents',
  run: (sql) => {
    sql.exec('ALTER TABLE entries ADD COLUMN cents INTEGER NOT NULL DEFAULT 0')
    for (const { seq, amount } of sql
      .exec<{ seq: number; amount: string }>('SELECT seq, amount FROM entries')
      .toArray()) {
      sql.exec('UPDATE entries SET cents = ? WHERE seq = ?', Number(amount.replace(' EUR', '')) * 100, seq)
    }
  },
}
export const TOTALS: SchemaStep = {
  name: 'a total beside the entries',
  sql: `CREATE TABLE totals (id INTEGER PRIMARY KEY CHECK (id = 0), cents INTEGER NOT NULL) STRICT;
        INSERT INTO totals (id, cents) SELECT 0, coalesce(sum(cents), 0) FROM entries;`,
}
export const LEDGER: Schema = { name: 'ledger', unversionedTable: 'entries', steps: [TABLES, CENTS, TOTALS] }
export const REMARKS: TableGroup = {
  name: 'remarks',
  steps: [
    {
      name: 'remarks',
      sql: 'CREATE TABLE remarks (text TEXT NOT NULL) STRICT; CREATE TABLE authors (name TEXT) STRICT;',
    },
    { name: 'stars of a remark', sql: 'ALTER TABLE remarks ADD COLUMN stars INTEGER NOT NULL DEFAULT 1' },
  ],
}
/** A schema with a group and a fact, beside those that have none. */
export const SHOP: Schema = {
  name: 'shop',
  steps: [{ name: 'goods', sql: 'CREATE TABLE goods (name TEXT NOT NULL) STRICT' }],
  groups: [REMARKS],
  facts: ['owner'],
}
export const MARKER: Schema = {
  name: 'marker',
  steps: [{ name: 'mark', sql: 'CREATE TABLE mark (text TEXT NOT NULL) STRICT' }],
}

/** Most shops have no remarks. */
export class ShopObject extends VersionedObject {
  static override readonly schemas = [SHOP]
  readonly #remarks = this.stored.tables(REMARKS)

  open(owner: string): void {
    this.stored.transact(() => {
      this.stored.create(SHOP)
      this.stored.facts.put('owner', { name: owner })
    })
  }

  owner(): string | null {
    return this.stored.facts.get<{ name: string }>('owner')?.name ?? null
  }

  /** Refused after it was written if it is rude. */
  remark(text: string): Result<number, { reason: 'rude' }> {
    return this.stored.transact((): Result<number, { reason: 'rude' }> => {
      this.#remarks.exec('INSERT INTO remarks (text) VALUES (?)', text)
      return text === 'rude' ? err({ reason: 'rude' }) : ok(this.remarks().length)
    })
  }

  remarks(): { readonly text: string; readonly stars: number }[] {
    return this.#remarks.exec<{ text: string; stars: number }>('SELECT text, stars FROM remarks').toArray()
  }

  clear(): void {
    this.#remarks.exec('DELETE FROM remarks')
  }
}

/** A ledger, or a mark that stands for one: every kind of thing that the base does. */
export class LedgerObject extends VersionedObject {
  static override readonly schemas = [LEDGER, MARKER]

  add(amount: string): Result<number, { reason: 'too_much' | 'is_mark' }> {
    return this.stored.transact((): Result<number, { reason: 'too_much' | 'is_mark' }> => {
      if (this.stored.is(MARKER)) return err({ reason: 'is_mark' })
      this.stored.create(LEDGER)
      const cents = Number(amount) * 100
      this.stored.sql.exec('INSERT INTO entries (amount, cents) VALUES (?, ?)', `${amount} EUR`, cents)
      this.stored.sql.exec('UPDATE totals SET cents = cents + ?', cents)
      return cents > 10_000 ? err({ reason: 'too_much' }) : ok(this.total())
    })
  }

  /** Counts the wrong guess, and undoes what was done for it. */
  guess(text: string): Result<void, { reason: 'wrong' }> {
    return this.stored.transact(() => {
      this.stored.sql.exec('INSERT INTO wrong (n) VALUES (1)')
      return persist(
        this.stored.transact((): Result<void, { reason: 'wrong' }> => {
          this.stored.sql.exec('DELETE FROM entries')
          return text === 'right' ? ok(undefined) : err({ reason: 'wrong' })
        }),
      )
    })
  }

  mark(text: string): void {
    this.stored.transact(() => {
      this.stored.create(MARKER)
      this.stored.sql.exec('INSERT INTO mark (text) VALUES (?)', text)
    })
  }

  total(): number {
    if (!this.stored.is(LEDGER)) return 0
    return this.stored.sql.exec<{ cents: number }>('SELECT cents FROM totals').one().cents
  }

  count(): { readonly entries: number; readonly wrong: number } {
    const count = (table: string) => this.stored.sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n
    return { entries: count('entries'), wrong: count('wrong') }
  }

  wakeBy(at: number): Promise<void> {
    return this.stored.alarm.by(at)
  }

  forget(): Promise<void> {
    return this.stored.deleteAll()
  }

  override alarm(): void {
    this.stored.alarm.wentOff()
  }
}

export { LibraryObject } from './library.ts'

// biome-ignore lint/style/noDefaultExport: the runtime looks for one
export default { fetch: () => new Response(null, { status: 404 }) }
