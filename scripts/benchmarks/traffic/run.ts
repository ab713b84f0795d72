import { setTimeout } from 'node:timers/promises'
import { type LoadAnswer, type LoadRequest, send } from '@svc/platform/callers/send'
import type { Kind, PlannedRequest } from './mix.ts'

/** The time-out: longer than any successful response takes. */
export const TIMEOUT_MS = 10_000

export type Outcome = 'answered' | 'refused' | 'failed' | 'timeout' | 'broken' | 'unsent'

/** The outcome of one request. */
export interface Sample {
  readonly kind: Kind
  /** The scheduled time, in milliseconds after the start. */
  readonly at: number
  /** From the scheduled time, not the time of sending, to the end of the response. */
  readonly milliseconds: number
  readonly outcome: Outcome
  /** The status of the response; 0 without one. */
  readonly status: number
}

export interface Run {
  readonly samples: readonly Sample[]
  /** Answered requests with a credential. None of them may be accepted again. */
  readonly spent: readonly LoadRequest[]
}

export interface RunOptions {
  /** Aborting stops sending. */
  readonly ended?: AbortSignal
  /** How many may be under way; more wait, and the loop is not open any more. */
  readonly atOnce?: number
  /** Called for each request when it is sent. */
  readonly onSend?: (kind: Kind) => void
  /** Called for each expected response, with the milliseconds since its request was sent. */
  readonly onAnswer?: (kind: Kind, milliseconds: number) => void
}

/**
 * Sends each request at its scheduled time, even if earlier ones are pending: an open loop, so that a stall counts for
 * every request that it delays.
 */
export async function sendWhenDue(
  planned: readonly PlannedRequest[],
  due: readonly number[],
  { ended, atOnce = Number.POSITIVE_INFINITY, onSend = () => {}, onAnswer = () => {} }: RunOptions = {},
): Promise<Run> {
  const startedAt = performance.now()
  const samples: Sample[] = []
  const spent: LoadRequest[] = []
  const lanes = new Map<string, Promise<Outcome>>()

  const attempt = async (one: PlannedRequest, at: number, before?: Promise<Outcome>): Promise<Outcome> => {
    if (before && (await before) !== 'answered') return note(one, at, 'unsent', 0)
    if (ended?.aborted) return 'unsent'
    onSend(one.kind)
    const answer = await send(one.request, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error: Error) => error)
    const [outcome, body] = judge(one, answer)
    one.settle?.(body)
    if (outcome === 'answered' && !(answer instanceof Error)) onAnswer(one.kind, answer.milliseconds)
    if (outcome === 'answered' && one.request.headers?.['authorization'] !== undefined) spent.push(one.request)
    return note(one, at, outcome, answer instanceof Error ? 0 : answer.status)
  }
  const note = ({ kind }: PlannedRequest, at: number, outcome: Outcome, status: number): Outcome => {
    samples.push({ kind, at, milliseconds: performance.now() - startedAt - at, outcome, status })
    return outcome
  }

  const underWay = new Set<Promise<Outcome>>()
  for (const [i, one] of planned.entries()) {
    const at = due[i] ?? 0
    const wait = startedAt + at - performance.now()
    if (wait > 0) await setTimeout(wait, undefined, ended && { signal: ended }).catch(() => {})
    while (underWay.size >= atOnce) await Promise.race(underWay)
    const outcome = attempt(one, at, one.lane === undefined ? undefined : lanes.get(one.lane))
    if (one.lane !== undefined) lanes.set(one.lane, outcome)
    underWay.add(outcome)
    const over = () => underWay.delete(outcome)
    outcome.then(over, over)
  }
  await Promise.all(underWay)
  return { samples, spent }
}

function judge({ status }: PlannedRequest, answer: LoadAnswer | Error): [Outcome, unknown] {
  if (answer instanceof Error) return [answer.name === 'AbortError' ? 'timeout' : 'broken', null]
  if (answer.status !== status) return [answer.status >= 500 ? 'failed' : 'refused', null]
  const isJson = answer.body[0] === 0x7b
  return ['answered', isJson ? JSON.parse(answer.body.toString()) : answer.body.toString()]
}
