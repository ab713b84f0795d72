import { env as bindings, WorkerEntrypoint } from 'cloudflare:workers'
import type { CoreInternalApi } from '@svc/protocol/internal/core'
import type { OpenHead } from '@svc/protocol/merkle/beacon'
import { answerCall, meterInto, runTrigger } from '@svc/service'
import { sweepPublications } from './anchors/services.ts'
import { app, internalService } from './app.ts'
import { sweepLoose } from './chain/services.ts'
import { finishInvites } from './invites/services.ts'
import { sweepInvites } from './invites/store.ts'
import { sweepCache } from './ipfs/block-cache.ts'
import { openAnchorHead, queuesOf } from './services.ts'

export { CounterObject } from '@svc/service/counter-object'
export { AnchorLogObject } from './anchors/log-object.ts'
export { IdentityObject } from './identity/object.ts'
export { InboxObject } from './inbox/object.ts'
export { NoteVaultObject } from './notes/object.ts'
export { RendezvousObject } from './rendezvous/object.ts'

meterInto(bindings)

/** Core's internal routes. Bound by sibling Workers; the binding's props name the caller. */
export class CoreInternal extends WorkerEntrypoint<Env, { caller?: string }> implements CoreInternalApi {
  override fetch(request: Request): Response | Promise<Response> {
    return internalService.app.fetch(request, this.env, this.ctx)
  }

  /** Public: the route of the checkpoint shows it signed. */
  openAnchorHead(requestId?: string): Promise<OpenHead | null> {
    const call = { service: 'core', operation: 'openAnchorHead', requestId }
    return answerCall(call, () => openAnchorHead(this.env, Date.now()))
  }
}

/**
 * The hourly cron trigger: bounds the cache of fetched content, deletes what has no row or is no longer needed, carries out
 * decisions about invitations that were interrupted, and tells owners of anchors what they were not told.
 */
function scheduled({ scheduledTime }: ScheduledController, env: Env, context: ExecutionContext): void {
  const run = runTrigger({ service: 'core', run: 'hourly' }, [
    () => sweepCache(env.BLOBS, scheduledTime),
    () => sweepInvites(env.DB, scheduledTime),
    () => finishInvites(env, scheduledTime),
    () => sweepLoose(env, scheduledTime),
    () => sweepPublications(env, scheduledTime),
    () => queuesOf(env).measure(scheduledTime),
  ])
  context.waitUntil(run)
}

export default { fetch: app.fetch, scheduled }
