import { setTimeout } from 'node:timers/promises'
import { type LoadAnswer, type LoadRequest, send } from '../measure/load.ts'
import type { Kind, PlannedRequest } from './mix.ts'

/** Longer than any good answer takes, and the longest that a caller of the run waits. */
export const TIMEOUT_MS = 10_000

export type Outcome = 'answered' | 'refused' | 'failed' | 'timeout' | 'broken' | 'unsent'

/** What became of one request. */
export interface Sample {
  readonly kind: Kind
  /** When it was due, milliseconds after the start. */
  readonly at: number
  /** From when it was due, whenever it could be sent, to the end of its answer. */
  readonly milliseconds: number
  readonly outcome: Outcome
  /** Of the answer; 0 without one. */
  readonly status: number
}

export interface Run {
  readonly samples: readonly Sample[]
  /** Requests with a credential whose answers were taken: none of them may be taken again. */
  readonly spent: readonly LoadRequest[]
}

export interface RunOptions {
  /** Nothing more is sent from then on. */
  readonly ended?: AbortSignal
  /** How many may be under way; more wait, and it is no open loop any more. */
  readonly atOnce?: number
  /** Told of each request as it is sent. */
  readonly onSend?: (kind: Kind) => void
  /** Told of each answer that counts: milliseconds since its request was sent. */
  readonly onAnswer?: (kind: Kind, milliseconds: number) => void
}

/**
 * Sends each when it is due, whether or not those before it were answered: an open loop, so that a stall is measured by
 * everything that it delays.
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
