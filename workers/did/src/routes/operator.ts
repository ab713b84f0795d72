import { didOperatorActSchema, operatorActAnswerSchema } from '@svc/protocol/operator'
import { defineOperation, OPERATOR_ERRORS, operatorRefusalError } from '@svc/service'
import { didRoute } from '../route.ts'

export const takeOperatorAct = defineOperation({
  id: 'takeOperatorAct',
  method: 'post',
  path: '/api/operator/acts',
  summary: 'An act of the deployment’s operator: grant or revoke the licence of an organization',
  description:
    'The credential is the statement’s signature by the configured operator key. Each act is recorded. Like every ' +
    'mutation here it needs an allowlisted Origin.',
  auth: 'none',
  limit: { counter: 'takeOperatorAct', limit: 20 },
  body: didOperatorActSchema,
  answer: { status: 200, description: 'Done and recorded', schema: operatorActAnswerSchema },
  errors: OPERATOR_ERRORS,
})

export const operatorRoutes = [
  didRoute(takeOperatorAct, async ({ body, deps, now }) => {
    const done = await deps.operator.act(body, now)
    if (done.ok) return done.value
    throw operatorRefusalError(done.error, now)
  }),
]
