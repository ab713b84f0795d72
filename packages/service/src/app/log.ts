import { RecordFault } from '@svc/objects/records'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { writeRow } from '../metrics/metrics.ts'
import { ConfigError } from './config.ts'
import { currentRequestId, siblingRequestId, underRequestId } from './request-id.ts'

/** One line per request. Route templates, never URLs; never a key, token, assertion, address or body. */
export interface RequestRecord {
  readonly service: string
  readonly requestId: string
  /** Its id in the API description, so that lines can be counted by it. */
  readonly operation: string
  readonly route: string
  readonly method: string
  readonly status: number
  readonly milliseconds: number
  readonly reason?: string | undefined
}

export function logRequest(record: RequestRecord): void {
  console.log(JSON.stringify(record))
}

/** Whether lines of a request are among the share that is kept. By its id, so that all services keep the same requests. */
export function isSampled(requestId: string, share: number): boolean {
  return Number.parseInt(requestId.slice(0, 8), 16) < share * 2 ** 32
}

/** Something that an operator must look at. Names and numbers only, like a line of a request. */
export interface AlarmRecord {
  readonly service: string
  readonly alarm: string
  /** What it is about, such as the id of an event. */
  readonly subject?: string
  readonly count?: number
  readonly reason?: string
}

/** Written as an error, so that log rules can tell it from the lines of requests. */
export function raiseAlarm(record: AlarmRecord): void {
  const { service, alarm, count = 1 } = record
  writeRow({ kind: 'alarm', service, name: alarm, value: count })
  console.error(JSON.stringify({ ...record, requestId: currentRequestId() }))
}

/** Work that no answer waits for, by its name on the page about operating. */
export interface DelayedWork {
  readonly service: string
  readonly delayed: string
  /** How much of it waits, where that is known. */
  readonly waiting?: number
}

/**
 * Whether the work is done. A failure is logged with what it delays: the caller keeps it for a later attempt. Work of an
 * alarm gets a request id, so that the lines of siblings it called can be found. Never rejects.
 */
export function doneOrDelayed(delayed: DelayedWork, work: () => Promise<unknown>): Promise<boolean> {
  return underRequestId(currentRequestId() ?? crypto.randomUUID(), async () => {
    try {
      await work()
      return true
    } catch (error) {
      logDelay(delayed, error)
      return false
    }
  })
}

export interface SiblingCall {
  readonly service: string
  readonly operation: string
  /** Passed by the caller; releases before it passed none. */
  readonly requestId: unknown
}

/** Answers a call by RPC under the id of the caller's request. Only a failure is logged: a success is the caller's. */
export function answerCall<T>(
  { service, operation, requestId: passed }: SiblingCall,
  work: () => Promise<T>,
): Promise<T> {
  const requestId = siblingRequestId(passed)
  const startedAt = Date.now()
  return underRequestId(requestId, async () => {
    try {
      return await work()
    } catch (error) {
      const milliseconds = Date.now() - startedAt
      writeRow({ kind: 'request', service, name: operation, outcome: '5xx', value: milliseconds, detail: 500 })
      const facts = { service, requestId, operation, route: 'rpc', method: 'RPC', status: 500, milliseconds }
      logRequest({ ...facts, reason: reasonOf(error) })
      throw error
    }
  })
}

/** Written as a warning, so that log rules can count them. */
export function logDelay(delayed: DelayedWork, error: unknown): void {
  const { service, delayed: name, waiting = 1 } = delayed
  writeRow({ kind: 'delay', service, name, value: waiting })
  console.warn(JSON.stringify({ ...delayed, requestId: currentRequestId(), reason: reasonOf(error) }))
}

/** What could not be reached, and why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof DependencyFault)) return faultOf(error)
  return error.cause === undefined ? error.dependency : `${error.dependency}: ${faultOf(error.cause)}`
}

/** An unexpected error by its name and frames. Its message may contain input, so it is left out. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return 'not an Error'
  if (error instanceof ConfigError || error instanceof RecordFault) return error.message
  // A multi-line message could look like frames, so it is removed first.
  const stack = (error.stack ?? '').replace(error.message, () => '')
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  return [error.name, ...frames.slice(0, 8).map((line) => line.trim())].join(' | ')
}
