import {
  passkeyAuthenticatedSchema,
  passkeyAuthenticateSchema,
  passkeyListSchema,
  passkeyParamsSchema,
  passkeyRegisteredSchema,
  passkeyRegisterSchema,
  passkeyRemovedSchema,
  passkeySchema,
} from '@svc/protocol/auth/passkeys'
import { SESSION_HEADER } from '@svc/protocol/auth/session'
import { passkeyLabelSchema } from '@svc/protocol/auth/sign-in'
import { ApiError, defineOperation } from '@svc/service'
import { authRoute } from '../service.ts'
import { accountOf } from '../sessions/routes.ts'
import type { RegistrationRefusal } from './service.ts'

/** An attestation object of 16 KiB as base64url, and the rest. */
const MAX_BODY_BYTES = 48 * 1024

export const registerPasskey = defineOperation({
  id: 'registerPasskey',
  method: 'post',
  path: '/api/auth/passkey/register',
  summary: 'Register a passkey, in two steps',
  description:
    '`options` requires a grant and returns the input of `navigator.credentials.create`; `verify` spends it. The grant of a ' +
    'challenge creates an account and a session, and so does that of a ticket. The grant of a session adds the passkey. That ' +
    'of a person who recovers an account adds it, ends all sessions of the account and starts one.',
  auth: 'none',
  body: passkeyRegisterSchema,
  maxBodyBytes: MAX_BODY_BYTES,
  answer: { status: 200, description: 'Options, or the passkey', schema: passkeyRegisteredSchema },
  errors: [
    'passkey_rejected',
    'code_unusable',
    'passkey_exists',
    'passkey_limit',
    'account_exists',
    'dependency_unavailable',
  ],
})

export const authenticatePasskey = defineOperation({
  id: 'authenticatePasskey',
  method: 'post',
  path: '/api/auth/passkey/authenticate',
  summary: 'Sign in with a passkey, in two steps',
  description:
    '`options` returns the input of `navigator.credentials.get`, for any passkey of this site; `verify` spends the ' +
    'ceremony. Every failure is the same 401; the list of passkeys shows a counter that decreased.',
  auth: 'none',
  body: passkeyAuthenticateSchema,
  maxBodyBytes: MAX_BODY_BYTES,
  answer: { status: 200, description: 'Options, or a session', schema: passkeyAuthenticatedSchema },
  errors: ['sign_in_rejected', 'dependency_unavailable'],
})

export const listPasskeys = defineOperation({
  id: 'listPasskeys',
  method: 'get',
  path: '/api/auth/passkeys',
  summary: 'List the passkeys of the account, oldest first',
  description:
    'For an account page; an account has at most 20. Times are in epoch ms, and `lastUsedAt` is null until the first ' +
    'sign-in with it. Warn the person if `counterWentBackAt` is set: the key may have been copied.',
  auth: 'token',
  tokenHeader: SESSION_HEADER,
  answer: { status: 200, description: 'The passkeys', schema: passkeyListSchema },
  errors: ['dependency_unavailable'],
})

export const renamePasskey = defineOperation({
  id: 'renamePasskey',
  method: 'put',
  path: '/api/auth/passkeys/{passkeyId}',
  summary: 'Rename a passkey',
  description:
    'Changes only the label, which helps the person to tell passkeys apart and is not used to sign in. The passkey ' +
    'of another account is 404, like one that does not exist.',
  auth: 'token',
  tokenHeader: SESSION_HEADER,
  params: passkeyParamsSchema,
  body: passkeyLabelSchema,
  maxBodyBytes: 4 * 1024,
  answer: { status: 200, description: 'The passkey', schema: passkeySchema },
  errors: ['not_found', 'dependency_unavailable'],
})

export const removePasskey = defineOperation({
  id: 'removePasskey',
  method: 'delete',
  path: '/api/auth/passkeys/{passkeyId}',
  summary: 'Remove a passkey, unless it is the last way to sign in',
  description: 'All other sessions of the account end with it.',
  auth: 'token',
  tokenHeader: SESSION_HEADER,
  params: passkeyParamsSchema,
  answer: { status: 200, description: 'Removed', schema: passkeyRemovedSchema },
  errors: ['not_found', 'last_credential', 'dependency_unavailable'],
})

function refusal(refused: RegistrationRefusal): ApiError {
  if (refused.reason !== 'passkey_rejected') return new ApiError(refused.reason)
  return new ApiError(refused.reason, { reason: `passkey: ${refused.code}` })
}

export const passkeyRoutes = [
  authRoute(registerPasskey, async ({ body, deps, now }) => {
    if (body.step === 'options') {
      const begun = await deps.passkeys.registrationOptions(body.grant, body.name, body.label, now)
      if (!begun.ok) throw refusal(begun.error)
      return begun.value
    }
    const registered = await deps.passkeys.register(body.ceremonyId, body.response, now)
    if (!registered.ok) throw refusal(registered.error)
    const { passkey, accountId, needsSession } = registered.value
    return { passkey, session: needsSession ? await deps.sessions.open(accountId, 'passkey', now) : null }
  }),
  authRoute(authenticatePasskey, async ({ body, deps, now }) => {
    if (body.step === 'options') return deps.passkeys.authenticationOptions(now)
    const session = await deps.passkeys.authenticate(body.ceremonyId, body.response, now)
    if (!session.ok) throw new ApiError('sign_in_rejected', { reason: `passkey: ${session.error.reason}` })
    return { session: session.value }
  }),
  authRoute(listPasskeys, async ({ token, deps, now }) => {
    const { accountId } = await accountOf(deps, token, now)
    return { passkeys: await deps.passkeys.list(accountId) }
  }),
  authRoute(renamePasskey, async ({ token, params, body, deps, now }) => {
    const { accountId } = await accountOf(deps, token, now)
    const passkey = await deps.passkeys.rename(accountId, params.passkeyId, body.label)
    if (!passkey) throw new ApiError('not_found')
    return passkey
  }),
  authRoute(removePasskey, async ({ token, params, deps, now }) => {
    const { accountId } = await accountOf(deps, token, now)
    const removed = await deps.passkeys.remove(accountId, params.passkeyId, deps.sessions.hashOf(token))
    if (!removed.ok) throw new ApiError(removed.error.reason)
    return { removed: true as const }
  }),
]
