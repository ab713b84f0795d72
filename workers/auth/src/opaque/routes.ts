import {
  opaqueConfirmedSchema,
  opaqueConfirmSchema,
  opaqueLoginFinishSchema,
  opaqueLoginInitSchema,
  opaqueLoginSchema,
  opaqueReceivedSchema,
  opaqueRegisterFinishSchema,
  opaqueRegisterInitSchema,
  opaqueRegistrationSchema,
  passwordSessionSchema,
} from '@svc/protocol/auth/sign-in'
import { ApiError, defineOperation } from '@svc/service'
import { authRoute } from '../service.ts'
import type { Services } from '../services.ts'
import { GUESSES } from './guesses.ts'
import type { Guesser } from './known-device.ts'
import { CODE_GUESSES, REGISTRATION_MAIL } from './mail-limits.ts'
import type { ConfirmationRefusal, RegistrationRefusal } from './service.ts'

/** The largest message is a registration record of 192 bytes with an identifier of 254 characters. */
const MAX_BODY_BYTES = 4 * 1024

export const beginOpaqueRegistration = defineOperation({
  id: 'beginOpaqueRegistration',
  method: 'post',
  path: '/api/auth/opaque/register/init',
  summary: 'OPAQUE registration, first message',
  description:
    'Requires a grant without spending it. Does not reveal whether the identifier is taken. Counts as a login under the ' +
    'identifier does, if the grant is valid.',
  auth: 'none',
  handlerWindows: Object.values(GUESSES),
  body: opaqueRegisterInitSchema,
  maxBodyBytes: MAX_BODY_BYTES,
  answer: { status: 200, description: 'RegistrationResponse', schema: opaqueRegistrationSchema },
  errors: ['code_unusable', 'challenge_required'],
})

export const finishOpaqueRegistration = defineOperation({
  id: 'finishOpaqueRegistration',
  method: 'post',
  path: '/api/auth/opaque/register/finish',
  summary: 'OPAQUE registration, last message',
  description:
    'Spends the grant. If the identifier is taken, nothing changes and the answer is the same. With the grant of a session, ' +
    'or of a person who recovers an account, it sets the password of that account, and all sessions of the account end. ' +
    'An address that is not yet that of the account gets a mail: with `confirmBy`, nothing changes before ' +
    '`confirmOpaqueRegistration`. At most 5 mails in 24 hours per mailbox, 500 per domain, and 10 an hour per caller.',
  auth: 'none',
  handlerWindows: Object.values(REGISTRATION_MAIL),
  body: opaqueRegisterFinishSchema,
  maxBodyBytes: MAX_BODY_BYTES,
  answer: { status: 200, description: 'Received; a login shows whether it took effect', schema: opaqueReceivedSchema },
  errors: ['code_unusable', 'account_exists', 'dependency_unavailable'],
})

export const confirmOpaqueRegistration = defineOperation({
  id: 'confirmOpaqueRegistration',
  method: 'post',
  path: '/api/auth/opaque/register/confirm',
  summary: 'Confirm the address of a registration',
  description:
    'With the code from the mail and the grant of the registration, within ten minutes; five attempts. If the address had ' +
    'an account, no code is right: the mail says so. Log in next.',
  auth: 'none',
  handlerWindows: [CODE_GUESSES],
  body: opaqueConfirmSchema,
  maxBodyBytes: MAX_BODY_BYTES,
  answer: { status: 200, description: 'The password is set', schema: opaqueConfirmedSchema },
  errors: ['code_unusable', 'code_rejected', 'account_exists', 'dependency_unavailable'],
})

export const beginOpaqueLogin = defineOperation({
  id: 'beginOpaqueLogin',
  method: 'post',
  path: '/api/auth/opaque/login/init',
  summary: 'OPAQUE login, first message',
  description:
    'An unknown identifier is answered from a fake record, always the same. 60 in 15 minutes per identifier, from any ' +
    'address; then each needs a passed challenge in `challengeToken`, and 60 a minute are accepted. With the ' +
    '`knownDevice` of an earlier login with it, 10 a minute for that device.',
  auth: 'none',
  handlerWindows: Object.values(GUESSES),
  body: opaqueLoginInitSchema,
  maxBodyBytes: MAX_BODY_BYTES,
  answer: { status: 200, description: 'KE2', schema: opaqueLoginSchema },
  errors: ['challenge_required'],
})

export const finishOpaqueLogin = defineOperation({
  id: 'finishOpaqueLogin',
  method: 'post',
  path: '/api/auth/opaque/login/finish',
  summary: 'OPAQUE login, last message',
  description: 'Spends the ceremony, whatever the outcome. Every failure is the same 401.',
  auth: 'none',
  body: opaqueLoginFinishSchema,
  maxBodyBytes: MAX_BODY_BYTES,
  answer: { status: 200, description: 'A session', schema: passwordSessionSchema },
  errors: ['sign_in_rejected', 'dependency_unavailable'],
})

function refusal(refused: RegistrationRefusal): ApiError {
  switch (refused.reason) {
    case 'code_unusable':
    case 'account_exists':
      return new ApiError(refused.reason)
    case 'mail_limited': {
      const { counter, retryAfterSeconds } = refused
      return new ApiError('rate_limited', { retryAfterSeconds, tier: 'mail', reason: `window: ${counter}` })
    }
    case 'length':
    case 'element':
      return notAnElement()
  }
}

function unconfirmed(refused: ConfirmationRefusal): ApiError {
  switch (refused.reason) {
    case 'code_unusable':
    case 'account_exists':
      return new ApiError(refused.reason)
    case 'code_rejected':
      return new ApiError('code_rejected', { details: { attemptsLeft: refused.attemptsLeft } })
  }
}

interface Guess {
  readonly identifier: string
  readonly knownDevice?: string | undefined
  readonly challengeToken?: string | undefined
}

async function countGuess(
  { opaque, guesses, challenges }: Services,
  { identifier, knownDevice, challengeToken }: Guess,
  { headers, now }: { readonly headers: Headers; readonly now: number },
): Promise<Guesser> {
  const address = headers.get('cf-connecting-ip') ?? ''
  const passes = async () =>
    challengeToken !== undefined && (await challenges.isPassed(challengeToken, 'login', address, now))
  const guesser = await opaque.guesserOf(identifier, knownDevice, now)
  const counted = await guesses.count(guesser, passes)
  if (counted.ok) return guesser
  if (counted.error.reason === 'challenge_required') throw new ApiError('challenge_required')
  const { counter, retryAfterSeconds } = counted.error
  throw new ApiError('rate_limited', { retryAfterSeconds, tier: 'identifier', reason: `window: ${counter}` })
}

/** The schema has checked the length. */
const notAnElement = () => new ApiError('invalid_request', { message: 'body: must contain valid group elements' })

export const opaqueRoutes = [
  authRoute(beginOpaqueRegistration, async ({ body, headers, deps, now }) => {
    const keys = await deps.opaque.keysOf(body.grant)
    if (!keys) throw new ApiError('code_unusable')
    await countGuess(deps, body, { headers, now })
    const begun = deps.opaque.beginRegistration(keys, body.identifier, body.registrationRequest)
    if (!begun.ok) throw refusal(begun.error)
    return { registrationResponse: begun.value }
  }),
  authRoute(finishOpaqueRegistration, async ({ body, headers, deps, now }) => {
    const { grant, identifier, registrationRecord: upload } = body
    const callerAddress = headers.get('cf-connecting-ip') ?? ''
    const finished = await deps.opaque.finishRegistration({ grant, identifier, upload, callerAddress }, now)
    if (!finished.ok) throw refusal(finished.error)
    return finished.value === 'mailed'
      ? { received: true as const, confirmBy: 'mail' as const }
      : { received: true as const }
  }),
  authRoute(confirmOpaqueRegistration, async ({ body, deps, now }) => {
    const confirmed = await deps.opaque.confirmRegistration(body.grant, body.code, now)
    if (!confirmed.ok) throw unconfirmed(confirmed.error)
    return { confirmed: true as const }
  }),
  authRoute(beginOpaqueLogin, async ({ body, headers, deps, now }) => {
    const guesser = await countGuess(deps, body, { headers, now })
    const begun = await deps.opaque.beginLogin(body.identifier, body.startLoginRequest, guesser, now)
    if (!begun.ok) throw notAnElement()
    return begun.value
  }),
  authRoute(finishOpaqueLogin, async ({ body, deps, now }) => {
    const { ceremonyId, finishLoginRequest, deviceLabel = null } = body
    const login = await deps.opaque.finishLogin(ceremonyId, finishLoginRequest, deviceLabel, now)
    if (!login) throw new ApiError('sign_in_rejected')
    const { accountId, knownDevice } = login
    return { ...(await deps.sessions.open(accountId, 'password', now)), knownDevice }
  }),
]
