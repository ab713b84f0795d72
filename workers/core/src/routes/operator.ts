import { operatorActAnswerSchema, operatorActSchema } from '@svc/protocol/operator'
import { ApiError, defineOperation, OPERATOR_ERRORS, type OperatorRefusal, operatorRefusalError } from '@svc/service'
import type { ActRefusal } from '../operator/operator-service.ts'
import { coreRoute } from '../route.ts'

export const takeOperatorAct = defineOperation({
  id: 'takeOperatorAct',
  method: 'post',
  path: '/api/operator/acts',
  summary: 'An act of the deployment’s operator',
  description: 'The credential is the statement’s signature by the configured operator key. Each act is recorded.',
  auth: 'none',
  limit: { counter: 'takeOperatorAct', limit: 20 },
  body: operatorActSchema,
  answer: { status: 200, description: 'Done and recorded', schema: operatorActAnswerSchema },
  errors: [...OPERATOR_ERRORS, 'not_found', 'policy_founded', 'duplicate_signer', 'threshold_out_of_range'],
})

export const operatorRoutes = [
  coreRoute(takeOperatorAct, async ({ body, deps, now }) => {
    const done = await deps.operator.act(body, now)
    if (done.ok) return done.value
    throw operatorError(done.error, now)
  }),
]

function operatorError(refusal: OperatorRefusal | ActRefusal, now: number): ApiError {
  switch (refusal.reason) {
    case 'not_found':
    case 'policy_founded':
    case 'duplicate_signer':
    case 'threshold_out_of_range':
      return new ApiError(refusal.reason)
    case 'disabled':
    case 'invalid_signature':
    case 'expired':
    case 'replay':
      return operatorRefusalError({ reason: refusal.reason }, now)
  }
}
