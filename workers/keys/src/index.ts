import { env as bindings, WorkerEntrypoint } from 'cloudflare:workers'
import type { KeysInternalApi } from '@svc/protocol/internal/keys'
import { answerCall, meterInto, runTrigger } from '@svc/service'
import { app } from './app.ts'
import { recordRootStatements } from './directory/root-statements.ts'
import { sweep } from './services.ts'

export { MapBucketObject } from './account-map/bucket-object.ts'
export { AccountMapObject } from './account-map/object.ts'
export { BeaconObject } from './beacon/object.ts'
export { AccountDirectoryObject } from './directory/object.ts'
export { TransparencyLogObject } from './transparency/object.ts'

meterInto(bindings)

/** What core calls over its service binding; nothing else can reach it. The binding's props name the caller. */
export class KeysInternal extends WorkerEntrypoint<Env, { caller?: string }> implements KeysInternalApi {
  /** Rotations, deactivations and key agreements that took effect at core. Idempotent. */
  recordRootStatements(did: string, statements: readonly unknown[], requestId?: string): Promise<void> {
    return answerCall({ service: 'keys', operation: 'recordRootStatements', requestId }, async () => {
      if (this.ctx.props.caller !== 'core') throw new Error('only core may record statements of root keys')
      await recordRootStatements(this.env, this.ctx, did, statements)
    })
  }
}

/** The hourly cron trigger. */
function scheduled({ scheduledTime }: ScheduledController, env: Env, context: ExecutionContext): void {
  context.waitUntil(runTrigger({ service: 'keys', run: 'hourly' }, [() => sweep(env, scheduledTime)]))
}

export default { fetch: app.fetch, scheduled }
