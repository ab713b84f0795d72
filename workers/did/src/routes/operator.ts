import { didOperatorActSchema, operatorActAnswerSchema } from '@svc/protocol/operator'
import { ApiError, defineOperation } from '@svc/service'
import type { OperatorRefusal } from '../operator/operator-service.ts'
import { didRoute } from '../route.ts'

export const takeOperatorAct = defineOperation({
  id: 'takeOperatorAct',
  method: 'post',
  path: '/api/operator/acts',
  summary: 'An act of the deployment’s operator: grant or revoke the licence of an organization',
  description:
    'The credential is the statement’s signature by the configured operator key. Each act is recorded together with ' +
    'what it does. Like every mutation here it needs an allowlisted Origin.',
  auth: 'none',
  limit: { counter: 'takeOperatorAct', limit: 20 },
  body: didOperatorActSchema,
  answer: { status: 200, description: 'Done and recorded', schema: operatorActAnswerSchema },
  errors: [
    'operator_acts_disabled',
    'invalid_signature',
    'statement_expired',
    'statement_replay',
    'dependency_unavailable',
  ],
})

export const operatorRoutes = [
  didRoute(takeOperatorAct, async ({ body, deps, now }) => {
    const done = await deps.operator.act(body, now)
    if (done.ok) return done.value
    throw operatorError(done.error, now)
  }),
]

function operatorError({ reason }: OperatorRefusal, now: number): ApiError {
  switch (reason) {
    case 'disabled':
      return new ApiError('operator_acts_disabled')
    case 'invalid_signature':
      return new ApiError('invalid_signature')
    case 'expired':
      return new ApiError('statement_expired', { serverTime: now })
    case 'replay':
      return new ApiError('statement_replay')
  }
}
