import {
  onboardingSchema,
  PROVIDERS,
  type Provider,
  REDIRECT_LIFETIME_MS,
  ticketVerifySchema,
} from '@svc/protocol/auth/sign-in'
import { base64urlOf } from '@svc/protocol/base/base64url'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { authRoute } from '../service.ts'
import type { CallbackRefusal, Redirect, StartRefusal } from './service.ts'

/** Sent only by this host, only over TLS, invisible to scripts, and included in the provider's redirect back. */
const COOKIE = '__Host-svc-onboarding'
const COOKIE_ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax'

const startQuery = z.strictObject({
  returnTo: z.string().max(2048).meta({ description: 'One of the return URLs of this deployment, exactly' }),
  challenge: base64urlOf(32).meta({
    description: 'Base64url of the SHA-256 of a 32-byte verifier that the page keeps',
  }),
})
/** Providers may add parameters. */
const callbackQuery = z.looseObject({ state: z.string().max(128).optional() })

const NAMES: Readonly<Record<Provider, string>> = { google: 'Google', microsoft: 'Microsoft' }
const capital = { google: 'Google', microsoft: 'Microsoft' } as const

const start = <P extends Provider>(provider: P) =>
  defineOperation({
    id: `start${capital[provider]}`,
    method: 'get',
    path: `/api/auth/${provider}/start`,
    summary: `Start onboarding with ${NAMES[provider]}`,
    description: 'Redirects the browser to the provider, with a cookie that the callback requires.',
    consumes: null,
    auth: 'none',
    query: startQuery,
    answer: { status: 302, description: 'To the provider', contentType: 'text/plain' },
    errors: ['provider_disabled', 'dependency_unavailable'],
  })

const callback = <P extends Provider>(provider: P) =>
  defineOperation({
    id: `finish${capital[provider]}`,
    method: 'get',
    path: `/api/auth/${provider}/callback`,
    summary: `Complete onboarding with ${NAMES[provider]}`,
    description:
      'Redirects the browser to the return URL with `#ticket=…`, with `#error=declined` if the person cancelled, or with ' +
      '`#error=failed` if the provider reported an error. HEAD is 405, because it would consume the redirect.',
    consumes: 'the redirect',
    auth: 'none',
    query: callbackQuery,
    answer: { status: 302, description: 'To the return URL', contentType: 'text/plain' },
    errors: ['provider_disabled', 'code_unusable', 'provider_rejected', 'dependency_unavailable'],
  })

export const verifyTicket = defineOperation({
  id: 'verifyTicket',
  method: 'post',
  path: '/api/auth/onboard/ticket/verify',
  summary: 'Spend an onboarding ticket',
  description:
    'Once, by anyone who has the ticket, even with a wrong verifier. Returns a grant: for one new account or, if the person ' +
    'has one (`hasAccount`), to set its password or add a passkey. Using the latter ends all sessions of the account.',
  auth: 'none',
  body: ticketVerifySchema,
  maxBodyBytes: 4 * 1024,
  answer: { status: 200, description: 'Who the person is at the provider', schema: onboardingSchema },
  errors: ['code_unusable', 'dependency_unavailable'],
})

function startError({ reason }: StartRefusal): ApiError {
  switch (reason) {
    case 'provider_disabled':
      return new ApiError(reason)
    case 'return_url':
      return new ApiError('invalid_request', { message: 'query.returnTo: is not a return URL of this deployment' })
  }
}

function callbackError(refusal: CallbackRefusal): ApiError {
  switch (refusal.reason) {
    case 'provider_disabled':
    case 'code_unusable':
      return new ApiError(refusal.reason)
    case 'provider_rejected':
      return new ApiError(refusal.reason, { reason: `provider: ${refusal.detail}` })
  }
}

/** The cookie is set on the way to the provider and cleared on the way back. */
function redirectTo({ url, browser }: Redirect): Response {
  const age = browser === null ? 0 : REDIRECT_LIFETIME_MS / 1000
  const headers = {
    location: url,
    'content-type': 'text/plain',
    'set-cookie': `${COOKIE}=${browser ?? ''}; ${COOKIE_ATTRIBUTES}; Max-Age=${age}`,
  }
  return new Response('', { status: 302, headers })
}

function cookieOf(headers: Headers): string | null {
  const cookies = (headers.get('cookie') ?? '').split(/;\s*/)
  const found = cookies.find((cookie) => cookie.startsWith(`${COOKIE}=`))
  return found === undefined ? null : found.slice(COOKIE.length + 1)
}

export const providerRoutes = [
  ...PROVIDERS.flatMap((provider) => [
    authRoute(start(provider), async ({ query, deps, now }) => {
      const started = await deps.onboarding.start(provider, query.returnTo, query.challenge, now)
      if (!started.ok) throw startError(started.error)
      return redirectTo(started.value)
    }),
    authRoute(callback(provider), async ({ query, headers, deps, now, logReason }) => {
      const entries = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
      const parameters = new URLSearchParams(entries)
      const ended = await deps.onboarding.callback(provider, parameters, cookieOf(headers), now)
      if (!ended.ok) throw callbackError(ended.error)
      if (ended.value.failure !== undefined) logReason(`provider: ${ended.value.failure}`)
      return redirectTo(ended.value)
    }),
  ]),
  authRoute(verifyTicket, async ({ body, deps, now }) => {
    const onboarding = await deps.onboarding.verifyTicket(body.ticket, body.verifier, now)
    if (!onboarding) throw new ApiError('code_unusable')
    const { grant, ...facts } = onboarding
    return { ...facts, grant: grant.ceremonyId, expiresAt: grant.expiresAt }
  }),
]
