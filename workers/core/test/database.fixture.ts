/** The real database with something done around its statements: to break it, or to bring racers to the same point. */
import { env } from 'cloudflare:workers'

type Work = () => Promise<unknown>
/** Gets the SQL of a statement, or of all statements of a batch, and does the work or does not. */
export type Around = (sql: string, work: Work) => Promise<unknown>

interface Wrapped {
  readonly sql: string
  readonly real: D1PreparedStatement
}

export function databaseWith(around: Around): { DB: unknown } {
  const wrapped = new WeakMap<object, Wrapped>()
  const wrap = (sql: string, real: D1PreparedStatement): object => {
    const statement = {
      bind: (...values: unknown[]) => wrap(sql, real.bind(...values)),
      first: () => around(sql, () => real.first()),
      all: () => around(sql, () => real.all()),
      run: () => around(sql, () => real.run()),
    }
    wrapped.set(statement, { sql, real })
    return statement
  }
  const batch = (statements: readonly object[]) => {
    const parts = statements.map((statement) => wrapped.get(statement)!)
    return around(parts.map(({ sql }) => sql).join(';\n'), () => env.DB.batch(parts.map(({ real }) => real)))
  }
  return { DB: { prepare: (sql: string) => wrap(sql, env.DB.prepare(sql)), batch } }
}

const down = (): never => {
  throw new Error('D1 is down')
}

/** Fails on statements that say this, before they have done anything. */
export const failingBefore = (what: string) => databaseWith(async (sql, work) => (sql.includes(what) ? down() : work()))

/** Fails on statements that say this, after they have done everything: the answer is lost. */
export const failingAfter = (what: string) =>
  databaseWith(async (sql, work) => {
    const answer = await work()
    return sql.includes(what) ? down() : answer
  })

/** Does something else just before statements that say this. */
export const interrupted = (what: string, act: () => Promise<unknown>) =>
  databaseWith(async (sql, work) => {
    if (sql.includes(what)) await act()
    return work()
  })

/** Brings so many requests to the statements that say this before any of them runs. */
export function gathering(what: string, count: number): { DB: unknown } {
  const { promise, resolve } = Promise.withResolvers<void>()
  let arrived = 0
  return interrupted(what, () => {
    arrived += 1
    if (arrived === count) resolve()
    return promise
  })
}
