import { type LoadAnswer, type LoadRequest, send } from '@svc/platform/callers/send'
import { percentile } from '../figures/load.ts'
import type { Take } from './rounds.ts'

const MAX_TRIES = 50

export interface TakenOptions {
  readonly concurrency?: number
  /** Whether a request that is answered with 500 is sent again, as the client of a server that does so must. */
  readonly isRepeated?: boolean
}

/** The requests of one round, with their answers in the same order. Throws if an answer has another status. */
export async function taken(
  requests: readonly LoadRequest[],
  status: number,
  processorMs: () => number,
  { concurrency = 16, isRepeated = false }: TakenOptions = {},
): Promise<Take & { readonly p99: number; readonly bodies: readonly Buffer[] }> {
  const answers: LoadAnswer[] = []
  const [before, startedAt] = [processorMs(), performance.now()]
  let next = 0
  const worker = async () => {
    for (let mine = next++; mine < requests.length; mine = next++) {
      const request = requests[mine]
      if (!request) return
      answers[mine] = await answered(request, status, isRepeated ? MAX_TRIES : 1)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  const milliseconds = performance.now() - startedAt
  return {
    count: requests.length,
    milliseconds,
    processorMs: processorMs() - before,
    p99: percentile(
      answers.map((answer) => answer.milliseconds),
      0.99,
    ),
    bodies: answers.map(({ body }) => body),
  }
}

async function answered(request: LoadRequest, status: number, tries: number): Promise<LoadAnswer> {
  const answer = await send(request)
  if (answer.status === status) return answer
  if (answer.status === 500 && tries > 1) return answered(request, status, tries - 1)
  throw new Error(`${request.method} ${request.url}: ${answer.status} ${answer.body.toString()}`)
}
