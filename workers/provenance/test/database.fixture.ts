/** The real databases with something done around its statements. */
import { env } from 'cloudflare:workers'
import { type Around, databaseAround } from '@svc/service/testing'

export const databaseWith = (around: Around) => ({
  ...databaseAround(env.DB, around),
  ...databaseAround(env.CONTROL_DB, around, 'CONTROL_DB'),
})
