import { env as bindings, WorkerEntrypoint } from 'cloudflare:workers'
import { meterInto, runTrigger } from '@svc/service'
import { app, internalService } from './app.ts'
import { sweep } from './services.ts'

export { CounterObject } from '@svc/service/counter-object'
export { CapsuleBucketObject } from './capsules/bucket/object.ts'
export { CapsuleOwnerObject } from './capsules/owner/object.ts'
export { VectorIndexObject } from './vectors/index-object.ts'
export { OpenNoncesObject } from './verification/open-nonces-object.ts'

meterInto(bindings)

/** Provenance's internal routes. Bound by sibling Workers, whose name comes with the binding's props. */
export class ProvenanceInternal extends WorkerEntrypoint<Env, { caller?: string }> {
  override fetch(request: Request): Response | Promise<Response> {
    return internalService.app.fetch(request, this.env, this.ctx)
  }
}

/** The hourly cron trigger. */
function scheduled({ scheduledTime }: ScheduledController, env: Env, context: ExecutionContext): void {
  context.waitUntil(runTrigger({ service: 'provenance', run: 'hourly' }, [() => sweep(env, scheduledTime)]))
}

export default { fetch: app.fetch, scheduled }
