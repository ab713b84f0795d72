import type { Caller } from '@svc/assertion'
import {
  type CapsuleKind,
  capsuleDeletedSchema,
  capsuleQuerySchema,
  capsuleRecordSchema,
  capsuleVerificationSchema,
  MAX_CAPSULE_BYTES,
  provenanceIdSchema,
  type RegisterCapsule,
  type RegisteredCapsule,
  registerCapsuleSchema,
  registeredCapsuleSchema,
} from '@svc/protocol/provenance/capsules'
import { type CapsuleVectors, MEDIA_SERVICES } from '@svc/protocol/provenance/vector-search'
import { VECTOR_DIMENSIONS, VECTOR_RULES } from '@svc/protocol/provenance/vector-services'
import { ApiError, defineOperation, takenDown } from '@svc/service'
import * as z from 'zod'
import { budgetError } from '../quota/budget.ts'
import { QUOTA_ERRORS, quotaError } from '../quota/error.ts'
import { provenanceRoute } from '../service.ts'
import { missing } from '../takedowns/missing.ts'
import type { VectorSetService } from '../vectors/set-service.ts'
import type { CapsuleService, RegisterRefusal } from './service.ts'

const REGISTER_ERRORS = [
  ...QUOTA_ERRORS,
  'invalid_signature',
  'owner_mismatch',
  'statement_expired',
  'capsule_exists',
  'index_full',
  'stale_head',
  'stale_epoch',
  'budget_exhausted',
  'security_hold',
  'profile_not_accepted',
  'canonical_chain_binding_unavailable',
  'taken_down',
] as const
const DESCRIPTION =
  'The signer is the caller’s current root key, or an active device of the caller with `provenance:write`, according to ' +
  'core. The same capsule again is `duplicate` and costs nothing; another capsule of the same asset by the same identity ' +
  'is 409. The unit of quota counts once it is registered. `vectors` make it searchable; the vectors it first came with ' +
  'stay.'

const MAX_VECTORS = MEDIA_SERVICES.reduce((sum, service) => sum + VECTOR_RULES[service].maxVectors, 0)
/** Every vector, each with its position, and a thousand values for the capsule, its block and its signature. */
const CAPSULE_BUDGET = { values: MAX_VECTORS * (VECTOR_DIMENSIONS + 3) + 1_000 }

export const registerImage = defineOperation({
  id: 'registerImage',
  method: 'post',
  path: '/api/register',
  summary: 'Register the capsule of an image',
  description: DESCRIPTION,
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'provenance:write',
  callerWindow: { counter: 'register', limit: 60, seconds: 60, protects: 'storage', tier: 'registration' },
  maxBodyBytes: MAX_CAPSULE_BYTES,
  budget: CAPSULE_BUDGET,
  body: registerCapsuleSchema,
  answer: { status: 200, description: 'Registered, now or earlier', schema: registeredCapsuleSchema },
  errors: REGISTER_ERRORS,
})

export const registerVideo = defineOperation({
  id: 'registerVideo',
  method: 'post',
  path: '/api/register/video',
  summary: 'Register the capsule of a video',
  description: DESCRIPTION,
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'provenance:write',
  callerWindow: { counter: 'register-video', limit: 20, seconds: 60, protects: 'storage', tier: 'registration' },
  maxBodyBytes: MAX_CAPSULE_BYTES,
  budget: CAPSULE_BUDGET,
  body: registerCapsuleSchema,
  answer: { status: 200, description: 'Registered, now or earlier', schema: registeredCapsuleSchema },
  errors: REGISTER_ERRORS,
})

const assetParams = z.strictObject({ assetId: provenanceIdSchema })

export const readCapsule = defineOperation({
  id: 'readCapsule',
  method: 'get',
  path: '/api/capsule/{assetId}',
  summary: 'Read the capsule of an asset and everyone who claims the asset',
  description: 'The earliest registration, or that of the `did` in the query. A text has no capsule: 404.',
  auth: 'none',
  params: assetParams,
  query: capsuleQuerySchema,
  answer: { status: 200, description: 'The record', schema: capsuleRecordSchema },
  errors: ['not_found', 'taken_down', 'dependency_unavailable'],
})

export const deleteCapsule = defineOperation({
  id: 'deleteCapsule',
  method: 'delete',
  path: '/api/capsule/{assetId}',
  summary: 'Delete the caller’s own registration of an asset, and its vectors',
  description:
    'Other registrations of the asset keep their positions, and this one’s is not used again. A block that carries the ' +
    'hash of the capsule stays in the chain. The unit it cost is not returned.',
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'provenance:write',
  params: assetParams,
  answer: { status: 200, description: 'Deleted', schema: capsuleDeletedSchema },
  errors: ['not_found', 'dependency_unavailable'],
})

export const verifyCapsule = defineOperation({
  id: 'verifyCapsule',
  method: 'get',
  path: '/api/capsule/{assetId}/verify',
  summary: 'Verify the signature of a registered capsule again',
  description:
    'By default the earliest registration of the asset; `did` chooses another. `valid` says only that the stored ' +
    'signature verifies. `keyStatus` is the status of its key now, asked at core, and null if core cannot answer. ' +
    'Times are in epoch ms and are the service’s claim.',
  auth: 'none',
  params: assetParams,
  query: capsuleQuerySchema,
  answer: {
    status: 200,
    description: 'Whether it verifies, and the status of its key',
    schema: capsuleVerificationSchema,
  },
  errors: ['not_found', 'taken_down', 'dependency_unavailable'],
})

interface Registering {
  readonly caller: Caller
  readonly body: RegisterCapsule
  readonly deps: { readonly capsules: CapsuleService; readonly vectorSets: VectorSetService }
  readonly now: number
  readonly logReason: (reason: string) => void
}
const registering =
  (kind: CapsuleKind) =>
  async ({ caller, body, deps, now, logReason }: Registering): Promise<RegisteredCapsule> => {
    if (body.vectors && !(await deps.vectorSets.hasRoom(countsOf(body.vectors)))) {
      logReason('capsule: index full')
      throw new ApiError('index_full')
    }
    const registered = await deps.capsules.register(caller, kind, body, now)
    if (!registered.ok) throw registerError(registered.error, now)
    // After a crash here, the same registration adds them as a duplicate that costs nothing.
    if (body.vectors) {
      await deps.vectorSets.attach(registered.value, body.vectors, () => deps.capsules.isThere(registered.value), now)
    }
    return registered.value
  }

const countsOf = (vectors: CapsuleVectors) =>
  Object.fromEntries(MEDIA_SERVICES.map((service) => [service, vectors[service]?.length ?? 0]))

export const capsuleRoutes = [
  provenanceRoute(registerImage, registering('image')),
  provenanceRoute(registerVideo, registering('video')),
  provenanceRoute(readCapsule, async ({ params, query, deps }) => {
    const record = await deps.capsules.read(params.assetId, query.did)
    if (!record) throw await missing(deps.takedowns, params.assetId)
    return record
  }),
  provenanceRoute(deleteCapsule, async ({ caller, params: { assetId }, deps, now }) => {
    if (!(await deps.capsules.remove(assetId, caller.did, now))) throw new ApiError('not_found')
    return { assetId, deleted: true as const }
  }),
  provenanceRoute(verifyCapsule, async ({ params, query, deps, now }) => {
    const verification = await deps.capsules.verify(params.assetId, query.did, now)
    if (!verification) throw await missing(deps.takedowns, params.assetId)
    return verification
  }),
]

/** The only mapping from refusals of a registration to public errors. */
function registerError(refusal: RegisterRefusal, now: number): ApiError {
  switch (refusal.reason) {
    case 'malformed':
      return new ApiError('invalid_request', { message: `body.${refusal.detail}` })
    case 'owner_mismatch':
    case 'invalid_signature':
    case 'security_hold':
    case 'profile_not_accepted':
    case 'device_index_unavailable':
    case 'device_keys_disabled':
      return new ApiError(refusal.reason)
    case 'block_invalid_signature':
      return new ApiError('invalid_signature', { message: 'body.block: the signature does not verify' })
    case 'block_owner_mismatch':
      return new ApiError('owner_mismatch', { message: 'body.block: is not of the caller’s current root key' })
    // Only a caller who can sign with a key learns its owner and status.
    case 'not_the_signer':
      return new ApiError('invalid_signature', { reason: 'signer' })
    case 'from_the_future':
      return new ApiError('statement_expired', { serverTime: now })
    case 'capsule_exists':
      return new ApiError('capsule_exists', { details: { capsuleHash: refusal.capsuleHash } })
    case 'stale_head':
      return new ApiError('stale_head', { details: { head: refusal.head } })
    case 'budget_exhausted':
      return budgetError(refusal)
    case 'stale_epoch':
      return new ApiError('stale_epoch', { details: { epoch: refusal.epoch } })
    case 'binding_off':
      return new ApiError('canonical_chain_binding_unavailable')
    case 'taken_down':
      return takenDown(refusal.why)
    case 'exhausted':
    case 'unavailable':
      return quotaError(refusal)
  }
}
