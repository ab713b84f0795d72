import { setTimeout } from 'node:timers/promises'
import type { Platform, PlatformOptions } from '@svc/platform'

type Workers = Parameters<NonNullable<PlatformOptions['arrange']>>[0]

const NAME = 'lost-table'
const SCRIPT = `export default {
  async fetch(request, env) {
    await env.DB.prepare(await request.text()).run()
    return new Response(null, { status: 204 })
  },
}`

/**
 * A Worker with pay's database. Miniflare's own access to a database blocks this process while it waits, and the runtime
 * waits in turn for this process to take its log: under load, neither goes on.
 */
export function withTableWorker(workers: Workers): Workers[number][] {
  const pay = workers.find(({ name }) => name === 'svc-pay')
  if (!pay?.d1Databases) throw new Error('svc-pay has no database')
  const { compatibilityDate = '2026-10-30', d1Databases } = pay
  const modules = [{ type: 'ESModule' as const, path: 'index.js', contents: SCRIPT }]
  return [...workers, { name: NAME, compatibilityDate, modules, d1Databases }]
}

/**
 * A fault for alerts to find: pay's catalogue is gone from the database for the third quarter of the time, so reads of
 * offers fail. Nothing is lost, because the table only has another name meanwhile.
 */
export async function loseTable({ miniflare }: Pick<Platform, 'miniflare'>, seconds: number): Promise<void> {
  const worker = await miniflare.getWorker(NAME)
  const run = async (sql: string) => {
    const { status } = await worker.fetch('http://database/', { method: 'POST', body: sql })
    if (status !== 204) throw new Error(`the database answers ${status} to ${sql}`)
  }
  await setTimeout((seconds * 1000) / 2)
  await run('ALTER TABLE prices RENAME TO lost_prices')
  try {
    await setTimeout((seconds * 1000) / 4)
  } finally {
    await run('ALTER TABLE lost_prices RENAME TO prices')
  }
}
