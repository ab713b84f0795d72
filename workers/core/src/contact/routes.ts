import {
  codeResentSchema,
  contactDeliveredSchema,
  contactOpenedSchema,
  contactRequestSchema,
  resendCodeSchema,
  verifyContactSchema,
} from '@svc/protocol/inbox/inbox'
import { ApiError, defineOperation } from '@svc/service'
import type { DeliveryRefusal, ResendRefusal } from '../inbox/rules.ts'
import { coreRoute } from '../service.ts'
import { DOMAIN_CODES, MAILBOX_CODES } from './mail-limits.ts'
import type { ContactRefusal } from './service.ts'

/**
 * Unknown members that are named in the refusal. Any other is rejected too, but only counted: its name is the caller's
 * and may itself be what should not have been sent.
 */
const PLAINTEXT_MEMBERS: ReadonlySet<string> = new Set(
  'address attachment attachments body comment content data description email firstName from fromName fullName html lastName message messages name note notes phone plaintext subject tags text title to'.split(
    ' ',
  ),
)

type Members = { readonly [member: string]: unknown }
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Anything unknown to a schema might be plaintext: it is neither read, stored nor logged. */
function plaintextRefusal(body: Members, known: readonly string[], path = ''): ApiError | null {
  const unknown = Object.keys(body).filter((member) => !known.includes(member))
  if (unknown.length === 0) return null
  const members = unknown.filter((member) => PLAINTEXT_MEMBERS.has(member)).map((member) => path + member)
  return new ApiError('plaintext_rejected', { details: { members, others: unknown.length - members.length } })
}

function screenRequest(body: unknown): ApiError | null {
  if (!isObject(body)) return null
  const { assetId } = body
  if (typeof assetId !== 'string' || assetId === '') return new ApiError('missing_asset')
  return plaintextRefusal(body, ['assetId', 'fromEmail', 'challengeToken'])
}

function screenResend(body: unknown): ApiError | null {
  return isObject(body) ? plaintextRefusal(body, ['requestId']) : null
}

function screenVerify(body: unknown): ApiError | null {
  if (!isObject(body)) return null
  const outer = plaintextRefusal(body, ['requestId', 'code', 'envelope'])
  if (outer || !isObject(body['envelope'])) return outer
  const sealed = ['kemKeyId', 'kemCiphertextB64u', 'ephemeralB64u', 'nonceB64u', 'ciphertextB64u']
  return plaintextRefusal(body['envelope'], sealed, 'envelope.')
}

export const requestContact = defineOperation({
  id: 'requestContact',
  method: 'post',
  path: '/api/inbox/contact-request',
  summary: 'Request a code to write to the owner of an asset',
  description:
    'Mails a one-time code to `fromEmail` and returns the owner’s key, which the owner’s root key vouches for. Limits, ' +
    'all exact: five per ten minutes and address; thirty per recipient that are open or were delivered in 24 hours ' +
    '(counted after the challenge); ten codes per 24 hours and mail address, 500 per mail domain. Neither the answer nor its timing reveals why an owner cannot be found.',
  auth: 'none',
  window: { counter: 'contact-request', limit: 5, seconds: 600, protects: 'mail' },
  handlerWindows: [MAILBOX_CODES, DOMAIN_CODES],
  screen: screenRequest,
  body: contactRequestSchema,
  answer: { status: 200, description: 'A code is on its way', schema: contactOpenedSchema },
  errors: [
    'missing_asset',
    'plaintext_rejected',
    'challenge_failed',
    'owner_unresolvable',
    'inbox_full',
    'dependency_unavailable',
  ],
})

export const resendOtp = defineOperation({
  id: 'resendOtp',
  method: 'post',
  path: '/api/inbox/resend-otp',
  summary: 'Request another one-time code',
  description:
    'To the same address; the old code becomes invalid. 30 seconds apart, three codes per request. The new code is valid ' +
    'for ten minutes; attempts do not reset.',
  auth: 'none',
  limit: { counter: 'resendOtp', limit: 10, protects: 'work' },
  handlerWindows: [MAILBOX_CODES, DOMAIN_CODES],
  screen: screenResend,
  body: resendCodeSchema,
  answer: { status: 200, description: 'Another code is on its way', schema: codeResentSchema },
  errors: ['plaintext_rejected', 'code_unusable', 'resend_limit', 'dependency_unavailable'],
})

export const verifyOtp = defineOperation({
  id: 'verifyOtp',
  method: 'post',
  path: '/api/inbox/verify-otp',
  summary: 'Submit the one-time code and deliver the encrypted message',
  description:
    'Five wrong codes end a request. Idempotent for the same code and envelope; another envelope is rejected. If the ' +
    'owner’s key has changed, nothing is delivered.',
  auth: 'none',
  screen: screenVerify,
  body: verifyContactSchema,
  answer: { status: 200, description: 'Delivered to the inbox', schema: contactDeliveredSchema },
  errors: [
    'plaintext_rejected',
    'code_rejected',
    'code_unusable',
    'key_agreement_changed',
    'inbox_full',
    'dependency_unavailable',
  ],
})

function refusalOf(refusal: ContactRefusal | ResendRefusal | DeliveryRefusal): ApiError {
  switch (refusal.reason) {
    case 'rate_limited':
      return new ApiError('rate_limited', { retryAfterSeconds: refusal.retryAfterSeconds, reason: 'limit: contact' })
    case 'code_rejected':
      return new ApiError('code_rejected', { details: { attemptsLeft: refusal.attemptsLeft } })
    case 'challenge_failed':
    case 'owner_unresolvable':
    case 'inbox_full':
    case 'code_unusable':
    case 'resend_limit':
    case 'key_agreement_changed':
      return new ApiError(refusal.reason)
  }
}

export const contactRoutes = [
  coreRoute(requestContact, async ({ body, headers, deps, now }) => {
    const caller = { address: headers.get('cf-connecting-ip') ?? '', now }
    const opened = await deps.contact.open(body, caller)
    if (!opened.ok) throw refusalOf(opened.error)
    return opened.value
  }),
  coreRoute(resendOtp, async ({ body, deps }) => {
    const resent = await deps.contact.resend(body.requestId)
    if (!resent.ok) throw refusalOf(resent.error)
    return resent.value
  }),
  coreRoute(verifyOtp, async ({ body, deps }) => {
    const delivered = await deps.contact.verify(body)
    if (!delivered.ok) throw refusalOf(delivered.error)
    return delivered.value
  }),
]
