import { app } from './app.ts'
import { sweep } from './services.ts'

export { ConsentCreatorObject } from './creator/object.ts'
export { ConsentPlacementObject } from './placement/object.ts'
export { ConsentStoreObject } from './store/object.ts'

/** The hourly cron trigger. */
function scheduled({ scheduledTime }: ScheduledController, env: Env, context: ExecutionContext): void {
  context.waitUntil(sweep(env, scheduledTime))
}

export default { fetch: app.fetch, scheduled }
