import { createExecutionContext, createScheduledController, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import worker from '../src/index.ts'
import { allRowsOf } from './capsules/buckets.fixture.ts'

/** The hourly cron trigger at some time. */
export async function sweepAt(time: number, replaced: object = {}): Promise<void> {
  const context = createExecutionContext()
  worker.scheduled(createScheduledController({ scheduledTime: new Date(time) }), { ...env, ...replaced }, context)
  await waitOnExecutionContext(context)
}

/** Every object of capsules and vectors, and those that a row names. */
export async function objectsAndNames(): Promise<{ readonly objects: string[]; readonly names: string[] }> {
  const listed = await Promise.all(['capsules/', 'vectors/'].map((prefix) => env.BLOBS.list({ prefix })))
  const { results } = await env.DB.prepare(
    'SELECT body_key FROM vector_sets UNION SELECT body_key FROM text_assets',
  ).all<{ body_key: string }>()
  const capsules = await allRowsOf('capsules')
  return {
    objects: listed.flatMap(({ objects }) => objects.map(({ key }) => key)).toSorted(),
    names: [...results.map(({ body_key }) => body_key), ...capsules.map((row) => row['body_key'] as string)].toSorted(),
  }
}
