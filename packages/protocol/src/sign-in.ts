/**
 * Human sign-in (document 2 section 4.5): what its routes take and answer. A session of this service is for the pages
 * of an account and nothing else; no other service takes one.
 *
 * @module
 */
import * as z from 'zod'
import { base64urlOf } from './base64url.ts'
import {
  KE1_BYTES,
  KE2_BYTES,
  KE3_BYTES,
  REGISTRATION_RECORD_BYTES,
  REGISTRATION_REQUEST_BYTES,
  REGISTRATION_RESPONSE_BYTES,
} from './opaque-messages.ts'
import { SESSION_HEADER, SESSION_TOKEN } from './sign-in-session.ts'

/** A session ends by itself a quarter of an hour after the sign-in; there is no renewing. */
export const SESSION_LIFETIME_MS = 15 * 60_000
/** Between the two messages of a login, or of a passkey. */
export const LOGIN_LIFETIME_MS = 2 * 60_000
/** From the start of a redirect to its callback: a person may have to sign in over there. */
export const REDIRECT_LIFETIME_MS = 10 * 60_000
export const TICKET_LIFETIME_MS = 5 * 60_000
export const GRANT_LIFETIME_MS = 10 * 60_000
export const MAX_PASSKEYS = 20

export const PROVIDERS = ['google', 'microsoft'] as const
export type Provider = (typeof PROVIDERS)[number]

const MAX_IDENTIFIER_CHARS = 254
const USER_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/
/** What is not seen, or is no character, would make two identifiers of what looks like one. */
const E_MAIL = /^[^\s@"<>\p{Cc}\p{Cf}\p{Cs}]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/u

/** One spelling of a user name or e-mail address, or null for what is neither. */
export function normalizeIdentifier(text: string): string | null {
  const normal = text.normalize('NFKC').trim().toLowerCase()
  return normal.length <= MAX_IDENTIFIER_CHARS && (USER_NAME.test(normal) || E_MAIL.test(normal)) ? normal : null
}

export const identifierSchema = z
  .string()
  .max(MAX_IDENTIFIER_CHARS)
  .refine((text) => normalizeIdentifier(text) !== null, 'must be a user name or an e-mail address')
  .meta({
    description:
      'A user name (a-z, 0-9, full stop, hyphen, underscore) or an e-mail address; case and outer white space do not count',
    example: 'ada@example.org',
  })

const expiresAt = z.number().meta({ description: 'Epoch ms', example: 1_790_000_120_000 })
const ceremonyId = base64urlOf(32).meta({
  description: 'Names one exchange: 128 random bits and a MAC. Single use',
  example: 'Q'.repeat(43).replace(/.$/, 'A'),
})
const grant = base64urlOf(32).meta({
  description: 'Allows one registration; from a passed challenge, a ticket or a session. Single use',
  example: 'R'.repeat(43).replace(/.$/, 'A'),
})
const label = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .refine((text) => !/\p{Cc}/u.test(text) && text.isWellFormed(), 'must be plain text')
  .meta({ description: 'A name that a person gives', example: 'Laptop' })

const knownDevice = base64urlOf(32).meta({
  description:
    'Says that a device has signed in under this identifier before; counts its attempts, and is no credential',
  example: 'S'.repeat(43).replace(/.$/, 'A'),
})

export const opaqueRegisterInitSchema = z
  .strictObject({
    grant,
    identifier: identifierSchema,
    registrationRequest: base64urlOf(REGISTRATION_REQUEST_BYTES),
    knownDevice: knownDevice.optional(),
  })
  .meta({ id: 'OpaqueRegisterInit', description: 'RFC 9807 RegistrationRequest of one identifier' })
export const opaqueRegistrationSchema = z
  .strictObject({ registrationResponse: base64urlOf(REGISTRATION_RESPONSE_BYTES) })
  .meta({ id: 'OpaqueRegistration', description: 'RFC 9807 RegistrationResponse' })
export const opaqueRegisterFinishSchema = z
  .strictObject({ grant, identifier: identifierSchema, registrationRecord: base64urlOf(REGISTRATION_RECORD_BYTES) })
  .meta({ id: 'OpaqueRegisterFinish', description: 'RFC 9807 RegistrationRecord of the same identifier' })
export const opaqueReceivedSchema = z
  .strictObject({ received: z.literal(true) })
  .meta({ id: 'OpaqueReceived', description: 'The same whether the identifier was free or not; a login tells' })

export const opaqueLoginInitSchema = z
  .strictObject({
    identifier: identifierSchema,
    startLoginRequest: base64urlOf(KE1_BYTES),
    knownDevice: knownDevice.optional(),
  })
  .meta({ id: 'OpaqueLoginInit', description: 'RFC 9807 KE1' })
export const opaqueLoginSchema = z
  .strictObject({ ceremonyId, loginResponse: base64urlOf(KE2_BYTES), expiresAt })
  .meta({ id: 'OpaqueLogin', description: 'RFC 9807 KE2; of the same form for an identifier that nobody has' })
export const opaqueLoginFinishSchema = z
  .strictObject({ ceremonyId, finishLoginRequest: base64urlOf(KE3_BYTES) })
  .meta({ id: 'OpaqueLoginFinish', description: 'RFC 9807 KE3' })

export const SIGN_IN_METHODS = ['password', 'passkey'] as const
export type SignInMethod = (typeof SIGN_IN_METHODS)[number]

const accountId = base64urlOf(16).meta({
  description: 'Random; says nothing of the person',
  example: 'AAAAAAAAAAAAAAAAAAAAAA',
})
const method = z.enum(SIGN_IN_METHODS)

export const newSessionSchema = z
  .strictObject({
    token: z
      .string()
      .regex(SESSION_TOKEN)
      .meta({ description: `Goes into \`${SESSION_HEADER}\`; shown once` }),
    accountId,
    method,
    expiresAt,
  })
  .meta({ id: 'NewSignInSession', description: 'A session of the sign-in service; no other service takes it' })
export type NewSession = z.infer<typeof newSessionSchema>
export const passwordSessionSchema = newSessionSchema
  .extend({ knownDevice })
  .meta({ id: 'PasswordSession', description: 'A session, and what this device shows at its next login' })

export const sessionSchema = z
  .strictObject({ accountId, method, expiresAt, hasPassword: z.boolean(), passkeys: z.int() })
  .meta({ id: 'SignInSession' })
export const signedOutSchema = z.strictObject({ signedOut: z.literal(true) }).meta({ id: 'SignedOut' })
export const grantSchema = z.strictObject({ grant, expiresAt }).meta({ id: 'RegistrationGrant' })

export const ticketVerifySchema = z
  .strictObject({
    ticket: base64urlOf(32).meta({ description: 'From the fragment of the return URL' }),
    verifier: base64urlOf(32).meta({ description: 'What `challenge` at the start was the SHA-256 of' }),
  })
  .meta({ id: 'TicketVerify' })
export const onboardingSchema = z
  .strictObject({
    provider: z.enum(PROVIDERS),
    subjectHash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .meta({ description: 'Keyed hash of issuer and subject: one person at one deployment' }),
    emailVerified: z.boolean().meta({ description: 'Whether the provider vouches for an e-mail address' }),
    hasAccount: z.boolean(),
    grant: grant.nullable().meta({ description: 'Allows one account; null where the person has one' }),
    expiresAt: expiresAt.nullable(),
  })
  .meta({ id: 'Onboarding' })

/** What a challenge may be for. Only `register` gives a grant. */
export const CHALLENGE_ACTIONS = ['register', 'login'] as const
export const challengeVerifySchema = z
  .strictObject({ token: z.string().min(1).max(2048), action: z.enum(CHALLENGE_ACTIONS) })
  .meta({ id: 'ChallengeVerify', description: 'A token of the widget, and the action that it was rendered for' })
export const challengeAnswerSchema = z
  .strictObject({
    success: z.boolean(),
    trustScore: z.number().min(0).max(1),
    grant: grant.nullable().meta({ description: 'Allows one account, where this deployment is open to anybody' }),
    expiresAt: expiresAt.nullable(),
  })
  .meta({ id: 'ChallengeAnswer' })

export const passkeyLabelSchema = z.strictObject({ label }).meta({ id: 'PasskeyLabel' })
export {
  accountId as accountIdSchema,
  ceremonyId as ceremonyIdSchema,
  grant as registrationGrantSchema,
  label as labelSchema,
}
