import { WorkerEntrypoint } from 'cloudflare:workers'
import { app, internalService } from './app.ts'
import { sweepCache } from './ipfs/block-cache.ts'

export { CounterObject } from '@svc/service/counter-object'
export { AnchorLogObject } from './anchors/anchor-log-object.ts'
export { IdentityObject } from './identity/identity-object.ts'
export { InboxObject } from './inbox/inbox-object.ts'
export { NoteVaultObject } from './notes/note-vault-object.ts'
export { RendezvousObject } from './rendezvous/rendezvous-object.ts'

/** Core's internal routes. Bound by sibling Workers, whose name comes with the binding's props. */
export class CoreInternal extends WorkerEntrypoint<Env, { caller?: string }> {
  override fetch(request: Request): Response | Promise<Response> {
    return internalService.app.fetch(request, this.env, this.ctx)
  }
}

/** Every hour, by the cron trigger: what strangers have had fetched is kept within bounds. */
function scheduled({ scheduledTime }: ScheduledController, env: Env, context: ExecutionContext): void {
  context.waitUntil(sweepCache(env.BLOBS, scheduledTime))
}

export default { fetch: app.fetch, scheduled }
