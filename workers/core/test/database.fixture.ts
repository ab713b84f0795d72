/** The real databases with something injected around its statements. */
import { env } from 'cloudflare:workers'
import { type Around, databaseAround } from '@svc/service/testing'

export const databaseWith = (around: Around) => ({
  ...databaseAround(env.DB, around),
  ...databaseAround(env.CONTROL_DB, around, 'CONTROL_DB'),
})

const down = (): never => {
  throw new Error('D1 is down')
}

/** Fails on statements that contain this text, before they run. */
export const failingBefore = (what: string) => databaseWith(async (sql, work) => (sql.includes(what) ? down() : work()))

/** Fails on statements that contain this text, after they ran: the answer is lost. */
export const failingAfter = (what: string) =>
  databaseWith(async (sql, work) => {
    const answer = await work()
    return sql.includes(what) ? down() : answer
  })

/** Runs something else just before statements that contain this text. */
export const interrupted = (what: string, act: () => Promise<unknown>) =>
  databaseWith(async (sql, work) => {
    if (sql.includes(what)) await act()
    return work()
  })

/** Holds requests at statements that contain this text until `count` of them have arrived. */
export function gathering(what: string, count: number): { DB: unknown } {
  const { promise, resolve } = Promise.withResolvers<void>()
  let arrived = 0
  return interrupted(what, () => {
    arrived += 1
    if (arrived === count) resolve()
    return promise
  })
}
