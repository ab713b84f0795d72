import { WorkerEntrypoint } from 'cloudflare:workers'
import { app, internalService } from './app.ts'

export { QuotaMeterObject } from './quota/object.ts'

/** Pay's internal routes. Bound by sibling Workers, whose name is in the binding's props. */
export class PayInternal extends WorkerEntrypoint<Env, { caller?: string }> {
  override fetch(request: Request): Response | Promise<Response> {
    return internalService.app.fetch(request, this.env, this.ctx)
  }
}

export default app
