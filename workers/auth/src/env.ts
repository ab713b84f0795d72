import { seedField, serviceConfigSchema } from '@svc/service'
import * as z from 'zod'

const secret = z.string().optional()
const issuer = z.union([z.literal(''), z.url()])

export const configSchema = serviceConfigSchema.extend({
  /**
   * 64 hex characters: passwords, identifiers and ceremonies depend on this secret. Without it nobody can sign in.
   * `OPAQUE_SERVER_SEED_2` and so on are later versions.
   */
  OPAQUE_SERVER_SEED: seedField,
  /** Whether passing a bot challenge is enough to create an account, without an identity provider. */
  OPEN_REGISTRATION: z.enum(['on', 'off']),
  /** WebAuthn: the relying party’s domain, and the origins of pages that may use its passkeys. */
  RP_ID: z.string().min(1),
  RP_NAME: z.string().min(1),
  RP_ORIGINS: z.array(z.url()).min(1),
  /** Where an onboarding redirect may end, compared as whole URLs. */
  RETURN_URLS: z.array(z.url()),
  /** The sender of mail about registrations; '' sends none, and addresses are not verified. */
  MAIL_FROM: z.union([z.literal(''), z.email()]),
  MAIL_FROM_NAME: z.string().regex(/^[\x20-\x7e]{1,64}$/),
  /** Hosts that show the bot challenge’s widget. */
  CHALLENGE_HOSTNAMES: z.array(z.string()).min(1),
  TURNSTILE_SECRET: secret,
  /** '' disables a provider. */
  GOOGLE_ISSUER: issuer,
  GOOGLE_CLIENT_ID: z.string(),
  GOOGLE_CLIENT_SECRET: secret,
  MICROSOFT_ISSUER: issuer,
  MICROSOFT_CLIENT_ID: z.string(),
  MICROSOFT_CLIENT_SECRET: secret,
})
export type Config = z.infer<typeof configSchema>
