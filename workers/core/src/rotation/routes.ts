import type { SpendRefusal } from '@svc/assertion'
import { didSchema } from '@svc/protocol/base/identity'
import { deactivatedSchema, signedDeactivationSchema } from '@svc/protocol/chain/deactivation'
import { rehearsalAnswerSchema, rehearsalRequestSchema } from '@svc/protocol/chain/rehearsal'
import {
  activateRequestSchema,
  cosignRequestSchema,
  currentRotationSchema,
  keyHistorySchema,
  rotationRecordSchema,
  signedFreezeSchema,
} from '@svc/protocol/chain/rotation'
import { ApiError, defineOperation, isSpendRefusal, spendError } from '@svc/service'
import * as z from 'zod'
import { CORE_REFUSALS, coreRoute } from '../service.ts'
import type { ActivationRefusal } from './rules.ts'
import type { EndingRefusal, OpeningRefusal, StatementRefusal } from './service.ts'

const record = { status: 200, description: 'The rotation', schema: rotationRecordSchema } as const

const ACTIVATION_ERRORS = ['not_found', 'owner_mismatch', 'rotation_not_pending', 'stale_epoch', 'key_in_use'] as const

export const activateRotation = defineOperation({
  id: 'activateRotation',
  method: 'post',
  path: '/api/chain/rotation/activate',
  summary: 'Activate a version-1 rotation approved by the operator',
  description:
    'By anyone: name the identity in `did` if it is not yours. The new key is the root key when this returns; the old ' +
    'one is superseded. Idempotent. Works under a security hold.',
  auth: 'assertion-with-work',
  audiences: ['chain'],
  // Anyone may activate what is co-signed or approved; the rules check the capability for the rest.
  capability: 'any',
  body: activateRequestSchema,
  answer: record,
  errors: [...ACTIVATION_ERRORS, 'rotation_unapproved'],
})

export const activateRotationV2 = defineOperation({
  id: 'activateRotationV2',
  method: 'post',
  path: '/api/chain/rotation/v2/activate',
  summary: 'Activate a version-2 rotation after its waiting period',
  description:
    'By the outgoing root key or a device with `rotation:request`; by anyone if the rotation is co-signed or a committed ' +
    'key asked for it, with the identity in `did`. One transaction checks status, deadline and co-signatures and changes the key: a concurrent ' +
    'freeze either stops it or is rejected. No operator is involved.',
  auth: 'assertion-with-work',
  audiences: ['chain'],
  // Anyone may activate what is co-signed or approved; the rules check the capability for the rest.
  capability: 'any',
  body: activateRequestSchema,
  answer: record,
  errors: [...ACTIVATION_ERRORS, 'rotation_window_open', 'cosigner_required', 'rotation_v2_disabled'],
})

export const readRotation = defineOperation({
  id: 'readRotation',
  method: 'get',
  path: '/api/chain/rotation/current',
  summary: 'Read the rotation that introduced the caller’s root key, and the newest one',
  description:
    'With the signed request, the co-signatures and the vetoes. `active` is null before the first activation, ' +
    '`latest` before the first request. Watch `latest` for a request that you did not make: stop it before its ' +
    '`deadline` (epoch ms).',
  auth: 'assertion-with-work',
  audiences: ['chain'],
  capability: 'account:read',
  answer: { status: 200, description: 'Both, or null', schema: currentRotationSchema },
})

export const freezeRotation = defineOperation({
  id: 'freezeRotation',
  method: 'post',
  path: '/api/chain/rotation/freeze',
  summary: 'Veto, cancel or contest a pending rotation',
  description:
    'Any valid assertion is accepted; the statement’s own signature authorizes: a freeze (`svc/rotation-freeze/v1`) by the ' +
    'root key, an active device or a device with standing; a cancellation (`svc/rotation-cancel/v1`) by the root key. ' +
    'Once the rotation is co-signed, only a device that had standing at the request can end it; the root key moves its ' +
    'deadline, once, to seven days after the request. A key that the identity has committed to signs as `successor`: it ' +
    'ends what does without it, and delays, once, what root key and successor have signed. No limit.',
  auth: 'assertion',
  audiences: ['chain'],
  // The statement's signature authorizes; the assertion only keeps out callers without an identity.
  capability: 'any',
  body: signedFreezeSchema,
  answer: record,
  errors: [
    'not_found',
    'owner_mismatch',
    'invalid_signature',
    'not_eligible',
    'rotation_not_pending',
    'rotation_cosigned',
    'rotation_full',
    'rotation_approved',
  ],
})

export const cosignRotation = defineOperation({
  id: 'cosignRotation',
  method: 'post',
  path: '/api/chain/rotation/cosign',
  summary: 'Co-sign a version-2 rotation, or open one with a co-signature',
  description:
    'Any valid assertion is accepted; the statement’s own signature authorizes. It must be by a device that had ' +
    '`rotation:cosign` for a full waiting period when the rotation was requested, and had not lost it more than 30 days ' +
    'before. With `request`, it opens the rotation, reopens one that ended without a co-signature, and takes the place of ' +
    'a pending one that is weaker. An identity that has committed to its next keys and lost them all asks for another ' +
    'key this way, if its commitment allows it; that takes 30 days.',
  auth: 'assertion',
  audiences: ['chain'],
  // The statement's signature authorizes; the assertion only keeps out callers without an identity.
  capability: 'any',
  body: cosignRequestSchema,
  answer: record,
  errors: [
    'not_found',
    'owner_mismatch',
    'invalid_signature',
    'not_eligible',
    'rotation_not_pending',
    'rotation_v2_disabled',
    'key_not_committed',
    'rotation_pending',
    'rotation_disputed',
    'rotation_limit',
    'stale_epoch',
    'key_in_use',
    'key_superseded',
  ],
})

export const rehearseRotation = defineOperation({
  id: 'rehearseRotation',
  method: 'post',
  path: '/api/chain/rotation/rehearse',
  summary: 'Prove that a rotation would be accepted, without performing it',
  description:
    'Both keys sign a `svc/rotation-rehearsal/v1`, which no rotation route accepts. Every rule of a request applies; ' +
    'nothing is written except the nonce of the assertion. `prospects` says what each theft would come to today, with ' +
    'what is in `kept` (by default, a request of the version that is rehearsed), and what to prepare.',
  auth: 'assertion-with-work',
  audiences: ['chain'],
  capability: 'root',
  body: rehearsalRequestSchema,
  answer: { status: 200, description: 'It would be accepted', schema: rehearsalAnswerSchema },
  errors: [
    'owner_mismatch',
    'invalid_signature',
    'stale_epoch',
    'key_not_committed',
    'rotation_pending',
    'rotation_disputed',
    'rotation_limit',
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
  summary: 'List every root key of an identity, with the proof of its descent from the genesis key',
  description:
    'At most 16 keys per page, ascending. `rotation` is the newest rotation with every signature for and against it.',
  auth: 'none',
  params: z.strictObject({ did: didSchema }),
  query: z.strictObject({
    from: z
      .string()
      .regex(/^[0-9]{1,15}$/, 'must be an integer')
      .transform(Number)
      .optional()
      .meta({ description: 'First epoch, default 0' }),
  }),
  answer: { status: 200, description: 'One page', schema: keyHistorySchema },
  errors: ['not_found', 'dependency_unavailable'],
})

export const deactivate = defineOperation({
  id: 'deactivate',
  method: 'post',
  path: '/api/chain/deactivate',
  summary: 'Deactivate an identity permanently',
  description:
    'A statement by the current root key, at most five minutes old. At once if no device has standing and no hold is in ' +
    'place; otherwise it is `pending` for one window and decided like a version-2 rotation, with the hash of the ' +
    'statement as `rotationId`: it ' +
    'then takes effect by itself at its deadline, unless it is stopped, lacks a required co-signature, or the identity ' +
    'is under a security hold. An identity that has committed to its next keys ends only with the signature of one of ' +
    'them, and always after a window. Cannot be undone: every later assertion of the identity is 401, and its DID resolves to ' +
    '410. Idempotent while it waits.',
  auth: 'assertion-with-work',
  audiences: ['chain'],
  capability: 'root',
  limit: { counter: 'deactivate', limit: 5, protects: 'work' },
  body: signedDeactivationSchema,
  answer: { status: 200, description: 'Deactivated, or waiting', schema: deactivatedSchema },
  errors: [
    'owner_mismatch',
    'statement_expired',
    'invalid_signature',
    'successor_required',
    'stale_epoch',
    'rotation_pending',
    'rotation_disputed',
    'rotation_not_pending',
    'rotation_limit',
  ],
})

export const rotationRoutes = [
  coreRoute(deactivate, async ({ assertion, body, deps, now }) => {
    const ended = await deps.rotations.deactivate(assertion.take(), body, now)
    if (ended.ok) return ended.value
    throw rotationError(ended.error, now)
  }),
  coreRoute(activateRotation, async ({ assertion, body, deps, now }) => {
    const activated = await deps.rotations.activate(assertion.take(), body, 1)
    if (activated.ok) return activated.value
    throw rotationError(activated.error, now)
  }),
  coreRoute(activateRotationV2, async ({ assertion, body, deps, now }) => {
    const activated = await deps.rotations.activate(assertion.take(), body, 2)
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
    const { request, ...signed } = body
    const cosigned = await deps.rotations.cosign(signed, request ?? null)
    if (cosigned.ok) return cosigned.value
    throw rotationError(cosigned.error, now)
  }),
  coreRoute(rehearseRotation, async ({ assertion, body, deps, now }) => {
    const { kept, ...signed } = body
    const rehearsed = await deps.rotations.rehearse(assertion.take(), signed, kept ?? null, now)
    if (rehearsed.ok) return rehearsed.value
    throw rotationError(rehearsed.error, now)
  }),
  coreRoute(readKeyHistory, async ({ params, query, deps, background }) => {
    const history = await deps.rotations.keyHistory(params.did, query.from ?? 0, background)
    if (!history) throw new ApiError('not_found')
    return history
  }),
]

type RotationRefusal = OpeningRefusal | StatementRefusal | ActivationRefusal | EndingRefusal

/** Distinct from a superseded assertion key, which is a refusal of the credential. */
export function rotationError(refusal: RotationRefusal | SpendRefusal, now: number): ApiError {
  if (isSpendRefusal(refusal)) return spendError(refusal, CORE_REFUSALS, now)
  switch (refusal.reason) {
    case 'not_found':
    case 'owner_mismatch':
    case 'invalid_signature':
    case 'not_eligible':
    case 'statement_expired':
    case 'rotation_limit':
    case 'rotation_cosigned':
    case 'rotation_full':
    case 'rotation_disputed':
    case 'key_not_committed':
    case 'successor_required':
    case 'rotation_approved':
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
