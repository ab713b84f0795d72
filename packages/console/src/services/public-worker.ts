/**
 * Reads and verifies what is public in a thread of its own: a signature takes a phone longer than a page may stand still.
 *
 * @module
 */
import type { Client } from '@svc/client'
import { listOf } from '../log/list.ts'
import { newestOf } from '../log/newest.ts'
import { pinnedBy } from '../log/pinned.ts'
import { READS } from '../profile/reads.ts'
import { withoutEval } from '../without-eval.ts'
import { publicClient } from './public-client.ts'
import type { Answered, Asked, Question } from './questions.ts'

withoutEval()

// The browser loads its dates once, for the page too, which would stand still meanwhile.
new Intl.DateTimeFormat().format(0)

addEventListener('message', ({ data }: MessageEvent<Asked>) => void answer(data))

async function answer({ id, core, question }: Asked): Promise<void> {
  try {
    postMessage({ id, ok: true, value: await read(await publicClient(core), question) } satisfies Answered)
  } catch (error) {
    postMessage({ id, ok: false, fault: membersOf(error) } satisfies Answered)
  }
}

async function read(client: Client, question: Question): Promise<unknown> {
  if (question.of === 'newest') return newestOf(client, question.series, question.earlier)
  if (question.of === 'logs') return listOf(client)
  if (question.of === 'pinned') return pinnedBy(client)
  return READS[question.of](client, question.did)
}

/** An error loses its class on the way, and everything that it has beside its message. */
function membersOf(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return {}
  const members = JSON.stringify(Object.fromEntries(Object.entries(error)))
  return { ...(JSON.parse(members) as Record<string, unknown>), name: error.name, message: error.message }
}
