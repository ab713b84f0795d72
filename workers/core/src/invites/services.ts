import { readConfig, StandingClient } from '@svc/service'
import { type Config, configSchema } from '../env.ts'
import { senderOf } from '../mail/services.ts'
import { InviteDecisions } from './decision-service.ts'
import { InviteMail } from './mail.ts'
import { InviteSecrets } from './secrets.ts'
import { InviteStore } from './store.ts'

export function invitesOf(env: Env, config: Config): { readonly store: InviteStore; readonly secrets: InviteSecrets } {
  const secrets = new InviteSecrets({ current: config.INVITE_SEED, previous: config.INVITE_SEED_PREVIOUS })
  return { store: new InviteStore(env.DB), secrets }
}

export function decisionsOf(env: Env, config: Config): InviteDecisions {
  const [origin = ''] = config.PUBLIC_ORIGINS
  const mail = new InviteMail(senderOf(env, config), origin)
  return new InviteDecisions({ ...invitesOf(env, config), mail, pay: new StandingClient(env.PAY) })
}

/** For the hourly cron trigger: carries out decisions about requests for an invitation that were interrupted. */
export async function finishInvites(env: Env, now: number): Promise<void> {
  const config = readConfig(configSchema, env)
  // Without a seed nothing was taken.
  if (config.INVITE_SEED) await decisionsOf(env, config).sweep(now)
}
