import { objectsIn, readConfig } from '@svc/service'
import { configSchema } from '../env.ts'
import { IdentityService } from '../identity/service.ts'
import { AnchorIndex } from './index-store.ts'
import { tellOwners } from './told.ts'

/** A report is accepted for five minutes. */
const NONCES_KEPT_MS = 3_600_000

/** For the hourly cron trigger: tells what the route of the publisher could not tell, and forgets its nonces. */
export async function sweepPublications(env: Env, now: number): Promise<number> {
  const { REALMS } = readConfig(configSchema, env)
  const index = new AnchorIndex(env.DB)
  await index.forgetNonces(now - NONCES_KEPT_MS)
  return tellOwners(index, new IdentityService(objectsIn(env, env.IDENTITIES), REALMS), null)
}
