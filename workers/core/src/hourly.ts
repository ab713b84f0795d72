/**
 * What the hourly cron trigger does that takes more than one store.
 *
 * @module
 */
import { LooseObjects, objectsIn, readConfig } from '@svc/service'
import { AnchorIndex } from './anchors/index-store.ts'
import { tellOwners } from './anchors/told.ts'
import { payloadStanding } from './chain/upload-owners.ts'
import { configSchema } from './env.ts'
import { IdentityService } from './identity/service.ts'
import { decisionsOf } from './invites/services.ts'

/** Payloads of chains are named in the objects of their identities. */
export async function sweepLoose(env: Env, now: number): Promise<number> {
  const { REALMS } = readConfig(configSchema, env)
  const identities = new IdentityService(objectsIn(env, env.IDENTITIES), REALMS)
  return new LooseObjects(env.DB, env.BLOBS).sweep(now, (keys) => payloadStanding(identities, keys))
}

/** A report is accepted for five minutes. */
const NONCES_KEPT_MS = 3_600_000

/** Tells what the route of the publisher could not tell, and forgets its nonces. */
export async function sweepPublications(env: Env, now: number): Promise<number> {
  const { REALMS } = readConfig(configSchema, env)
  const index = new AnchorIndex(env.DB)
  await index.forgetNonces(now - NONCES_KEPT_MS)
  return tellOwners(index, new IdentityService(objectsIn(env, env.IDENTITIES), REALMS), null)
}

/** Carries out decisions about requests for an invitation that were interrupted. */
export async function finishInvites(env: Env, now: number): Promise<void> {
  const config = readConfig(configSchema, env)
  // Without a seed nothing was taken.
  if (config.INVITE_SEED) await decisionsOf(env, config).sweep(now)
}
