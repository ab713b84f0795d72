import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { queuesOf } from '../src/services.ts'

const NOW = 1_900_000_000_000

async function add(table: string, columns: Readonly<Record<string, string | number>>): Promise<void> {
  const names = Object.keys(columns)
  const marks = names.map(() => '?').join(', ')
  await env.DB.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`)
    .bind(...Object.values(columns))
    .run()
}

it('tells how much waits, and since when', async () => {
  const letter = { type: 'x', occurred_at: 1, reason: 'unknown SKU', payload: '{}', attempts: 1 }
  await add('dead_letters', { ...letter, event_id: 'evt_1', received_at: NOW - 90_000 })
  await add('dead_letters', { ...letter, event_id: 'evt_2', received_at: NOW - 30_000 })
  const event = { did: 'did', kind: 'payment.completed', ref: 'x', attempts: 0, due_at: 0 }
  await add('owner_events', { ...event, id: '1', recorded_at: NOW - 5_000 })
  const queues = queuesOf(env)
  await queues.measure(NOW)
  expect(await queues.recent(NOW)).toEqual({
    'dead letters': { depth: 2, oldestAgeSeconds: 90 },
    'payment events': { depth: 1, oldestAgeSeconds: 5 },
  })
})
