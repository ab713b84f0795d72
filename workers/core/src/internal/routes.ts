import { MAX_LIFETIME_MS, type SpendRefusal } from '@svc/assertion'
import { deviceIdSchema, deviceRecordSchema } from '@svc/protocol/base/device'
import { hashSchema } from '@svc/protocol/base/hash'
import { didSchema, userIdSchema } from '@svc/protocol/base/identity'
import { rotationRecordSchema, signedRotationRequestSchema } from '@svc/protocol/chain/rotation'
import { putRegistrationSchema, registrationSchema } from '@svc/protocol/did/registration'
import { bindAnswerSchema, bindRequestSchema } from '@svc/protocol/internal/chain'
import {
  authoritySchema,
  consumedSchema,
  consumeNonceSchema,
  deviceQuerySchema,
  internalHealthSchema,
  keyScopeSchema,
  officersQuerySchema,
  officersRecordSchema,
  rootKeyQuerySchema,
  rootKeyVersionSchema,
  spendAssertionSchema,
  spendQuerySchema,
} from '@svc/protocol/internal/core'
import { eventReportsSchema, mayReport, reportsTakenSchema } from '@svc/protocol/internal/events'
import { storedAmountsSchema } from '@svc/protocol/internal/storage'
import { ApiError, defineOperation, spendError } from '@svc/service'
import * as z from 'zod'
import { rotationError } from '../rotation/routes.ts'
import { CORE_DESCRIPTION, coreRoute } from '../service.ts'

/** The Workers that take assertions, and ask core about their keys. */
const SIBLINGS = ['provenance', 'did', 'keys', 'pay'] as const

export const checkInternal = defineOperation({
  id: 'checkInternal',
  method: 'get',
  path: '/api/internal/health',
  summary: 'Check that core’s internal routes are reachable',
  auth: 'internal',
  callers: SIBLINGS,
  answer: { status: 200, description: 'Reached', schema: internalHealthSchema, bare: true },
})

export const resolveKeyScope = defineOperation({
  id: 'resolveKeyScope',
  method: 'get',
  path: '/api/internal/key-scope/{authKeyUserId}',
  summary: 'Resolve a current signing key to its permanent scope',
  auth: 'internal',
  callers: SIBLINGS,
  params: z.strictObject({ authKeyUserId: userIdSchema }),
  answer: { status: 200, description: 'A current key', schema: keyScopeSchema, bare: true },
  errors: ['not_found', 'key_superseded', 'did_deactivated', 'dependency_unavailable'],
})

/** Pay and provenance have one audience, so what is spent at one is spent at the other. */
const nonceRealmOf = (caller: string) => (caller === 'pay' ? 'provenance' : caller)

export const spendAssertion = defineOperation({
  id: 'spendAssertion',
  method: 'post',
  path: '/api/internal/assertion/spend',
  summary: 'Check the key of a verified assertion and spend its nonce, in one step',
  description:
    'In the object of the identity, which also compares what a device claims with its record. Nothing is spent for a ' +
    'key or a device that may not act. Services with one audience share their nonces.',
  auth: 'internal',
  callers: SIBLINGS,
  query: spendQuerySchema,
  body: spendAssertionSchema,
  answer: { status: 200, description: 'Spent by this call', schema: keyScopeSchema, bare: true },
  errors: [
    'not_found',
    'key_superseded',
    'did_deactivated',
    'device_keys_disabled',
    'attestation_unverifiable',
    'unauthorized',
    'assertion_replay',
    'assertion_expired',
    'dependency_unavailable',
  ],
})

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
  callers: ['did'],
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
    'statement_expired',
    'dependency_unavailable',
  ],
})

export const readStored = defineOperation({
  id: 'readStored',
  method: 'get',
  path: '/api/internal/stored/{did}',
  summary: 'Read what an identity keeps at core, and the most that its tier allows',
  auth: 'internal',
  callers: ['pay'],
  params: z.strictObject({ did: didSchema }),
  answer: { status: 200, description: 'The amounts', schema: storedAmountsSchema, bare: true },
  errors: ['not_found', 'dependency_unavailable'],
})

export const consumeNonce = defineOperation({
  id: 'consumeNonce',
  method: 'post',
  path: '/api/internal/nonce/consume',
  summary: 'Spend a nonce for a caller without a guard of its own',
  auth: 'internal',
  callers: SIBLINGS,
  body: consumeNonceSchema,
  answer: { status: 200, description: 'Spent by this call', schema: consumedSchema, bare: true },
  errors: ['not_found', 'assertion_replay', 'assertion_expired', 'dependency_unavailable'],
})

export const resolveDevice = defineOperation({
  id: 'resolveDevice',
  method: 'get',
  path: '/api/internal/device/{deviceId}',
  summary: 'Read a device key and its verified attestation',
  description:
    'From a cache of one minute unless `consistency=primary`, which callers must set for mutations. A device whose ' +
    'attestation does not verify under the current root key is `attestation_unverifiable`.',
  auth: 'internal',
  callers: SIBLINGS,
  params: z.strictObject({ deviceId: deviceIdSchema }),
  query: deviceQuerySchema,
  answer: { status: 200, description: 'The device', schema: deviceRecordSchema, bare: true },
  errors: [
    'not_found',
    'did_deactivated',
    'device_keys_disabled',
    'attestation_unverifiable',
    'device_index_unavailable',
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
  body: signedRotationRequestSchema,
  answer: { status: 200, description: 'The rotation', schema: rotationRecordSchema, bare: true },
  errors: [
    'not_found',
    'owner_mismatch',
    'invalid_signature',
    'stale_epoch',
    'key_in_use',
    'key_superseded',
    'rotation_pending',
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

export const bindBlock = defineOperation({
  id: 'bindBlock',
  method: 'post',
  path: '/api/internal/chain/append',
  summary: 'Append the block of a capsule, signed by its owner, to the owner’s chain',
  description:
    'The credential is the block’s signature by the current root key. It must have profile 4 and the content type of ' +
    'capsules. Refusals are returned as answers; a block that is already in its place is `appended`.',
  auth: 'internal',
  callers: ['provenance'],
  body: bindRequestSchema,
  answer: { status: 200, description: 'Appended or refused', schema: bindAnswerSchema, bare: true },
  errors: ['dependency_unavailable'],
})

export const reportEvents = defineOperation({
  id: 'reportEvents',
  method: 'post',
  path: '/api/internal/events/{did}',
  summary: 'Report what happened to an identity elsewhere, for its event feed',
  description: 'Idempotent by `id`. Nothing is written for an identity that does not exist.',
  auth: 'internal',
  callers: ['keys', 'pay'],
  params: z.strictObject({ did: didSchema }),
  body: eventReportsSchema,
  answer: { status: 200, description: 'Durable', schema: reportsTakenSchema, bare: true },
  errors: ['dependency_unavailable'],
})

/** An assertion’s hour plus the widest skew: longer, and a sibling could fill an identity permanently. */
const MAX_KEEP_MS = MAX_LIFETIME_MS + 2 * 300_000

function requireSoon(member: string, keepMs: number): void {
  if (keepMs > MAX_KEEP_MS) throw new ApiError('invalid_request', { message: `body.${member}: too late` })
}

/** The names that siblings know; everything about a device that would help a prober is one of them. */
function spendFault(refusal: SpendRefusal, now: number): ApiError {
  const { reason } = refusal
  if (reason === 'superseded') return new ApiError('key_superseded')
  if (reason === 'deactivated') return new ApiError('did_deactivated')
  if (reason === 'unknown_key' || reason === 'unknown_device') return new ApiError('not_found')
  if (reason === 'replay') return new ApiError('assertion_replay')
  return spendError(refusal, { rejected: 'unauthorized', replay: 'assertion_replay' }, now)
}

export const internalRoutes = [
  coreRoute(readStored, async ({ params: { did }, deps }) => {
    const stored = await deps.budget.read(did)
    if (!stored) throw new ApiError('not_found')
    return stored
  }),
  coreRoute(reportEvents, async ({ params: { did }, body, deps, internalCaller }) => {
    const foreign = body.events.find((event) => !mayReport(internalCaller, event))
    if (foreign) throw new ApiError('forbidden', { reason: `event: ${foreign.kind}` })
    await deps.events.report(did, body.events)
    return { taken: true as const }
  }),
  coreRoute(bindBlock, ({ body: { did, block }, deps }) => deps.chain.bind(did, block)),
  coreRoute(checkInternal, () => ({ service: 'core' as const, version: CORE_DESCRIPTION.version })),
  coreRoute(resolveKeyScope, async ({ params, deps }) => {
    const scope = await deps.identities.keyScope(params.authKeyUserId)
    if (scope.ok) return scope.value
    switch (scope.error.reason) {
      case 'superseded':
        throw new ApiError('key_superseded')
      case 'deactivated':
        throw new ApiError('did_deactivated')
      case 'unknown_key':
        throw new ApiError('not_found')
    }
  }),
  coreRoute(spendAssertion, async ({ query, body, deps, now, internalCaller }) => {
    if (body.device && deps.config.DEVICE_KEYS !== 'on') throw new ApiError('device_keys_disabled')
    requireSoon('keepMs', body.keepMs)
    const issuedAt = query.issuedAt === undefined ? undefined : Number(query.issuedAt)
    const spent = await deps.identities.spendFor(nonceRealmOf(internalCaller), body, { now, issuedAt })
    if (!spent.ok) throw spendFault(spent.error, now)
    const { device: _, ...scope } = spent.value
    return scope
  }),
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
  coreRoute(putRegistration, async ({ params: { did }, body, deps, now }) => {
    const kept = await deps.identities.register(did, body, now)
    if (kept.ok) return { did, registeredAt: kept.value.registeredAt, updatedAt: kept.value.updatedAt }
    switch (kept.error.reason) {
      case 'stale':
        throw new ApiError('key_agreement_stale')
      case 'not_yet_valid':
        throw new ApiError('statement_expired', { serverTime: now })
      case 'not_found':
      case 'owner_mismatch':
      case 'invalid_signature':
        throw new ApiError(kept.error.reason)
    }
  }),
  coreRoute(resolveDevice, async ({ params, query, deps }) => {
    if (deps.config.DEVICE_KEYS !== 'on') throw new ApiError('device_keys_disabled')
    const found = await deps.devices.find(params.deviceId, query.consistency === 'primary', query.did ?? null)
    if (found.ok) return found.value
    throw new ApiError(found.error.reason)
  }),
  coreRoute(requestRotation, async ({ params, body, deps, now }) => {
    const opened = await deps.rotations.request(params.did, body)
    if (opened.ok) return opened.value
    throw rotationError(opened.error, now)
  }),
  coreRoute(readRotation, async ({ params, query, deps }) => {
    const rotation = await deps.rotations.find(params.did, query.rotationId ?? null)
    if (!rotation) throw new ApiError('not_found')
    return rotation
  }),
  coreRoute(consumeNonce, async ({ body, deps, now }) => {
    requireSoon('keepUntil', body.keepUntil - now)
    const outcome = await deps.identities.consumeNonce(body)
    switch (outcome) {
      case 'spent':
        return { consumed: true as const }
      case 'replay':
        throw new ApiError('assertion_replay')
      case 'expired':
        throw new ApiError('assertion_expired', { serverTime: now })
      case 'not_found':
        throw new ApiError('not_found')
    }
  }),
]
