import { payOperatorActSchema } from '@svc/protocol/entitlements'
import { operatorActAnswerSchema } from '@svc/protocol/operator'
import { defineOperation, OPERATOR_ERRORS, operatorRefusalError } from '@svc/service'
import { payRoute } from '../route.ts'

export const takeOperatorAct = defineOperation({
  id: 'takeOperatorAct',
  method: 'post',
  path: '/api/operator/acts',
  summary: 'An act of the deployment’s operator',
  description: 'The credential is the statement’s signature by the configured operator key. Each act is recorded.',
  auth: 'none',
  limit: { counter: 'takeOperatorAct', limit: 20 },
  body: payOperatorActSchema,
  answer: { status: 200, description: 'Done and recorded', schema: operatorActAnswerSchema },
  errors: OPERATOR_ERRORS,
})

export const operatorRoutes = [
  payRoute(takeOperatorAct, async ({ body, deps, now }) => {
    const done = await deps.operator.act(body, now)
    if (done.ok) return done.value
    throw operatorRefusalError(done.error, now)
  }),
]
