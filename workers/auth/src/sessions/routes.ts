import { sessionListSchema, sessionParamsSchema, sessionsEndedSchema } from '@svc/protocol/auth/account-pages'
import { SESSION_HEADER } from '@svc/protocol/auth/session'
import { accountDeletedSchema, grantSchema, sessionSchema, signedOutSchema } from '@svc/protocol/auth/sign-in'
import { ApiError, defineOperation } from '@svc/service'
import { authRoute } from '../service.ts'
import type { Services } from '../services.ts'

export const readSession = defineOperation({
  id: 'readSession',
  method: 'get',
  path: '/api/auth/session',
  summary: 'Read who is signed in',
  description:
    'Tells a page whether its token is still valid and how the person can sign in. Reading does not extend the ' +
    'session: it ends at `expiresAt` (epoch ms), fifteen minutes after it began, and cannot be renewed.',
  auth: 'token',
  tokenHeader: SESSION_HEADER,
  answer: { status: 200, description: 'The session', schema: sessionSchema },
  errors: ['dependency_unavailable'],
})

export const endSession = defineOperation({
  id: 'endSession',
  method: 'delete',
  path: '/api/auth/session',
  summary: 'Sign out',
  description:
    'Ends this session alone, together with the grants that were requested with it; other sessions of the account ' +
    'stay. The token gets 401 `token_rejected` from then on, also here.',
  auth: 'token',
  tokenHeader: SESSION_HEADER,
  answer: { status: 200, description: 'The session has ended', schema: signedOutSchema },
  errors: ['dependency_unavailable'],
})

export const grantRegistration = defineOperation({
  id: 'grantRegistration',
  method: 'post',
  path: '/api/auth/session/grant',
  summary: 'Get a grant for another credential of this account',
  description: 'To add a passkey or set a password. Ends with the session.',
  auth: 'token',
  tokenHeader: SESSION_HEADER,
  answer: { status: 200, description: 'The grant', schema: grantSchema },
  errors: ['dependency_unavailable'],
})

export const listSessions = defineOperation({
  id: 'listSessions',
  method: 'get',
  path: '/api/auth/sessions',
  summary: 'List the sessions of the account, newest first',
  description: 'At most eight, each with a public id, how it began and when it was last used. `isCurrent` is your own.',
  auth: 'token',
  tokenHeader: SESSION_HEADER,
  answer: { status: 200, description: 'The sessions', schema: sessionListSchema },
  errors: ['dependency_unavailable'],
})

export const endSessionById = defineOperation({
  id: 'endSessionById',
  method: 'delete',
  path: '/api/auth/sessions/{sessionId}',
  summary: 'End a session of the account',
  description:
    'With the grants that were requested with it. The own session can be ended too. The session of another account is 404, ' +
    'like one that has ended.',
  auth: 'token',
  tokenHeader: SESSION_HEADER,
  params: sessionParamsSchema,
  answer: { status: 200, description: 'It has ended', schema: sessionsEndedSchema },
  errors: ['not_found', 'dependency_unavailable'],
})

export const endOtherSessions = defineOperation({
  id: 'endOtherSessions',
  method: 'delete',
  path: '/api/auth/sessions',
  summary: 'End all other sessions of the account',
  description: 'All but the one of this request, with the grants that were requested with them.',
  auth: 'token',
  tokenHeader: SESSION_HEADER,
  answer: { status: 200, description: 'How many ended', schema: sessionsEndedSchema },
  errors: ['dependency_unavailable'],
})

export const deleteAccount = defineOperation({
  id: 'deleteAccount',
  method: 'delete',
  path: '/api/auth/account',
  summary: 'Delete the account with everything that is stored of it',
  description:
    'Its password, passkeys, provider, known devices and sessions. It cannot be undone; the same identifier or provider ' +
    'makes a new account. Identities and their keys are not affected.',
  auth: 'token',
  tokenHeader: SESSION_HEADER,
  answer: { status: 200, description: 'Deleted', schema: accountDeletedSchema },
  errors: ['dependency_unavailable'],
})

/** The session of a token. */
export async function accountOf({ sessions }: Services, token: string, now: number) {
  const session = await sessions.find(token, now)
  if (!session) throw new ApiError('token_rejected')
  return session
}

export const sessionRoutes = [
  authRoute(readSession, async ({ token, deps, now }) => {
    const session = await accountOf(deps, token, now)
    return { ...session, ...(await deps.accounts.credentialsOf(session.accountId)) }
  }),
  authRoute(endSession, async ({ token, deps, now }) => {
    await accountOf(deps, token, now)
    await deps.sessions.close(token)
    return { signedOut: true as const }
  }),
  authRoute(listSessions, async ({ token, deps, now }) => {
    const { accountId } = await accountOf(deps, token, now)
    return { sessions: await deps.sessions.list(accountId, token, now) }
  }),
  authRoute(endSessionById, async ({ token, params, deps, now }) => {
    const { accountId } = await accountOf(deps, token, now)
    const ended = await deps.sessions.end(accountId, params.sessionId)
    if (ended === 0) throw new ApiError('not_found')
    return { ended }
  }),
  authRoute(endOtherSessions, async ({ token, deps, now }) => {
    const { accountId } = await accountOf(deps, token, now)
    return { ended: await deps.sessions.endOthers(accountId, token) }
  }),
  authRoute(deleteAccount, async ({ token, deps, now }) => {
    const { accountId } = await accountOf(deps, token, now)
    await deps.accounts.remove(accountId)
    return { deleted: true as const }
  }),
  authRoute(grantRegistration, async ({ token, deps, now }) => {
    const { accountId } = await accountOf(deps, token, now)
    const standing = { by: 'session' as const, sessionHash: deps.sessions.hashOf(token) }
    const { ceremonyId, expiresAt } = await deps.ceremonies.beginGrant({ accountId, standing, subject: null }, now)
    return { grant: ceremonyId, expiresAt }
  }),
]
