import { StandingClient } from '@svc/service'
import type { Config } from '../env.ts'
import { senderOf } from '../mail/sender.ts'
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
