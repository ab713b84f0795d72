import { reindexActSchema, reindexedSchema } from '@svc/protocol/reindex'
import { ApiError, defineOperation, OPERATOR_ERRORS, operatorRefusalError } from '@svc/service'
import { provenanceRoute } from '../route.ts'

export const takeOperatorAct = defineOperation({
  id: 'takeOperatorAct',
  method: 'post',
  path: '/api/operator/acts',
  summary: 'An act of the deployment’s operator',
  description: 'The credential is the statement’s signature by the configured operator key. Each act is recorded.',
  auth: 'none',
  limit: { counter: 'takeOperatorAct', limit: 20 },
  body: reindexActSchema,
  answer: { status: 200, description: 'Done and recorded', schema: reindexedSchema },
  errors: [...OPERATOR_ERRORS, 'index_not_provisioned'],
})

export const operatorRoutes = [
  provenanceRoute(takeOperatorAct, async ({ body, deps, now }) => {
    const done = await deps.operator.act(body, now)
    if (done.ok) return done.value
    const { reason } = done.error
    if (reason === 'not_provisioned') throw new ApiError('index_not_provisioned')
    throw operatorRefusalError({ reason }, now)
  }),
]
