import { serviceConfigSchema } from '@svc/service'
import * as z from 'zod'

const secret = z.string().optional()
const issuer = z.union([z.literal(''), z.url()])

export const authConfigSchema = serviceConfigSchema.extend({
  /** 64 hex characters: the one secret that passwords, identifiers and ceremonies hang on. Without it nobody signs in. */
  OPAQUE_SERVER_SEED: z.union([z.literal(''), z.string().regex(/^[0-9a-f]{64}$/)]).optional(),
  /** Whether a passed bot challenge is enough for an account, without an identity provider. */
  OPEN_REGISTRATION: z.enum(['on', 'off']),
  /** WebAuthn: the relying party’s domain, and the origins of the pages that may use its passkeys. */
  RP_ID: z.string().min(1),
  RP_NAME: z.string().min(1),
  RP_ORIGINS: z.array(z.url()).min(1),
  /** Where an onboarding redirect may end, whole and exactly. */
  RETURN_URLS: z.array(z.url()),
  /** Hosts that the bot challenge’s widget is shown on. */
  CHALLENGE_HOSTNAMES: z.array(z.string()).min(1),
  TURNSTILE_SECRET: secret,
  /** '' switches a provider off. */
  GOOGLE_ISSUER: issuer,
  GOOGLE_CLIENT_ID: z.string(),
  GOOGLE_CLIENT_SECRET: secret,
  MICROSOFT_ISSUER: issuer,
  MICROSOFT_CLIENT_ID: z.string(),
  MICROSOFT_CLIENT_SECRET: secret,
})
export type AuthConfig = z.infer<typeof authConfigSchema>
