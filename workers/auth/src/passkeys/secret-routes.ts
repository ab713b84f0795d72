import { keptSecretSchema, secretRemovedSchema } from '@svc/protocol/auth/account-pages'
import { locallyWrappedSchema, MAX_KEPT_SECRET_BYTES } from '@svc/protocol/auth/local-wrap'
import { passkeyParamsSchema } from '@svc/protocol/auth/passkeys'
import { SESSION_HEADER } from '@svc/protocol/auth/session'
import { ApiError, defineOperation } from '@svc/service'
import { authRoute } from '../service.ts'
import { accountOf } from '../sessions/routes.ts'

const PATH = '/api/auth/passkeys/{passkeyId}/secret'

export const keepPasskeySecret = defineOperation({
  id: 'keepPasskeySecret',
  method: 'put',
  path: PATH,
  summary: 'Keep a wrapped secret with a passkey',
  description:
    'One for each passkey, of at most 4 KiB, for a new device with the same synchronized passkey. It must be encrypted under ' +
    'the PRF output of the passkey, which the service never gets, so it cannot read it. Replaces an earlier one.',
  auth: 'token',
  tokenHeader: SESSION_HEADER,
  params: passkeyParamsSchema,
  body: locallyWrappedSchema,
  maxBodyBytes: MAX_KEPT_SECRET_BYTES,
  answer: { status: 200, description: 'What is kept', schema: keptSecretSchema },
  errors: ['not_found', 'dependency_unavailable'],
})

export const readPasskeySecret = defineOperation({
  id: 'readPasskeySecret',
  method: 'get',
  path: PATH,
  summary: 'Read the wrapped secret of a passkey',
  description: '404 if none is kept with it, and for the passkey of another account.',
  auth: 'token',
  tokenHeader: SESSION_HEADER,
  params: passkeyParamsSchema,
  answer: { status: 200, description: 'What is kept', schema: keptSecretSchema },
  errors: ['not_found', 'dependency_unavailable'],
})

export const removePasskeySecret = defineOperation({
  id: 'removePasskeySecret',
  method: 'delete',
  path: PATH,
  summary: 'Remove the wrapped secret of a passkey',
  description: 'The passkey stays. It is also removed with the passkey and with the account.',
  auth: 'token',
  tokenHeader: SESSION_HEADER,
  params: passkeyParamsSchema,
  answer: { status: 200, description: 'Removed', schema: secretRemovedSchema },
  errors: ['not_found', 'dependency_unavailable'],
})

export const passkeySecretRoutes = [
  authRoute(keepPasskeySecret, async ({ token, params, body, deps, now }) => {
    const { accountId } = await accountOf(deps, token, now)
    if (!(await deps.passkeys.keepSecret(accountId, params.passkeyId, body, now))) throw new ApiError('not_found')
    return { wrapped: body, updatedAt: now }
  }),
  authRoute(readPasskeySecret, async ({ token, params, deps, now }) => {
    const { accountId } = await accountOf(deps, token, now)
    const kept = await deps.passkeys.secretOf(accountId, params.passkeyId)
    if (!kept) throw new ApiError('not_found')
    return kept
  }),
  authRoute(removePasskeySecret, async ({ token, params, deps, now }) => {
    const { accountId } = await accountOf(deps, token, now)
    if (!(await deps.passkeys.keepSecret(accountId, params.passkeyId, null, now))) throw new ApiError('not_found')
    return { removed: true as const }
  }),
]
