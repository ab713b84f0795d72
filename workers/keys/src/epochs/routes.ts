import { ackEpochSchema, currentEpochSchema, epochMemberSchema, joinEpochSchema } from '@svc/protocol/keys/epochs'
import { ApiError, defineOperation } from '@svc/service'
import { keysRoute } from '../service.ts'

const member = { status: 200, description: 'The membership', schema: epochMemberSchema } as const

export const readCurrentEpoch = defineOperation({
  id: 'readCurrentEpoch',
  method: 'get',
  path: '/api/epoch/current',
  summary: 'Read the open epoch, or null',
  description:
    'The operator opens epochs; `opensAt` and `closesAt` are in epoch ms. `joined` and `acknowledged` count ' +
    'identities. With no open epoch, `epoch` is null with status 200, and `message` says so.',
  auth: 'none',
  answer: { status: 200, description: 'The epoch', schema: currentEpochSchema, bare: true },
  errors: ['dependency_unavailable'],
})

export const joinEpoch = defineOperation({
  id: 'joinEpoch',
  method: 'post',
  path: '/api/epoch/join',
  summary: 'Join the open epoch',
  description: 'Idempotent.',
  auth: 'assertion',
  audiences: ['keys'],
  capability: 'epochs:write',
  body: joinEpochSchema,
  answer: member,
  errors: ['owner_mismatch', 'no_epoch', 'dependency_unavailable'],
})

export const acknowledgeEpoch = defineOperation({
  id: 'acknowledgeEpoch',
  method: 'post',
  path: '/api/epoch/ack',
  summary: 'Acknowledge the open epoch after joining it',
  description: 'Idempotent.',
  auth: 'assertion',
  audiences: ['keys'],
  capability: 'epochs:write',
  body: ackEpochSchema,
  answer: member,
  errors: ['owner_mismatch', 'no_epoch', 'epoch_not_joined', 'dependency_unavailable'],
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
]
