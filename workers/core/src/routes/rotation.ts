import type { SpendRefusal } from '@svc/assertion'
import { didSchema } from '@svc/protocol/identity'
import {
  activateRequestSchema,
  currentRotationSchema,
  keyHistorySchema,
  rehearsalAnswerSchema,
  rotationRecordSchema,
  signedCosignSchema,
  signedFreezeSchema,
  signedRotationRehearsalSchema,
} from '@svc/protocol/rotation'
import { ApiError, defineOperation, isSpendRefusal, spendError } from '@svc/service'
import * as z from 'zod'
import { CORE_REFUSALS } from '../refusals.ts'
import type { ActivationRefusal } from '../rotation/rotation.ts'
import type { RequestFailure, SigningFailure } from '../rotation/rotation-service.ts'
import { coreRoute } from '../route.ts'

const record = { status: 200, description: 'The rotation', schema: rotationRecordSchema } as const

const ACTIVATION_ERRORS = ['not_found', 'rotation_not_pending', 'stale_epoch', 'key_in_use'] as const

export const activateRotation = defineOperation({
  id: 'activateRotation',
  method: 'post',
  path: '/api/chain/rotation/activate',
  summary: 'Activate a version-1 rotation that an operator has approved',
  description:
    'By the root key that it ends, or a device with `rotation:request`. The new key is the root key when this answers; ' +
    'the old one is superseded. Activating twice gives the same answer. A security hold does not stand in the way.',
  auth: 'assertion-with-work',
  body: activateRequestSchema,
  answer: record,
  errors: [...ACTIVATION_ERRORS, 'rotation_unapproved'],
})

export const activateRotationV2 = defineOperation({
  id: 'activateRotationV2',
  method: 'post',
  path: '/api/chain/rotation/v2/activate',
  summary: 'Activate a version-2 rotation after its window',
  description:
    'Status, deadline, vetoes and co-signers are decided in one transaction with the change of key: a freeze that ' +
    'arrives at the same time either stops it or is refused. No operator takes part.',
  auth: 'assertion-with-work',
  body: activateRequestSchema,
  answer: record,
  errors: [...ACTIVATION_ERRORS, 'rotation_window_open', 'cosigner_required', 'rotation_v2_disabled'],
})

export const readRotation = defineOperation({
  id: 'readRotation',
  method: 'get',
  path: '/api/chain/rotation/current',
  summary: 'The rotation that brought the caller’s root key, and the newest one',
  auth: 'assertion-with-work',
  answer: { status: 200, description: 'Both, or null', schema: currentRotationSchema },
})

export const freezeRotation = defineOperation({
  id: 'freezeRotation',
  method: 'post',
  path: '/api/chain/rotation/freeze',
  summary: 'Veto a pending rotation, or take it back',
  description:
    'Any valid assertion opens the route; the authority is the statement’s own signature: a freeze ' +
    '(`svc/rotation-freeze/v1`) by the root key, by a device that is active now, or by one that was when the rotation was ' +
    'requested; a cancellation (`svc/rotation-cancel/v1`) by the root key. Final for this rotation. One key freezes at ' +
    'most three times in 30 days; cancelling is not counted.',
  auth: 'assertion',
  body: signedFreezeSchema,
  answer: record,
  errors: ['not_found', 'owner_mismatch', 'invalid_signature', 'not_eligible', 'rotation_not_pending', 'veto_limit'],
})

export const cosignRotation = defineOperation({
  id: 'cosignRotation',
  method: 'post',
  path: '/api/chain/rotation/cosign',
  summary: 'Support a pending version-2 rotation',
  description:
    'Any valid assertion opens the route; the authority is the statement’s own signature, by a device with ' +
    '`rotation:cosign` that it had for a whole window when the rotation was requested, and has now. Checked before it is ' +
    'appended.',
  auth: 'assertion',
  body: signedCosignSchema,
  answer: record,
  errors: [
    'not_found',
    'owner_mismatch',
    'invalid_signature',
    'not_eligible',
    'rotation_not_pending',
    'rotation_v2_disabled',
  ],
})

export const rehearseRotation = defineOperation({
  id: 'rehearseRotation',
  method: 'post',
  path: '/api/chain/rotation/rehearse',
  summary: 'Prove that a rotation would succeed, without performing it',
  description:
    'Both keys sign a `svc/rotation-rehearsal/v1`, which no rotation route takes. It is held to every rule of a ' +
    'request; nothing is written but the nonce of the assertion.',
  auth: 'assertion-with-work',
  body: signedRotationRehearsalSchema,
  answer: { status: 200, description: 'It would succeed', schema: rehearsalAnswerSchema },
  errors: [
    'owner_mismatch',
    'invalid_signature',
    'stale_epoch',
    'rotation_pending',
    'rotation_v2_disabled',
    'key_in_use',
    'not_found',
    'key_superseded',
  ],
})

export const readKeyHistory = defineOperation({
  id: 'readKeyHistory',
  method: 'get',
  path: '/api/chain/root/{did}/history',
  summary: 'Every root key of an identity, each with what proves its descent from the genesis key',
  description:
    'At most 16 keys in a page, ascending. `rotation` is the newest rotation with every signature for and against it.',
  auth: 'none',
  params: z.strictObject({ did: didSchema }),
  query: z.strictObject({
    from: z
      .string()
      .regex(/^[0-9]{1,15}$/, 'must be an integer')
      .transform(Number)
      .optional()
      .meta({ description: 'First epoch; 0 unless given' }),
  }),
  answer: { status: 200, description: 'One page', schema: keyHistorySchema },
  errors: ['not_found', 'dependency_unavailable'],
})

export const rotationRoutes = [
  coreRoute(activateRotation, async ({ assertion, body, deps, now }) => {
    const activated = await deps.rotations.activate(assertion.take(), body.rotationId, 1)
    if (activated.ok) return activated.value
    throw rotationError(activated.error, now)
  }),
  coreRoute(activateRotationV2, async ({ assertion, body, deps, now }) => {
    const activated = await deps.rotations.activate(assertion.take(), body.rotationId, 2)
    if (activated.ok) return activated.value
    throw rotationError(activated.error, now)
  }),
  coreRoute(readRotation, async ({ assertion, deps, now }) => {
    const read = await deps.rotations.current(assertion.take())
    if (read.ok) return read.value
    throw spendError(read.error, CORE_REFUSALS, now)
  }),
  coreRoute(freezeRotation, async ({ body, deps, now }) => {
    const frozen = await deps.rotations.veto(body)
    if (frozen.ok) return frozen.value
    throw rotationError(frozen.error, now)
  }),
  coreRoute(cosignRotation, async ({ body, deps, now }) => {
    const cosigned = await deps.rotations.cosign(body)
    if (cosigned.ok) return cosigned.value
    throw rotationError(cosigned.error, now)
  }),
  coreRoute(rehearseRotation, async ({ assertion, body, deps, now }) => {
    const rehearsed = await deps.rotations.rehearse(assertion.take(), body, now)
    if (rehearsed.ok) return rehearsed.value
    throw rotationError(rehearsed.error, now)
  }),
  coreRoute(readKeyHistory, async ({ params, query, deps }) => {
    const history = await deps.rotations.keyHistory(params.did, query.from ?? 0)
    if (!history) throw new ApiError('not_found')
    return history
  }),
]

type RotationRefusal = RequestFailure | SigningFailure | ActivationRefusal

/** Told apart from a superseded assertion key, which is a refusal of the credential. */
export function rotationError(refusal: RotationRefusal | SpendRefusal, now: number): ApiError {
  if (isSpendRefusal(refusal)) return spendError(refusal, CORE_REFUSALS, now)
  switch (refusal.reason) {
    case 'not_found':
    case 'owner_mismatch':
    case 'invalid_signature':
    case 'not_eligible':
    case 'veto_limit':
    case 'key_in_use':
    case 'key_superseded':
    case 'rotation_unapproved':
    case 'rotation_v2_disabled':
    case 'cosigner_required':
      return new ApiError(refusal.reason)
    case 'rotation_pending':
      return new ApiError(refusal.reason, { details: { rotationId: refusal.rotationId } })
    case 'rotation_not_pending':
      return new ApiError(refusal.reason, { details: { status: refusal.status } })
    case 'rotation_window_open':
      return new ApiError(refusal.reason, { details: { deadline: refusal.deadline } })
    case 'stale_epoch':
      return new ApiError(refusal.reason, { details: { epoch: refusal.epoch } })
  }
}
