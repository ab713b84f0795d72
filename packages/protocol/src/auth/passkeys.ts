/**
 * Passkeys (WebAuthn level 3) at the sign-in service (workers/docs/pages/developer/auth.md). Each path has two steps:
 * `options` begins a ceremony, `verify` completes it. Options and responses use WebAuthn's JSON forms.
 *
 * @module
 */
import * as z from 'zod'
import { base64urlSchema } from '../base/base64url.ts'
import { pure } from '../base/pure.ts'
import { foreignObject } from '../http/foreign.ts'
import { ceremonyIdSchema, labelSchema, newSessionSchema, registrationGrantSchema } from './sign-in.ts'

/**
 * COSE algorithms that runtime and library can verify: EdDSA, ES256, RS256. ML-DSA is not offered, because a browser
 * that supports it would choose it.
 */
export const PASSKEY_ALGORITHMS = [-8, -7, -257] as const

/** WebAuthn section 4: a credential id is at most 1,023 bytes. */
const credentialId = /* @__PURE__ */ pure(() =>
  base64urlSchema(1023).min(1).meta({ description: 'Credential id', example: 'AAECAwQFBgcICQoLDA0ODw' }),
)
const passkeyId = credentialId
const type = /* @__PURE__ */ z.literal('public-key')

/** Null where the runtime has none to tell, in the forms in which pages send that. */
const nothing = /* @__PURE__ */ pure(() => z.union([z.null(), z.strictObject({})]))
/**
 * PRF results are secret keys of the user. A request that contains them is rejected, so that a leak is noticed. Every other
 * result of an extension is ignored.
 */
const extensionResults = /* @__PURE__ */ pure(() =>
  foreignObject({
    prf: foreignObject({
      results: nothing.optional().meta({ description: 'Must stay on the device: a request with results is refused' }),
    }).nullish(),
  }).nullish(),
)

/**
 * The JSON of a credential (WebAuthn level 3, section 5.1), as browsers, password managers and security keys make it. Named
 * is what the service reads; `rawId`, `authenticatorAttachment` and whatever else they add pass unread.
 */
const credential = <S extends z.ZodRawShape>(response: S) =>
  foreignObject({ id: credentialId, type, response: foreignObject(response), clientExtensionResults: extensionResults })

export const registrationResponseSchema = /* @__PURE__ */ pure(() =>
  credential({
    clientDataJSON: base64urlSchema(4096),
    attestationObject: base64urlSchema(16_384).meta({
      description: 'Its statement is ignored, whatever its format: attestation is not requested',
    }),
    transports: z
      .unknown()
      .optional()
      .meta({ description: 'How the authenticator can be reached, as an array of names', example: ['internal'] }),
  }).meta({ id: 'PasskeyRegistrationResponse' }),
)
export type PasskeyRegistrationResponse = z.output<typeof registrationResponseSchema>

export const authenticationResponseSchema = /* @__PURE__ */ pure(() =>
  credential({
    clientDataJSON: base64urlSchema(4096),
    authenticatorData: base64urlSchema(8192),
    signature: base64urlSchema(1024),
    // Level 3, section 7.2: it must be there if the person was not known when the ceremony began.
    userHandle: base64urlSchema(64).nullish().meta({
      description: 'The `user.id` of the registration. WebAuthn lets it be null or absent; such a sign-in is refused',
    }),
  }).meta({ id: 'PasskeyAuthenticationResponse' }),
)
export type PasskeyAuthenticationResponse = z.output<typeof authenticationResponseSchema>

export const passkeyRegisterSchema = /* @__PURE__ */ pure(() =>
  z
    .discriminatedUnion('step', [
      z.strictObject({
        step: z.literal('options'),
        grant: registrationGrantSchema,
        name: labelSchema.meta({ description: 'Name shown by the authenticator; not stored' }),
        label: labelSchema.optional().meta({ description: 'Name shown in the list of passkeys' }),
      }),
      z.strictObject({ step: z.literal('verify'), ceremonyId: ceremonyIdSchema, response: registrationResponseSchema }),
    ])
    .meta({ id: 'PasskeyRegister' }),
)
export const passkeyAuthenticateSchema = /* @__PURE__ */ pure(() =>
  z
    .discriminatedUnion('step', [
      z.strictObject({ step: z.literal('options') }),
      z.strictObject({
        step: z.literal('verify'),
        ceremonyId: ceremonyIdSchema,
        response: authenticationResponseSchema,
      }),
    ])
    .meta({ id: 'PasskeyAuthenticate' }),
)

const optionsAnswer = /* @__PURE__ */ pure(() =>
  z.strictObject({
    ceremonyId: ceremonyIdSchema,
    options: z.record(z.string(), z.unknown()).meta({ description: 'For `navigator.credentials`, as WebAuthn’s JSON' }),
    expiresAt: z.number(),
  }),
)

export const passkeySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      passkeyId,
      label: z.string(),
      createdAt: z.number(),
      lastUsedAt: z.number().nullable(),
      isBackedUp: z.boolean().meta({ description: 'Whether the passkey is synced, as reported by its authenticator' }),
      counterWentBackAt: z
        .number()
        .nullable()
        .meta({ description: 'When a signature with an older counter was rejected; the key may have been cloned' }),
    })
    .meta({ id: 'Passkey' }),
)
export type Passkey = z.infer<typeof passkeySchema>

export const passkeyRegisteredSchema = /* @__PURE__ */ pure(() =>
  z
    .union([
      optionsAnswer,
      z.strictObject({
        passkey: passkeySchema,
        session: newSessionSchema
          .nullable()
          .meta({ description: 'Session of the new account; null if the caller already had a session' }),
      }),
    ])
    .meta({ id: 'PasskeyRegistered' }),
)
export const passkeyAuthenticatedSchema = /* @__PURE__ */ pure(() =>
  z.union([optionsAnswer, z.strictObject({ session: newSessionSchema })]).meta({ id: 'PasskeyAuthenticated' }),
)
export const passkeyListSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ passkeys: z.array(passkeySchema) }).meta({ id: 'PasskeyList' }),
)
export const passkeyRemovedSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ removed: z.literal(true) }).meta({ id: 'PasskeyRemoved' }),
)
export const passkeyParamsSchema = /* @__PURE__ */ z.strictObject({ passkeyId })
export { optionsAnswer as passkeyOptionsSchema }
