import { vi } from 'vitest'

/** The real database with something done around its statements: to break it, or to bring racers to the same point. */
type Work = () => Promise<unknown>
/** Gets the SQL of a statement, or of all statements of a batch, and does the work or does not. */
export type Around = (sql: string, work: Work) => Promise<unknown>

interface Wrapped {
  readonly sql: string
  readonly real: D1PreparedStatement
}

export function databaseAround<B extends string = 'DB'>(
  database: D1Database,
  around: Around,
  binding: B = 'DB' as B,
): { readonly [N in B]: unknown } {
  const wrapped = new WeakMap<object, Wrapped>()
  const wrap = (sql: string, real: D1PreparedStatement): object => {
    const statement = {
      bind: (...values: unknown[]) => wrap(sql, real.bind(...values)),
      first: (column?: string) => around(sql, () => (column === undefined ? real.first() : real.first(column))),
      all: () => around(sql, () => real.all()),
      run: () => around(sql, () => real.run()),
    }
    wrapped.set(statement, { sql, real })
    return statement
  }
  const over = (real: Pick<D1Database, 'prepare' | 'batch'>) => ({
    prepare: (sql: string) => wrap(sql, real.prepare(sql)),
    batch: (statements: readonly object[]) => {
      const parts = statements.map((statement) => wrapped.get(statement)!)
      return around(parts.map(({ sql }) => sql).join(';\n'), () => real.batch(parts.map((part) => part.real)))
    },
  })
  const withSession = (constraint?: D1SessionConstraint) => over(database.withSession(constraint))
  return { [binding]: { ...over(database), withSession } } as { readonly [N in B]: unknown }
}

/** What the code logged as delayed while the work ran, each by its name. */
export async function delaysDuring(work: () => Promise<unknown>): Promise<string[]> {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
  try {
    await work()
    return warned.mock.calls.flatMap(([line]) => {
      const { delayed } = JSON.parse(String(line)) as { delayed?: string }
      return delayed === undefined ? [] : [delayed]
    })
  } finally {
    warned.mockRestore()
  }
}
