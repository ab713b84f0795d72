import { LooseObjects, objectsIn, readConfig } from '@svc/service'
import { configSchema } from '../env.ts'
import { IdentityService } from '../identity/service.ts'
import { payloadStanding } from './upload-owners.ts'

/** For the hourly cron trigger. Payloads of chains are named in the objects of their identities. */
export async function sweepLoose(env: Env, now: number): Promise<number> {
  const { REALMS } = readConfig(configSchema, env)
  const identities = new IdentityService(objectsIn(env, env.IDENTITIES), REALMS)
  return new LooseObjects(env.DB, env.BLOBS).sweep(now, (keys) => payloadStanding(identities, keys))
}
