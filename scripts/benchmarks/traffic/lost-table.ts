import { setTimeout } from 'node:timers/promises'
import type { Platform } from '@svc/platform'

/**
 * A fault for alerts to find: pay's catalogue is gone from the database for the third quarter of the time, so reads of
 * offers fail. Nothing is lost, because the table only has another name meanwhile.
 */
export async function loseTable({ miniflare }: Pick<Platform, 'miniflare'>, seconds: number): Promise<void> {
  const database = await miniflare.getD1Database('DB', 'svc-pay')
  await setTimeout((seconds * 1000) / 2)
  await database.prepare('ALTER TABLE prices RENAME TO lost_prices').run()
  try {
    await setTimeout((seconds * 1000) / 4)
  } finally {
    await database.prepare('ALTER TABLE lost_prices RENAME TO prices').run()
  }
}
