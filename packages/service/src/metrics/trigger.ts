import { faultOf, raiseAlarm } from '../app/log.ts'
import { underRequestId } from '../app/request-id.ts'
import { writeRow } from './metrics.ts'

export interface TriggerRun {
  readonly service: string
  readonly run: string
}

/**
 * A run of a cron trigger, under an id of its own. Its parts do not stop each other; one that fails raises an alarm, and
 * the run does not count as done. Rejects with the first failure, so that the platform counts it too.
 */
export function runTrigger({ service, run }: TriggerRun, parts: readonly (() => Promise<unknown>)[]): Promise<void> {
  return underRequestId(crypto.randomUUID(), async () => {
    const startedAt = Date.now()
    const results = await Promise.allSettled(parts.map((part) => part()))
    const failed = results.filter((result) => result.status === 'rejected')
    for (const { reason } of failed) raiseAlarm({ service, alarm: 'run_failed', subject: run, reason: faultOf(reason) })
    const outcome = failed.length === 0 ? 'done' : 'failed'
    writeRow({ kind: 'run', service, name: run, outcome, value: Date.now() - startedAt })
    if (failed[0]) throw failed[0].reason as Error
  })
}
