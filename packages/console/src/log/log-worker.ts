/**
 * Reads and verifies the logs in a thread of its own: a signature takes a phone longer than a page may stand still.
 *
 * @module
 */
import type { Client } from '@svc/client'
import { publicClient } from '../services/public-client.ts'
import { newestOf } from './newest.ts'
import type { Answered, Asked, Question } from './questions.ts'

addEventListener('message', ({ data }: MessageEvent<Asked>) => void answer(data))

async function answer({ id, core, question }: Asked): Promise<void> {
  try {
    postMessage({ id, ok: true, value: await read(await publicClient(core), question) } satisfies Answered)
  } catch (error) {
    postMessage({ id, ok: false, fault: membersOf(error) } satisfies Answered)
  }
}

async function read(client: Client, question: Question) {
  if (question.of === 'newest') return newestOf(client, question.series, question.earlier)
  return (await client.anchors.logs()).list()
}

/** An error loses its class on the way, and everything that it has beside its message. */
function membersOf(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return {}
  const members = JSON.stringify(Object.fromEntries(Object.entries(error)))
  return { ...(JSON.parse(members) as Record<string, unknown>), name: error.name, message: error.message }
}
