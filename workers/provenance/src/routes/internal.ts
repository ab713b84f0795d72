import { consentQuestionSchema, consentVerdictSchema } from '@svc/protocol/consent-authority'
import { ApiError, defineOperation } from '@svc/service'
import { provenanceRoute } from '../route.ts'

export const judgeConsent = defineOperation({
  id: 'judgeConsent',
  method: 'post',
  path: '/api/internal/consent/authority',
  summary: 'Whether a key may speak for a creator, and whether it has signed',
  description:
    'A refusal is an answer and names its question. Where core leaves any doubt there is no answer, but 503: core silent ' +
    'or slow, a refusal of core that is not about the key, an answer of another shape or about another key.',
  auth: 'internal',
  body: consentQuestionSchema,
  answer: { status: 200, description: 'The verdict', schema: consentVerdictSchema, bare: true },
  errors: ['dependency_unavailable'],
})

export const internalRoutes = [
  provenanceRoute(judgeConsent, async ({ body, deps, now }) => {
    const verdict = await deps.consentAuthority.judge(body, now)
    if (!verdict) throw new ApiError('dependency_unavailable', { reason: 'consent authority: core' })
    return verdict
  }),
]
