import { env as bindings, WorkerEntrypoint } from 'cloudflare:workers'
import type { IssuedCode, PayInternalApi, Standing } from '@svc/protocol/internal/pay'
import { answerCall, meterInto, runTrigger } from '@svc/service'
import { app, internalService } from './app.ts'
import { issueFor, redeemFor, standingFor } from './entitlements/internal.ts'
import { createRuntime } from './services.ts'

export { CounterObject } from '@svc/service/counter-object'
export { QuotaMeterObject } from './quota/object.ts'

meterInto(bindings)

/** What siblings call over their bindings, whose props name the caller; no public hostname reaches it. */
export class PayInternal extends WorkerEntrypoint<Env, { caller?: string }> implements PayInternalApi {
  override fetch(request: Request): Response | Promise<Response> {
    return internalService.app.fetch(request, this.env, this.ctx)
  }

  standing(did: string, requestId?: string): Promise<Standing> {
    const call = { service: 'pay', operation: 'standing', requestId }
    return answerCall(call, () => standingFor(this.ctx.props.caller, this.env, did))
  }

  redeem(did: string, codeHash: string, requestId?: string): Promise<Standing | null> {
    const call = { service: 'pay', operation: 'redeem', requestId }
    return answerCall(call, () => redeemFor(this.ctx.props.caller, this.env, did, codeHash))
  }

  issue(code: IssuedCode, requestId?: string): Promise<true> {
    const call = { service: 'pay', operation: 'issue', requestId }
    return answerCall(call, () => issueFor(this.ctx.props.caller, this.env, code))
  }
}

/** The trigger that only tells owners what they were not told. */
const HOURLY = '13 * * * *'

/** The cron triggers: the daily one also applies events of the payment provider that did not arrive. */
function scheduled({ scheduledTime, cron }: ScheduledController, env: Env, context: ExecutionContext): void {
  const { reconciliation, ownerEvents, queues } = createRuntime(env).deps
  const run = runTrigger({ service: 'pay', run: cron === HOURLY ? 'hourly' : 'daily' }, [
    () => ownerEvents.deliver(scheduledTime),
    ...(reconciliation && cron !== HOURLY ? [() => reconciliation.run(scheduledTime)] : []),
    () => queues.measure(scheduledTime),
  ])
  context.waitUntil(run)
}

export default { fetch: app.fetch, scheduled }
