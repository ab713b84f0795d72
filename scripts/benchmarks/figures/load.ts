import { type LoadAnswer, type LoadRequest, send } from '@svc/platform/callers/send'

/** Sends all requests, at most `concurrency` at a time. Throws if a response has another status. */
export async function sendAll(
  requests: readonly LoadRequest[],
  concurrency: number,
  status: number,
): Promise<LoadAnswer[]> {
  const answers: LoadAnswer[] = []
  let next = 0
  const worker = async () => {
    for (let mine = next++; mine < requests.length; mine = next++) {
      const wanted = requests[mine]
      if (!wanted) return
      const answer = await send(wanted)
      if (answer.status !== status)
        throw new Error(`${wanted.method} ${wanted.url}: ${answer.status} ${answer.body.toString()}`)
      answers.push(answer)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return answers
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)
