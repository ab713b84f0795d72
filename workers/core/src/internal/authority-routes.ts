/** What siblings read and write of the authority of an identity: its keys, its events, its officers and its registration. */
import { hashSchema } from '@svc/protocol/base/hash'
import { didSchema } from '@svc/protocol/base/identity'
import { rotationRecordSchema, signedRotationRequestSchema } from '@svc/protocol/chain/rotation'
import { putRegistrationSchema, registrationSchema } from '@svc/protocol/did/registration'
import {
  authoritySchema,
  inceptionEventKnownSchema,
  inceptionEventQuerySchema,
  officersQuerySchema,
  officersRecordSchema,
  rootKeyQuerySchema,
  rootKeyVersionSchema,
} from '@svc/protocol/internal/core'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { rotationError } from '../rotation/routes.ts'
import { coreRoute } from '../service.ts'

export const readAuthority = defineOperation({
  id: 'readAuthority',
  method: 'get',
  path: '/api/internal/authority/{did}',
  summary: 'Read the current key authority of an identity',
  auth: 'internal',
  callers: ['did'],
  params: z.strictObject({ did: didSchema }),
  answer: { status: 200, description: 'The authority', schema: authoritySchema, bare: true },
  errors: ['not_found', 'dependency_unavailable'],
})

export const readRootKey = defineOperation({
  id: 'readRootKey',
  method: 'get',
  path: '/api/internal/root-key/{did}',
  summary: 'Read a root key of an identity by epoch or time',
  auth: 'internal',
  callers: ['did', 'keys'],
  params: z.strictObject({ did: didSchema }),
  query: rootKeyQuerySchema,
  answer: { status: 200, description: 'The key', schema: rootKeyVersionSchema, bare: true },
  errors: ['not_found', 'dependency_unavailable'],
})

export const readOfficers = defineOperation({
  id: 'readOfficers',
  method: 'get',
  path: '/api/internal/officers/{did}',
  summary: 'Read the officers of an organization: now, at a time, or of a version',
  description: 'With `evidence=event`, also the event that set the roster, which is up to 230 kB.',
  auth: 'internal',
  callers: ['did'],
  params: z.strictObject({ did: didSchema }),
  query: officersQuerySchema,
  answer: { status: 200, description: 'The roster', schema: officersRecordSchema, bare: true },
  errors: ['not_found', 'dependency_unavailable'],
})

export const checkInceptionEvent = defineOperation({
  id: 'checkInceptionEvent',
  method: 'get',
  path: '/api/internal/inception/{did}',
  summary: 'Check whether the inception log of an identity has an event that a statement names',
  description: 'An unknown identity has no events.',
  auth: 'internal',
  callers: ['did', 'keys'],
  params: z.strictObject({ did: didSchema }),
  query: inceptionEventQuerySchema,
  answer: { status: 200, description: 'Whether it has', schema: inceptionEventKnownSchema, bare: true },
  errors: ['dependency_unavailable'],
})

export const putRegistration = defineOperation({
  id: 'putRegistration',
  method: 'put',
  path: '/api/internal/registration/{did}',
  summary: 'Store the registration of a DID and its key-agreement statement with its identity',
  description: 'Together or not at all. Absent services stay unchanged, and so does an absent statement.',
  auth: 'internal',
  callers: ['did'],
  params: z.strictObject({ did: didSchema }),
  body: putRegistrationSchema,
  answer: { status: 200, description: 'Stored', schema: registrationSchema, bare: true },
  errors: [
    'not_found',
    'owner_mismatch',
    'invalid_signature',
    'key_agreement_stale',
    'key_agreement_limit',
    'statement_expired',
    'dependency_unavailable',
  ],
})

export const requestRotation = defineOperation({
  id: 'requestRotation',
  method: 'post',
  path: '/api/internal/rotation/{did}',
  summary: 'Store a rotation request with its identity',
  auth: 'internal',
  callers: ['did'],
  params: z.strictObject({ did: didSchema }),
  query: z.strictObject({ caller: didSchema.meta({ description: 'The identity that sends it' }) }),
  body: signedRotationRequestSchema,
  answer: { status: 200, description: 'The rotation', schema: rotationRecordSchema, bare: true },
  errors: [
    'not_found',
    'owner_mismatch',
    'invalid_signature',
    'stale_epoch',
    'key_in_use',
    'key_superseded',
    'key_not_committed',
    'rotation_pending',
    'rotation_disputed',
    'rotation_limit',
    'rotation_v2_disabled',
    'dependency_unavailable',
  ],
})

export const readRotation = defineOperation({
  id: 'readRotation',
  method: 'get',
  path: '/api/internal/rotation/{did}',
  summary: 'Read a rotation of an identity, by default the newest',
  auth: 'internal',
  callers: ['did'],
  params: z.strictObject({ did: didSchema }),
  query: z.strictObject({ rotationId: hashSchema.optional() }),
  answer: { status: 200, description: 'The rotation', schema: rotationRecordSchema, bare: true },
  errors: ['not_found', 'dependency_unavailable'],
})

export const authorityRoutes = [
  coreRoute(readAuthority, async ({ params, deps, background }) => {
    const authority = await deps.identities.authority(params.did, background)
    if (!authority) throw new ApiError('not_found')
    return authority
  }),
  coreRoute(readRootKey, async ({ params, query, deps, background }) => {
    const wanted = { epoch: query.epoch ?? null, at: query.at ?? null }
    const key = await deps.identities.rootKey(params.did, wanted, background)
    if (!key) throw new ApiError('not_found')
    return key
  }),
  coreRoute(readOfficers, async ({ params, query, deps, background }) => {
    const wanted = { version: query.version ?? null, at: query.at ?? null }
    const officers = await deps.inception.officers(params.did, wanted, query.evidence === 'event', background)
    if (!officers) throw new ApiError('not_found')
    return officers
  }),
  coreRoute(checkInceptionEvent, async ({ params: { did }, query, deps }) => ({
    did,
    hash: query.hash,
    known: await deps.inceptionLogs.has(did, query),
  })),
  coreRoute(putRegistration, async ({ params: { did }, body, deps, now }) => {
    const kept = await deps.identities.register(did, body, now)
    if (kept.ok) return { did, registeredAt: kept.value.registeredAt, updatedAt: kept.value.updatedAt }
    switch (kept.error.reason) {
      case 'stale':
        throw new ApiError('key_agreement_stale')
      case 'agreement_limit':
        throw new ApiError('key_agreement_limit')
      case 'not_yet_valid':
        throw new ApiError('statement_expired', { serverTime: now })
      case 'not_found':
      case 'owner_mismatch':
      case 'invalid_signature':
        throw new ApiError(kept.error.reason)
    }
  }),
  coreRoute(requestRotation, async ({ params, query, body, deps, now }) => {
    const opened = await deps.rotations.request(params.did, body, query.caller)
    if (opened.ok) return opened.value
    throw rotationError(opened.error, now)
  }),
  coreRoute(readRotation, async ({ params, query, deps }) => {
    const rotation = await deps.rotations.find(params.did, query.rotationId ?? null)
    if (!rotation) throw new ApiError('not_found')
    return rotation
  }),
]
