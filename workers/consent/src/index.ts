import { env as bindings } from 'cloudflare:workers'
import { meterInto, runTrigger } from '@svc/service'
import { app } from './app.ts'
import { makeSnapshots, sweep } from './services.ts'

export { ConsentCreatorObject } from './creator/object.ts'
export { ConsentStoreObject } from './store/object.ts'

meterInto(bindings)

/** The cron trigger, every five minutes, from the second minute of an hour on: its snapshot can be made by then. */
function scheduled({ scheduledTime }: ScheduledController, env: Env, context: ExecutionContext): void {
  const run = runTrigger({ service: 'consent', run: 'five minutes' }, [
    () => sweep(env, scheduledTime),
    () => makeSnapshots(env, scheduledTime),
  ])
  context.waitUntil(run)
}

export default { fetch: app.fetch, scheduled }
