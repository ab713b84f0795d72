import { WorkerEntrypoint } from 'cloudflare:workers'
import type { PayInternalApi, Standing } from '@svc/protocol/internal/pay'
import { app, internalService } from './app.ts'
import { redeemFor, standingFor } from './entitlements/internal.ts'
import { createRuntime } from './services.ts'

export { CounterObject } from '@svc/service/counter-object'
export { QuotaMeterObject } from './quota/object.ts'

/** What siblings call over their bindings, whose props name the caller; no public hostname reaches it. */
export class PayInternal extends WorkerEntrypoint<Env, { caller?: string }> implements PayInternalApi {
  override fetch(request: Request): Response | Promise<Response> {
    return internalService.app.fetch(request, this.env, this.ctx)
  }

  standing(did: string): Promise<Standing> {
    return standingFor(this.ctx.props.caller, this.env, did)
  }

  redeem(did: string, codeHash: string): Promise<Standing | null> {
    return redeemFor(this.ctx.props.caller, this.env, did, codeHash)
  }
}

/** The daily cron trigger: applies events of the payment provider that did not arrive. */
function scheduled({ scheduledTime }: ScheduledController, env: Env, context: ExecutionContext): void {
  const { reconciliation } = createRuntime(env).deps
  if (reconciliation) context.waitUntil(reconciliation.run(scheduledTime))
}

export default { fetch: app.fetch, scheduled }
