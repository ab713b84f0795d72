import { consentQuestionSchema, consentVerdictSchema } from '@svc/protocol/consent/authority'
import { ApiError, defineOperation } from '@svc/service'
import { provenanceRoute } from '../service.ts'

export const judgeConsent = defineOperation({
  id: 'judgeConsent',
  method: 'post',
  path: '/api/internal/consent/authority',
  summary: 'Decide whether a key may act for a creator and whether it signed',
  description:
    'A refusal is an answer and names its question. If core leaves any doubt, the answer is 503: core silent or slow, a ' +
    'refusal by core that is not about the key, an answer of another shape or about another key.',
  auth: 'internal',
  callers: ['consent'],
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
