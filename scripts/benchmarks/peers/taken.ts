import type { LoadRequest } from '@svc/platform/callers/send'
import { percentile, type SendOptions, sendAll } from '../figures/load.ts'
import type { Take } from './rounds.ts'

/** One round of any work, with the processor time of the servers. */
export async function timed<T>(
  count: number,
  processorMs: () => number,
  work: () => Promise<T>,
): Promise<Take & { readonly result: T }> {
  const [before, startedAt] = [processorMs(), performance.now()]
  const result = await work()
  return { count, milliseconds: performance.now() - startedAt, processorMs: processorMs() - before, result }
}

/** One round of requests, with their answers in the same order. Throws if an answer has another status. */
export async function taken(
  requests: readonly LoadRequest[],
  status: number,
  processorMs: () => number,
  { concurrency = 16, ...options }: SendOptions & { readonly concurrency?: number } = {},
): Promise<Take & { readonly p99: number; readonly bodies: readonly Buffer[] }> {
  const { result, ...take } = await timed(requests.length, processorMs, () =>
    sendAll(requests, concurrency, status, options),
  )
  const times = result.map(({ milliseconds }) => milliseconds)
  return { ...take, p99: percentile(times, 0.99), bodies: result.map(({ body }) => body) }
}
