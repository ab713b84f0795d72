import { WorkerEntrypoint } from 'cloudflare:workers'
import { app, internalService } from './app.ts'
import { createRuntime } from './services.ts'

export { CounterObject } from '@svc/service/counter-object'
export { QuotaMeterObject } from './quota/object.ts'

/** Pay's internal routes. Bound by sibling Workers, whose name is in the binding's props. */
export class PayInternal extends WorkerEntrypoint<Env, { caller?: string }> {
  override fetch(request: Request): Response | Promise<Response> {
    return internalService.app.fetch(request, this.env, this.ctx)
  }
}

/** The daily cron trigger: applies events of the payment provider that did not arrive. */
function scheduled({ scheduledTime }: ScheduledController, env: Env, context: ExecutionContext): void {
  const { reconciliation } = createRuntime(env).deps
  if (reconciliation) context.waitUntil(reconciliation.run(scheduledTime))
}

export default { fetch: app.fetch, scheduled }
