import {
  codeResentSchema,
  contactDeliveredSchema,
  contactOpenedSchema,
  contactRequestSchema,
  resendCodeSchema,
  verifyContactSchema,
} from '@svc/protocol/inbox'
import { ApiError, defineOperation } from '@svc/service'
import type { ContactRefusal } from '../inbox/contact-service.ts'
import type { DeliveryRefusal, ResendRefusal } from '../inbox/inbox.ts'
import { coreRoute } from '../route.ts'

/**
 * Members that are named when they are refused. Any other unknown one is refused too, and only counted: its name is the
 * caller's, and may itself be what should never have been sent.
 */
const PLAINTEXT_MEMBERS: ReadonlySet<string> = new Set(
  'address attachment attachments body comment content data description email firstName from fromName fullName html lastName message messages name note notes phone plaintext subject tags text title to'.split(
    ' ',
  ),
)

type Members = { readonly [member: string]: unknown }
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whatever a schema does not know might be plaintext: nothing of it is read, kept or logged. */
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
  const sealed = ['kemKeyId', 'kemCiphertextB64u', 'nonceB64u', 'ciphertextB64u']
  return plaintextRefusal(body['envelope'], sealed, 'envelope.')
}

export const requestContact = defineOperation({
  id: 'requestContact',
  method: 'post',
  path: '/api/inbox/contact-request',
  summary: 'Begin to write to the owner of an asset',
  description:
    'Mails a one-time code to `fromEmail` and answers with the owner’s key, which the owner’s root key vouches for. ' +
    'Five in ten minutes for an address, thirty in 24 hours for a recipient (counted after the challenge), ten codes ' +
    'in 24 hours for a mail address, all exact. Why an owner cannot be found is not told, nor does the time tell it.',
  auth: 'none',
  window: { counter: 'contact-request', limit: 5, seconds: 600 },
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
  summary: 'Have another one-time code mailed',
  description:
    'To the same address; the old code dies. 30 seconds apart, three codes for a request in all. It lives for ten ' +
    'minutes again, and the attempts are not given back.',
  auth: 'none',
  limit: { counter: 'resendOtp', limit: 10 },
  screen: screenResend,
  body: resendCodeSchema,
  answer: { status: 200, description: 'Another code is on its way', schema: codeResentSchema },
  errors: ['plaintext_rejected', 'code_unusable', 'resend_limit', 'dependency_unavailable'],
})

export const verifyOtp = defineOperation({
  id: 'verifyOtp',
  method: 'post',
  path: '/api/inbox/verify-otp',
  summary: 'Show the one-time code and deliver the sealed message',
  description:
    'Five wrong codes end a request. The same code with the same envelope again gives the same answer; another ' +
    'envelope is refused. When the owner has another key by now, nothing is delivered.',
  auth: 'none',
  screen: screenVerify,
  body: verifyContactSchema,
  answer: { status: 200, description: 'It is in the inbox', schema: contactDeliveredSchema },
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
