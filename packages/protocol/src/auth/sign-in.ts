/**
 * Human sign-in (workers/docs/pages/developer/auth.md): requests and responses of its routes. A session of this service
 * is only valid for the account's pages; no other service accepts it.
 *
 * @module
 */
import * as z from 'zod'
import { base64urlOf } from '../base/base64url.ts'
import { pure } from '../base/pure.ts'
import {
  KE1_BYTES,
  KE2_BYTES,
  KE3_BYTES,
  REGISTRATION_RECORD_BYTES,
  REGISTRATION_REQUEST_BYTES,
  REGISTRATION_RESPONSE_BYTES,
} from './opaque-messages.ts'
import { SESSION_HEADER, SESSION_TOKEN } from './session.ts'

/** A session expires 15 minutes after sign-in and cannot be renewed. */
export const SESSION_LIFETIME_MS = 15 * 60_000
/** Between the two messages of a login or passkey ceremony. */
export const LOGIN_LIFETIME_MS = 2 * 60_000
/** From the start of a redirect to its callback; the user may have to sign in at the provider. */
export const REDIRECT_LIFETIME_MS = 10 * 60_000
export const TICKET_LIFETIME_MS = 5 * 60_000
export const GRANT_LIFETIME_MS = 10 * 60_000
/** From the mail to the confirmation of an address. */
export const CONFIRMATION_LIFETIME_MS = 10 * 60_000
export const MAX_PASSKEYS = 20

export const PROVIDERS = ['google', 'microsoft'] as const
export type Provider = (typeof PROVIDERS)[number]

const MAX_IDENTIFIER_CHARS = 254
const USER_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/
/** Rejects invisible and invalid characters, which would make two identifiers look the same. */
const E_MAIL = /^[^\s@"<>\p{Cc}\p{Cf}\p{Cs}]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/u

/** Whether an identifier is an email address; otherwise it is a user name. */
export function isEmailIdentifier(identifier: string): boolean {
  return normalizeIdentifier(identifier)?.includes('@') ?? false
}

/** Canonical spelling of a user name or email address; null if it is neither. */
export function normalizeIdentifier(text: string): string | null {
  const normal = text.normalize('NFKC').trim().toLowerCase()
  return normal.length <= MAX_IDENTIFIER_CHARS && (USER_NAME.test(normal) || E_MAIL.test(normal)) ? normal : null
}

export const identifierSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .max(MAX_IDENTIFIER_CHARS)
    .refine((text) => normalizeIdentifier(text) !== null, 'must be a user name or an email address')
    .meta({
      description:
        'A user name (a-z, 0-9, period, hyphen, underscore) or an email address; case and surrounding white space are ignored',
      example: 'ada@example.org',
    }),
)

const expiresAt = /* @__PURE__ */ pure(() => z.number().meta({ description: 'Epoch ms', example: 1_790_000_120_000 }))
/** 728 characters of a login, and 43 where it is a grant. */
const ceremonyId = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]{43,1024}$/, 'must be the ceremonyId of the answer before')
    .meta({
      description: 'Id of one exchange, opaque. Carries its state, encrypted, for two minutes. Single-use',
      example: 'Q'.repeat(43).replace(/.$/, 'A'),
    }),
)
const grant = /* @__PURE__ */ pure(() =>
  base64urlOf(32).meta({
    description: 'Allows one registration; obtained from a challenge, a ticket or a session. Single-use',
    example: 'R'.repeat(43).replace(/.$/, 'A'),
  }),
)
const label = /* @__PURE__ */ pure(() =>
  z
    .string()
    .trim()
    .min(1)
    .max(64)
    .refine((text) => !/\p{Cc}/u.test(text) && text.isWellFormed(), 'must be plain text')
    .meta({ description: 'A name chosen by the user', example: 'Laptop' }),
)

const knownDevice = /* @__PURE__ */ pure(() =>
  base64urlOf(32).meta({
    description:
      'Shows that a device signed in with this identifier in the last 180 days; its attempts are counted separately. Not a ' +
      'credential',
    example: 'S'.repeat(43).replace(/.$/, 'A'),
  }),
)

const challengeToken = /* @__PURE__ */ pure(() =>
  z
    .string()
    .min(1)
    .max(2048)
    .meta({ description: 'A token from the widget for the action `login`, after a 403 `challenge_required`' }),
)

export const opaqueRegisterInitSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      grant,
      identifier: identifierSchema,
      registrationRequest: base64urlOf(REGISTRATION_REQUEST_BYTES),
      knownDevice: knownDevice.optional(),
      challengeToken: challengeToken.optional(),
    })
    .meta({ id: 'OpaqueRegisterInit', description: 'RFC 9807 RegistrationRequest for one identifier' }),
)
export const opaqueRegistrationSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ registrationResponse: base64urlOf(REGISTRATION_RESPONSE_BYTES) })
    .meta({ id: 'OpaqueRegistration', description: 'RFC 9807 RegistrationResponse' }),
)
export const opaqueRegisterFinishSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ grant, identifier: identifierSchema, registrationRecord: base64urlOf(REGISTRATION_RECORD_BYTES) })
    .meta({ id: 'OpaqueRegisterFinish', description: 'RFC 9807 RegistrationRecord for the same identifier' }),
)
export const opaqueReceivedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      received: z.literal(true),
      confirmBy: z
        .literal('mail')
        .optional()
        .meta({ description: 'There if the identifier is an address: nothing changes before the code from the mail' }),
    })
    .meta({
      id: 'OpaqueReceived',
      description: 'Identical whether or not the identifier was free; log in to find out',
    }),
)
export const opaqueConfirmSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      grant: grant.meta({ description: 'The grant of the registration' }),
      code: z
        .string()
        .regex(/^\d{6}$/)
        .meta({ description: 'From the mail', example: '042317' }),
    })
    .meta({ id: 'OpaqueConfirm' }),
)
export const opaqueConfirmedSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ confirmed: z.literal(true) }).meta({ id: 'OpaqueConfirmed' }),
)

export const opaqueLoginInitSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      identifier: identifierSchema,
      startLoginRequest: base64urlOf(KE1_BYTES),
      knownDevice: knownDevice.optional(),
      challengeToken: challengeToken.optional(),
    })
    .meta({ id: 'OpaqueLoginInit', description: 'RFC 9807 KE1' }),
)
export const opaqueLoginSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ ceremonyId, loginResponse: base64urlOf(KE2_BYTES), expiresAt })
    .meta({ id: 'OpaqueLogin', description: 'RFC 9807 KE2; indistinguishable for an unregistered identifier' }),
)
export const opaqueLoginFinishSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ceremonyId,
      finishLoginRequest: base64urlOf(KE3_BYTES),
      deviceLabel: label.optional().meta({ description: 'Name shown in the list of known devices', example: 'Laptop' }),
    })
    .meta({ id: 'OpaqueLoginFinish', description: 'RFC 9807 KE3' }),
)

export const SIGN_IN_METHODS = ['password', 'passkey'] as const
export type SignInMethod = (typeof SIGN_IN_METHODS)[number]

const accountId = /* @__PURE__ */ pure(() =>
  base64urlOf(16).meta({
    description: 'Random; reveals nothing about the user',
    example: 'AAAAAAAAAAAAAAAAAAAAAA',
  }),
)
const method = /* @__PURE__ */ z.enum(SIGN_IN_METHODS)

export const newSessionSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      token: z
        .string()
        .regex(SESSION_TOKEN)
        .meta({ description: `Send it in the \`${SESSION_HEADER}\` header; returned only once` }),
      accountId,
      method,
      expiresAt,
    })
    .meta({ id: 'NewSignInSession', description: 'A session of the sign-in service; no other service accepts it' }),
)
export type NewSession = z.infer<typeof newSessionSchema>
export const passwordSessionSchema = /* @__PURE__ */ pure(() =>
  newSessionSchema
    .extend({ knownDevice })
    .meta({ id: 'PasswordSession', description: 'A session, and the `knownDevice` value to send with the next login' }),
)

export const sessionSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ accountId, method, expiresAt, hasPassword: z.boolean(), passkeys: z.int() })
    .meta({ id: 'SignInSession' }),
)
export const signedOutSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ signedOut: z.literal(true) }).meta({ id: 'SignedOut' }),
)
export const accountDeletedSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ deleted: z.literal(true) }).meta({ id: 'AccountDeleted' }),
)
export const grantSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ grant, expiresAt }).meta({ id: 'RegistrationGrant' }),
)

export const ticketVerifySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ticket: base64urlOf(32).meta({ description: 'From the fragment of the return URL' }),
      verifier: base64urlOf(32).meta({ description: 'Preimage of `challenge`, which is its SHA-256' }),
    })
    .meta({ id: 'TicketVerify' }),
)
export const onboardingSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      provider: z.enum(PROVIDERS),
      subjectHash: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .meta({ description: 'Keyed hash of issuer and subject; identifies one person at one deployment' }),
      emailVerified: z.boolean().meta({ description: 'Whether the provider has verified an email address' }),
      hasAccount: z.boolean(),
      grant: grant
        .nullable()
        .meta({ description: 'For a new account, or to recover the existing one if `hasAccount` is true' }),
      expiresAt: expiresAt.nullable(),
    })
    .meta({ id: 'Onboarding' }),
)

/** Actions a challenge can be solved for. Only `register` returns a grant. */
export const CHALLENGE_ACTIONS = ['register', 'login'] as const
export const challengeVerifySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ token: z.string().min(1).max(2048), action: z.enum(CHALLENGE_ACTIONS) })
    .meta({ id: 'ChallengeVerify', description: 'A token from the widget and the action it was rendered for' }),
)
export const challengeAnswerSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      success: z.boolean(),
      trustScore: z.number().min(0).max(1),
      grant: grant
        .nullable()
        .meta({ description: 'Allows one account; null unless this deployment is open to everyone' }),
      expiresAt: expiresAt.nullable(),
    })
    .meta({ id: 'ChallengeAnswer' }),
)

export const passkeyLabelSchema = /* @__PURE__ */ pure(() => z.strictObject({ label }).meta({ id: 'PasskeyLabel' }))
export {
  accountId as accountIdSchema,
  ceremonyId as ceremonyIdSchema,
  grant as registrationGrantSchema,
  label as labelSchema,
  method as signInMethodSchema,
}
