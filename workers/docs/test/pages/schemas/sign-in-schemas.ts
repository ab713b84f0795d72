import * as accountPages from '@svc/protocol/auth/account-pages'
import * as passkeys from '@svc/protocol/auth/passkeys'
import * as signIn from '@svc/protocol/auth/sign-in'
import * as z from 'zod'

/** Of the page on sign-in. */
export const SIGN_IN_SCHEMAS: Record<string, z.ZodType> = {
  'challenge-answer': signIn.challengeAnswerSchema,
  'challenge-verify': signIn.challengeVerifySchema,
  'kept-secret': accountPages.keptSecretSchema,
  'known-device-list': accountPages.knownDeviceListSchema,
  'opaque-confirm': signIn.opaqueConfirmSchema,
  'opaque-login-finish': signIn.opaqueLoginFinishSchema,
  'passkey-list': passkeys.passkeyListSchema,
  'passkey-register': passkeys.passkeyRegisterSchema,
  'password-form': z.strictObject({
    typed: z.array(z.string()),
    utf8Hex: z.string(),
    scrypt: z.strictObject({ N: z.int(), r: z.int(), p: z.int(), saltHex: z.string(), keyHex: z.string() }),
  }),
  'password-session': signIn.passwordSessionSchema,
  'session-list': accountPages.sessionListSchema,
  'sign-in-session': signIn.sessionSchema,
  'ticket-verify': signIn.ticketVerifySchema,
  onboarding: signIn.onboardingSchema,
}
