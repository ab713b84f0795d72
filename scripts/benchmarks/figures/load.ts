import { type LoadAnswer, type LoadRequest, send } from '@svc/platform/callers/send'

/** How often a request is sent that is answered with 500. */
const MAX_TRIES = 50

export interface SendOptions {
  /** Whether a request that is answered with 500 is sent again, as clients of a server that does so must. */
  readonly isRepeated?: boolean
}

/** Sends all requests, at most `concurrency` at a time, and returns their answers in the same order. Throws if one has another status. */
export async function sendAll(
  requests: readonly LoadRequest[],
  concurrency: number,
  status: number,
  { isRepeated = false }: SendOptions = {},
): Promise<LoadAnswer[]> {
  const answers: LoadAnswer[] = []
  let next = 0
  const worker = async () => {
    for (let mine = next++; mine < requests.length; mine = next++) {
      const wanted = requests[mine]
      if (!wanted) return
      answers[mine] = await answered(wanted, status, isRepeated ? MAX_TRIES : 1)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return answers
}

async function answered(wanted: LoadRequest, status: number, tries: number): Promise<LoadAnswer> {
  const answer = await send(wanted)
  if (answer.status === status) return answer
  if (answer.status === 500 && tries > 1) return answered(wanted, status, tries - 1)
  throw new Error(`${wanted.method} ${wanted.url}: ${answer.status} ${answer.body.toString()}`)
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)
