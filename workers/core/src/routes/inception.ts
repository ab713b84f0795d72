import type { SpendRefusal } from '@svc/assertion'
import {
  attestDeviceSchema,
  changeDeviceSchema,
  deviceBatchSchema,
  inceptOrgSchema,
  rotateOfficersSchema,
} from '@svc/protocol/inception'
import {
  inceptionAppendedSchema,
  inceptionEventsQuerySchema,
  inceptionEventsSchema,
  inceptionHeadAnswerSchema,
  inceptionHeadRequestSchema,
} from '@svc/protocol/inception-api'
import { ApiError, defineOperation, isSpendRefusal, spendError } from '@svc/service'
import type { EventFault } from '../inception/inception-service.ts'
import type { InceptionRefusal } from '../inception/inception-session.ts'
import { CORE_REFUSALS } from '../refusals.ts'
import { coreRoute } from '../route.ts'

const appended = { status: 200, description: 'Appended', schema: inceptionAppendedSchema } as const
const APPEND_ERRORS = [
  'owner_mismatch',
  'invalid_signature',
  'stale_inception_head',
  'stale_epoch',
  'security_hold',
] as const
const DEVICE_ERRORS = [...APPEND_ERRORS, 'device_revoked'] as const
const ATTEST_ERRORS = [...DEVICE_ERRORS, 'device_mismatch', 'device_exists', 'device_limit', 'key_in_use'] as const
const ROSTER_ERRORS = [
  ...APPEND_ERRORS,
  'not_eligible',
  'quorum_not_met',
  'acceptance_missing',
  'officer_unverifiable',
] as const

export const readInceptionHead = defineOperation({
  id: 'readInceptionHead',
  method: 'post',
  path: '/api/inception/head',
  summary: 'The head of the caller’s inception log',
  description:
    'While the log is empty: sequence 0 and the hash of the genesis block, which the first event follows. Reading makes ' +
    'nothing, so a hold does not stand in the way.',
  auth: 'assertion-with-work',
  limit: { counter: 'readInceptionHead', limit: 30 },
  body: inceptionHeadRequestSchema,
  answer: { status: 200, description: 'The head', schema: inceptionHeadAnswerSchema },
  errors: ['owner_mismatch'],
})

export const listInceptionEvents = defineOperation({
  id: 'listInceptionEvents',
  method: 'get',
  path: '/api/inception/events',
  summary: 'The caller’s inception log, ascending',
  description: 'At most 20 events in a page. Devices are nobody else’s business, so there is no public reading.',
  auth: 'assertion-with-work',
  query: inceptionEventsQuerySchema,
  answer: { status: 200, description: 'One page', schema: inceptionEventsSchema },
})

export const attestDevice = defineOperation({
  id: 'attestDevice',
  method: 'post',
  path: '/api/inception/device',
  summary: 'Take a device in',
  description:
    'The root key signs the attestation and the device its acceptance. A key that was revoked, or that belongs to ' +
    'another identity, is refused. A device whose attestation expires may be attested again, before or after it has. At ' +
    'most 32 devices at once and 64 new keys in 30 days. A retry of what is in place gets 409 with its receipt in ' +
    '`details.appended`.',
  auth: 'assertion-with-work',
  body: attestDeviceSchema,
  answer: appended,
  errors: ATTEST_ERRORS,
})

export const changeDevice = defineOperation({
  id: 'changeDevice',
  method: 'post',
  path: '/api/inception/device-event',
  summary: 'Revoke, suspend or resume a device, or change what it may do',
  description: 'In force for every mutation when this answers, on every Worker. A revocation is final.',
  auth: 'assertion-with-work',
  body: changeDeviceSchema,
  answer: appended,
  errors: [...DEVICE_ERRORS, 'not_found'],
})

export const batchDevices = defineOperation({
  id: 'batchDevices',
  method: 'post',
  path: '/api/inception/device-batch',
  summary: 'Several device events at once, all or none',
  auth: 'assertion-with-work',
  body: deviceBatchSchema,
  answer: appended,
  errors: [...ATTEST_ERRORS, 'not_found'],
})

export const inceptOrg = defineOperation({
  id: 'inceptOrg',
  method: 'post',
  path: '/api/inception/org',
  summary: 'Make the caller an organization',
  description: 'Signed by the organization’s root key; every officer accepts with the root key of their own identity.',
  auth: 'assertion-with-work',
  body: inceptOrgSchema,
  answer: appended,
  errors: [...ROSTER_ERRORS, 'org_exists'],
})

export const rotateOfficers = defineOperation({
  id: 'rotateOfficers',
  method: 'post',
  path: '/api/inception/org-officers',
  summary: 'Change the officers of an organization',
  description:
    'The credentials are signatures over one statement: continuity by the organization’s root key, approval by a quorum ' +
    'of the outgoing officers, acceptance by each who is new. An old roster again, or a version that is not the next, ' +
    'is refused.',
  auth: 'none',
  limit: { counter: 'rotateOfficers', limit: 10 },
  body: rotateOfficersSchema,
  answer: appended,
  errors: [...ROSTER_ERRORS, 'not_found', 'not_an_org', 'roster_version', 'dependency_unavailable'],
})

export const inceptionRoutes = [
  coreRoute(readInceptionHead, async ({ assertion, body, deps, now }) => {
    const head = await deps.inception.head(assertion.take(), body.scope)
    if (head.ok) return head.value
    throw inceptionError(head.error, now)
  }),
  coreRoute(listInceptionEvents, async ({ assertion, query, deps, now }) => {
    const events = await deps.inception.events(assertion.take(), query.from ?? 1)
    if (events.ok) return events.value
    throw inceptionError(events.error, now)
  }),
  coreRoute(attestDevice, async ({ assertion, body, deps, now }) => {
    const done = await deps.inception.append(assertion.take(), [body])
    if (done.ok) return done.value
    throw inceptionError(done.error, now)
  }),
  coreRoute(changeDevice, async ({ assertion, body, deps, now }) => {
    const done = await deps.inception.append(assertion.take(), [body])
    if (done.ok) return done.value
    throw inceptionError(done.error, now)
  }),
  coreRoute(batchDevices, async ({ assertion, body, deps, now }) => {
    const done = await deps.inception.append(assertion.take(), body.events)
    if (done.ok) return done.value
    throw inceptionError(done.error, now)
  }),
  coreRoute(inceptOrg, async ({ assertion, body, deps, now }) => {
    const done = await deps.inception.inceptOrg(assertion.take(), body)
    if (done.ok) return done.value
    throw inceptionError(done.error, now)
  }),
  coreRoute(rotateOfficers, async ({ body, deps, now }) => {
    const done = await deps.inception.rotateOfficers(body)
    if (done.ok) return done.value
    throw inceptionError(done.error, now)
  }),
]

/** The one mapping from what the inception log refuses to what the caller is told. */
function inceptionError(refusal: InceptionRefusal | EventFault | SpendRefusal, now: number): ApiError {
  const appendedBefore = 'appended' in refusal ? { appended: refusal.appended ?? null } : {}
  if (isSpendRefusal(refusal)) return spendError(refusal, CORE_REFUSALS, now)
  switch (refusal.reason) {
    case 'owner_mismatch':
    case 'invalid_signature':
    case 'officer_unverifiable':
    case 'key_in_use':
    case 'not_found':
    case 'device_mismatch':
    case 'device_exists':
    case 'device_limit':
    case 'org_exists':
    case 'not_an_org':
    case 'roster_version':
    case 'quorum_not_met':
    case 'acceptance_missing':
    case 'not_eligible':
      return new ApiError(refusal.reason)
    case 'no_such_device':
      return new ApiError('not_found')
    case 'device_retired':
      return new ApiError('device_revoked')
    case 'security_hold':
      return new ApiError('security_hold', { details: appendedBefore })
    case 'stale_epoch':
      return new ApiError('stale_epoch', { details: { epoch: refusal.epoch } })
    case 'stale_inception_head':
      return new ApiError('stale_inception_head', { details: { head: refusal.head, ...appendedBefore } })
  }
}
