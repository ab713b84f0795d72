import { deviceIdSchema, deviceRecordSchema } from '@svc/protocol/base/device'
import { didSchema } from '@svc/protocol/base/identity'
import { bindAnswerSchema, bindRequestSchema } from '@svc/protocol/internal/chain'
import { deviceQuerySchema, internalHealthSchema } from '@svc/protocol/internal/core'
import { eventReportsSchema, mayReport, reportsTakenSchema } from '@svc/protocol/internal/events'
import { storedAmountsSchema } from '@svc/protocol/internal/storage'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { CORE_DESCRIPTION, coreRoute } from '../service.ts'
import { assertionRoutes } from './assertion-routes.ts'
import { authorityRoutes } from './authority-routes.ts'
import { SIBLINGS } from './siblings.ts'

export const checkInternal = defineOperation({
  id: 'checkInternal',
  method: 'get',
  path: '/api/internal/health',
  summary: 'Check that core’s internal routes are reachable',
  auth: 'internal',
  callers: SIBLINGS,
  answer: { status: 200, description: 'Reached', schema: internalHealthSchema, bare: true },
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
  coreRoute(resolveDevice, async ({ params, query, deps }) => {
    if (deps.config.DEVICE_KEYS !== 'on') throw new ApiError('device_keys_disabled')
    const found = await deps.devices.find(params.deviceId, query.consistency === 'primary', query.did ?? null)
    if (found.ok) return found.value
    throw new ApiError(found.error.reason)
  }),
  ...assertionRoutes,
  ...authorityRoutes,
]
