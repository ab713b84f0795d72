import { hashSchema } from '@svc/protocol/base/hash'
import { didSchema } from '@svc/protocol/base/identity'
import { activateRequestSchema, rotationRecordSchema, signedRotationRequestSchema } from '@svc/protocol/chain/rotation'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { didRoute } from '../service.ts'
import { PASSED_ON, type RotationRefusal } from './service.ts'

export const requestRotation = defineOperation({
  id: 'requestRotation',
  method: 'post',
  path: '/api/rotation/request',
  summary: 'Request a rotation of a root key',
  description:
    'Signed by the current root key and by the new one; may be sent by the root key or by a device with ' +
    '`rotation:request`. Of an identity that has committed to its next keys, anyone may send it, and the new key may sign ' +
    'alone (`signatureB64u` null): then it takes 30 days and any key of the identity ends it. Kept by core, where it is public at once. Version 1 waits for an operator, version 2 for the ' +
    'end of its waiting period. Idempotent: the same request returns the rotation that it opened, whatever its outcome.',
  auth: 'assertion',
  audiences: ['identity', 'console'],
  capability: 'rotation:request',
  body: signedRotationRequestSchema,
  answer: { status: 200, description: 'The rotation', schema: rotationRecordSchema },
  errors: [...PASSED_ON, 'dependency_unavailable'],
})

export const readRotation = defineOperation({
  id: 'readRotation',
  method: 'get',
  path: '/api/rotation/request',
  summary: 'Read the caller’s newest rotation',
  description:
    'As core has it now, in any status, with the signed request. Times are in epoch ms. 404 if the identity never ' +
    'requested a rotation, 503 if core does not answer. Core’s own route also has the rotation that introduced the ' +
    'current key.',
  auth: 'assertion',
  audiences: ['identity', 'console'],
  capability: 'account:read',
  answer: { status: 200, description: 'The rotation', schema: rotationRecordSchema },
  errors: ['not_found', 'dependency_unavailable'],
})

export const noteActivation = defineOperation({
  id: 'noteActivation',
  method: 'post',
  path: '/api/rotation/activated',
  summary: 'Record that a rotation is active',
  description: 'Bookkeeping only: core is asked whether it is, and resolution follows core either way.',
  auth: 'assertion',
  audiences: ['identity', 'console'],
  capability: 'rotation:request',
  body: activateRequestSchema,
  answer: {
    status: 200,
    description: 'Recorded. Idempotent',
    schema: z
      .strictObject({ did: didSchema, rotationId: hashSchema, epoch: z.int(), recordedAt: z.number() })
      .meta({ id: 'RotationNoted' }),
  },
  errors: ['rotation_not_active', 'dependency_unavailable'],
})

export const rotationRoutes = [
  didRoute(requestRotation, async ({ caller, body, deps }) => {
    const opened = await deps.rotations.request(caller, body)
    if (opened.ok) return opened.value
    throw rotationError(opened.error)
  }),
  didRoute(readRotation, async ({ caller, deps }) => {
    const newest = await deps.rotations.newest(caller)
    if (newest.ok) return newest.value
    throw rotationError(newest.error)
  }),
  didRoute(noteActivation, async ({ caller, body, deps, now }) => {
    const noted = await deps.rotations.activated(caller, body.rotationId, now)
    if (noted.ok) return noted.value
    throw rotationError(noted.error)
  }),
]

function rotationError({ reason }: RotationRefusal): ApiError {
  return reason === 'unavailable' ? new ApiError('dependency_unavailable', { reason: 'core' }) : new ApiError(reason)
}
