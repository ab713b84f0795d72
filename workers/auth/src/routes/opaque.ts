import {
  opaqueLoginFinishSchema,
  opaqueLoginInitSchema,
  opaqueLoginSchema,
  opaqueReceivedSchema,
  opaqueRegisterFinishSchema,
  opaqueRegisterInitSchema,
  opaqueRegistrationSchema,
  passwordSessionSchema,
} from '@svc/protocol/sign-in'
import { ApiError, defineOperation } from '@svc/service'
import type { RegistrationRefusal } from '../opaque/opaque-service.ts'
import { authRoute } from '../route.ts'
import type { Services } from '../services.ts'

/** The largest message is a registration record of 192 bytes beside an identifier of 254 characters. */
const MAX_BODY_BYTES = 4 * 1024

/**
 * Each first message lets its sender try one password against one identifier, from however many addresses; one that
 * nobody has is counted like any other. That of a registration is evaluated under the same key, and tells as much to
 * whoever has kept the answer to a login. More than a person needs, and 86,400 guesses a day. Devices that have signed in
 * under the identifier before are counted each by itself: whoever uses up the others' limit keeps none of them out.
 */
const GUESSES = {
  unknown: { tier: 'identifier', counter: 'identifier', limit: 60 },
  known: { tier: 'identifier', counter: 'known-device', limit: 10 },
} as const

export const beginOpaqueRegistration = defineOperation({
  id: 'beginOpaqueRegistration',
  method: 'post',
  path: '/api/auth/opaque/register/init',
  summary: 'OPAQUE registration, first message',
  description:
    'Needs a grant, which it does not spend. Says nothing of whether the identifier is taken. Counts as a login under the ' +
    'identifier does.',
  auth: 'none',
  body: opaqueRegisterInitSchema,
  maxBodyBytes: MAX_BODY_BYTES,
  answer: { status: 200, description: 'RegistrationResponse', schema: opaqueRegistrationSchema },
  errors: ['code_unusable', 'dependency_unavailable'],
})

export const finishOpaqueRegistration = defineOperation({
  id: 'finishOpaqueRegistration',
  method: 'post',
  path: '/api/auth/opaque/register/finish',
  summary: 'OPAQUE registration, last message',
  description:
    'Spends the grant. An identifier that is taken is left as it is and answered the same. With the grant of a session it ' +
    'sets the password of that account, and every session of the account ends.',
  auth: 'none',
  body: opaqueRegisterFinishSchema,
  maxBodyBytes: MAX_BODY_BYTES,
  answer: { status: 200, description: 'Received; a login tells whether it counts', schema: opaqueReceivedSchema },
  errors: ['code_unusable', 'account_exists', 'dependency_unavailable'],
})

export const beginOpaqueLogin = defineOperation({
  id: 'beginOpaqueLogin',
  method: 'post',
  path: '/api/auth/opaque/login/init',
  summary: 'OPAQUE login, first message',
  description:
    'An identifier that nobody has is answered from a record that is made up for it, always the same. 60 a minute for one ' +
    'identifier, from whatever addresses; with the `knownDevice` of an earlier login under it, 10 a minute for that alone.',
  auth: 'none',
  body: opaqueLoginInitSchema,
  maxBodyBytes: MAX_BODY_BYTES,
  answer: { status: 200, description: 'KE2', schema: opaqueLoginSchema },
  errors: ['dependency_unavailable'],
})

export const finishOpaqueLogin = defineOperation({
  id: 'finishOpaqueLogin',
  method: 'post',
  path: '/api/auth/opaque/login/finish',
  summary: 'OPAQUE login, last message',
  description: 'Spends the ceremony, whatever comes of it. Every failure is the same 401.',
  auth: 'none',
  body: opaqueLoginFinishSchema,
  maxBodyBytes: MAX_BODY_BYTES,
  answer: { status: 200, description: 'A session', schema: passwordSessionSchema },
  errors: ['sign_in_rejected', 'dependency_unavailable'],
})

function refusal({ reason }: RegistrationRefusal): ApiError {
  switch (reason) {
    case 'code_unusable':
    case 'account_exists':
      return new ApiError(reason)
    case 'length':
    case 'element':
      return notAnElement()
  }
}

interface Guess {
  readonly identifier: string
  readonly knownDevice?: string | undefined
}

async function countGuess({ opaque, limiter }: Services, { identifier, knownDevice }: Guess, now: number) {
  const { kind, name } = opaque.guesserOf(identifier, knownDevice)
  const quota = GUESSES[kind]
  const verdict = await limiter.take([quota], name, now)
  if (verdict.allowed) return
  const { retryAfterSeconds } = verdict
  throw new ApiError('rate_limited', { retryAfterSeconds, tier: quota.tier, reason: `limit: ${quota.counter}` })
}

/** The schema has seen to the length. */
const notAnElement = () => new ApiError('invalid_request', { message: 'body: holds no element of the group' })

export const opaqueRoutes = [
  authRoute(beginOpaqueRegistration, async ({ body, deps, now }) => {
    await countGuess(deps, body, now)
    const begun = await deps.opaque.beginRegistration(body.grant, body.identifier, body.registrationRequest)
    if (!begun.ok) throw refusal(begun.error)
    return { registrationResponse: begun.value }
  }),
  authRoute(finishOpaqueRegistration, async ({ body, deps, now }) => {
    const finished = await deps.opaque.finishRegistration(body.grant, body.identifier, body.registrationRecord, now)
    if (!finished.ok) throw refusal(finished.error)
    return { received: true as const }
  }),
  authRoute(beginOpaqueLogin, async ({ body, deps, now }) => {
    await countGuess(deps, body, now)
    const begun = await deps.opaque.beginLogin(body.identifier, body.startLoginRequest, now)
    if (!begun.ok) throw notAnElement()
    return begun.value
  }),
  authRoute(finishOpaqueLogin, async ({ body, deps, now }) => {
    const login = await deps.opaque.finishLogin(body.ceremonyId, body.finishLoginRequest)
    if (!login) throw new ApiError('sign_in_rejected')
    const { accountId, knownDevice } = login
    return { ...(await deps.sessions.open(accountId, 'password', now)), knownDevice }
  }),
]
