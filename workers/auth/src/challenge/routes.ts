import { challengeAnswerSchema, challengeVerifySchema } from '@svc/protocol/auth/sign-in'
import { defineOperation } from '@svc/service'
import { authRoute } from '../service.ts'

const MAX_BODY_BYTES = 8 * 1024

export const verifyChallenge = defineOperation({
  id: 'verifyChallenge',
  method: 'post',
  path: '/api/auth/turnstile/verify',
  summary: 'Verify a bot challenge',
  description:
    'Checks host, action and age of the challenge besides Turnstile’s verdict. A token that was not passed is `success` ' +
    'false with a score of 0; if there is no verdict, the answer is 503.',
  auth: 'none',
  body: challengeVerifySchema,
  maxBodyBytes: MAX_BODY_BYTES,
  answer: { status: 200, description: 'The verdict', schema: challengeAnswerSchema },
  errors: ['dependency_unavailable'],
})

export const challengeRoutes = [
  authRoute(verifyChallenge, async ({ body, headers, deps, now, logReason }) => {
    const address = headers.get('cf-connecting-ip') ?? ''
    const judged = await deps.challenges.judge(body.token, body.action, address, now)
    if (!judged) {
      logReason('challenge not passed')
      return { success: false, trustScore: 0, grant: null, expiresAt: null }
    }
    const { trustScore, grant } = judged
    return { success: true, trustScore, grant: grant?.ceremonyId ?? null, expiresAt: grant?.expiresAt ?? null }
  }),
]
