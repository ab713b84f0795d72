import {
  ackEpochSchema,
  currentEpochSchema,
  epochMemberSchema,
  joinEpochSchema,
  keysOperatorActSchema,
} from '@svc/protocol/key-epochs'
import { operatorActAnswerSchema } from '@svc/protocol/operator'
import { ApiError, defineOperation, OPERATOR_ERRORS, operatorRefusalError } from '@svc/service'
import { keysRoute } from '../route.ts'

const member = { status: 200, description: 'The membership', schema: epochMemberSchema } as const

export const readCurrentEpoch = defineOperation({
  id: 'readCurrentEpoch',
  method: 'get',
  path: '/api/epoch/current',
  summary: 'The epoch that is open, or null',
  auth: 'none',
  answer: { status: 200, description: 'The epoch', schema: currentEpochSchema, bare: true },
  errors: ['dependency_unavailable'],
})

export const joinEpoch = defineOperation({
  id: 'joinEpoch',
  method: 'post',
  path: '/api/epoch/join',
  summary: 'Join the epoch that is open',
  description: 'Again is the same answer.',
  auth: 'assertion',
  body: joinEpochSchema,
  answer: member,
  errors: ['owner_mismatch', 'no_epoch', 'dependency_unavailable'],
})

export const acknowledgeEpoch = defineOperation({
  id: 'acknowledgeEpoch',
  method: 'post',
  path: '/api/epoch/ack',
  summary: 'Acknowledge the epoch that is open and was joined',
  description: 'Again is the same answer.',
  auth: 'assertion',
  body: ackEpochSchema,
  answer: member,
  errors: ['owner_mismatch', 'no_epoch', 'epoch_not_joined', 'dependency_unavailable'],
})

export const takeOperatorAct = defineOperation({
  id: 'takeOperatorAct',
  method: 'post',
  path: '/api/operator/acts',
  summary: 'An act of the deployment’s operator',
  description: 'Opens an epoch. The credential is the statement’s signature by the configured operator key.',
  auth: 'none',
  limit: { counter: 'takeOperatorAct', limit: 20 },
  body: keysOperatorActSchema,
  answer: { status: 200, description: 'Done and recorded', schema: operatorActAnswerSchema },
  errors: [...OPERATOR_ERRORS, 'epoch_conflict'],
})

export const epochRoutes = [
  keysRoute(readCurrentEpoch, ({ deps, now }) => deps.epochs.current(now)),
  keysRoute(joinEpoch, async ({ caller, body, deps, now }) => {
    const joined = await deps.epochs.join(caller, body.user_id, now)
    if (joined.ok) return joined.value
    throw new ApiError(joined.error.reason)
  }),
  keysRoute(acknowledgeEpoch, async ({ caller, body, deps, now }) => {
    const acknowledged = await deps.epochs.acknowledge(caller, body.user_id, body.epoch, now)
    if (acknowledged.ok) return acknowledged.value
    throw new ApiError(acknowledged.error.reason)
  }),
  keysRoute(takeOperatorAct, async ({ body, deps, now }) => {
    const done = await deps.epochs.act(body, now)
    if (done.ok) return done.value
    if (done.error.reason === 'epoch_conflict') throw new ApiError('epoch_conflict')
    throw operatorRefusalError(done.error, now)
  }),
]
