import type { Config } from '../env.ts'
import { MailSender } from './sender.ts'

export function senderOf(env: Env, config: Config): MailSender {
  return new MailSender(env.MAIL, { email: config.MAIL_FROM, name: config.MAIL_FROM_NAME })
}
