import type { SpendRefusal } from '@svc/assertion'
import {
  deviceConfirmedSchema,
  inceptionAppendedSchema,
  inceptionEventsQuerySchema,
  inceptionEventsSchema,
  inceptionHeadAnswerSchema,
  inceptionHeadRequestSchema,
} from '@svc/protocol/devices/api'
import {
  attestDeviceSchema,
  changeDeviceSchema,
  deviceBatchSchema,
  inceptOrgSchema,
  rotateOfficersSchema,
} from '@svc/protocol/devices/inception'
import { ApiError, defineOperation, isSpendRefusal, spendError } from '@svc/service'
import { CORE_REFUSALS, coreRoute } from '../service.ts'
import { budgetError } from '../storage/error.ts'
import type { InceptionRefusal } from './judging.ts'
import type { EventRefusal } from './service.ts'

const appended = { status: 200, description: 'Appended', schema: inceptionAppendedSchema } as const
const APPEND_ERRORS = [
  'owner_mismatch',
  'invalid_signature',
  'stale_inception_head',
  'stale_epoch',
  'security_hold',
  'budget_exhausted',
  'dependency_unavailable',
] as const
const DEVICE_ERRORS = [...APPEND_ERRORS, 'device_revoked'] as const
const ATTEST_ERRORS = [
  ...DEVICE_ERRORS,
  'device_mismatch',
  'agreement_mismatch',
  'agreement_without_standing',
  'device_exists',
  'device_limit',
  'key_in_use',
  'statement_expired',
  'statement_replay',
] as const
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
  summary: 'Read the head of the caller’s inception log',
  description:
    'While the log is empty: sequence 0 and the hash of the genesis block, which the first event follows. Only reads, so ' +
    'it also works under a hold.',
  auth: 'assertion-with-work',
  audiences: ['genesis'],
  capability: 'account:read',
  limit: { counter: 'readInceptionHead', limit: 30, protects: 'work' },
  body: inceptionHeadRequestSchema,
  answer: { status: 200, description: 'The head', schema: inceptionHeadAnswerSchema },
  errors: ['owner_mismatch'],
})

export const listInceptionEvents = defineOperation({
  id: 'listInceptionEvents',
  method: 'get',
  path: '/api/inception/events',
  summary: 'List the events of the caller’s inception log, ascending',
  description: 'At most 20 events per page. A list of devices is private, so only the caller can read it.',
  auth: 'assertion-with-work',
  audiences: ['genesis'],
  capability: 'account:read',
  query: inceptionEventsQuerySchema,
  answer: { status: 200, description: 'One page', schema: inceptionEventsSchema },
})

export const attestDevice = defineOperation({
  id: 'attestDevice',
  method: 'post',
  path: '/api/inception/device',
  summary: 'Attest a device',
  description:
    'The root key signs the attestation, and the device its acceptance, which is valid once and for an hour. If a device ' +
    'with standing agrees, the new device gains standing after 24 hours, otherwise after 30 days. A key that was ' +
    'revoked, or belongs to another identity, is rejected. A device whose attestation expires can be attested again, ' +
    'before or after it has expired. At most 32 devices at once and 64 new keys in 30 days. A retry of a stored event gets 409 with its receipt in ' +
    '`details.appended`.',
  auth: 'assertion-with-work',
  audiences: ['genesis'],
  capability: 'root',
  body: attestDeviceSchema,
  answer: appended,
  errors: ATTEST_ERRORS,
})

export const confirmDevice = defineOperation({
  id: 'confirmDevice',
  method: 'post',
  path: '/api/inception/device-confirmation',
  summary: 'Confirm, as a device, that it has stored its keys',
  description:
    'A device that was attested with `confirmBy` ends at that time unless it has called this. Takes no body and can be ' +
    'repeated. Needs no capability, and works under a hold. The root key gets 404.',
  auth: 'assertion-with-work',
  audiences: ['genesis'],
  capability: 'any',
  answer: { status: 200, description: 'Confirmed', schema: deviceConfirmedSchema },
  errors: ['not_found'],
})

export const changeDevice = defineOperation({
  id: 'changeDevice',
  method: 'post',
  path: '/api/inception/device-event',
  summary: 'Revoke, suspend or resume a device, or change its capabilities',
  description:
    'In force for every mutation on every Worker when this returns. A revocation is final. An event that changes nothing ' +
    'is refused with 409 `device_state`.',
  auth: 'assertion-with-work',
  audiences: ['genesis'],
  capability: 'root',
  body: changeDeviceSchema,
  answer: appended,
  errors: [...DEVICE_ERRORS, 'device_state', 'not_found'],
})

export const batchDevices = defineOperation({
  id: 'batchDevices',
  method: 'post',
  path: '/api/inception/device-batch',
  summary: 'Append several device events atomically',
  description:
    'Up to 10 attestations and changes, each following the one before: all of them are appended, or none. In force ' +
    'for every mutation on every Worker when this returns. A retry of a stored batch gets 409 with its receipt in ' +
    '`details.appended`.',
  auth: 'assertion-with-work',
  audiences: ['genesis'],
  capability: 'root',
  body: deviceBatchSchema,
  answer: appended,
  errors: [...ATTEST_ERRORS, 'device_state', 'not_found'],
})

export const inceptOrg = defineOperation({
  id: 'inceptOrg',
  method: 'post',
  path: '/api/inception/org',
  summary: 'Make the caller an organization',
  description: 'Signed by the organization’s root key; every officer accepts with the root key of their own identity.',
  auth: 'assertion-with-work',
  audiences: ['genesis'],
  capability: 'root',
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
    'The credentials are signatures over one statement: by the organization’s root key for continuity, by a quorum of the ' +
    'outgoing officers for approval, and by each new officer for acceptance. An old roster, or a version that is not the next, ' +
    'is rejected.',
  auth: 'none',
  limit: { counter: 'rotateOfficers', limit: 10, protects: 'storage' },
  body: rotateOfficersSchema,
  answer: appended,
  errors: [...ROSTER_ERRORS, 'not_found', 'not_an_org', 'roster_version'],
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
  coreRoute(confirmDevice, async ({ assertion, deps, now }) => {
    const done = await deps.inception.confirm(assertion.take())
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
    throw rosterError(done.error, now)
  }),
  coreRoute(rotateOfficers, async ({ body, deps, now }) => {
    const done = await deps.inception.rotateOfficers(body)
    if (done.ok) return done.value
    throw rosterError(done.error, now)
  }),
]

const OFFICER_ORDER = {
  unknown_head: 'An acceptance names an event that the inception log of its officer does not have',
  older_head: 'An acceptance names an older event than an earlier one of its officer: the officer must accept again',
} as const

function rosterError(refusal: InceptionRefusal | EventRefusal | SpendRefusal, now: number): ApiError {
  const { reason } = refusal
  if (reason !== 'older_head' && reason !== 'unknown_head') return inceptionError(refusal, now)
  return new ApiError('acceptance_missing', { message: OFFICER_ORDER[reason] })
}

const ACCEPTANCE_ORDER = {
  unknown_head: 'The device’s acceptance names an event that the inception log does not have',
  older_head: 'The device’s acceptance is older than the newest event about the device: sign a new one',
} as const

/** The only mapping from refusals of the inception log to public errors. */
function inceptionError(refusal: InceptionRefusal | EventRefusal | SpendRefusal, now: number): ApiError {
  const appendedBefore = 'appended' in refusal ? { appended: refusal.appended ?? null } : {}
  if (isSpendRefusal(refusal)) return spendError(refusal, CORE_REFUSALS, now)
  switch (refusal.reason) {
    case 'owner_mismatch':
    case 'invalid_signature':
    case 'officer_unverifiable':
    case 'key_in_use':
    case 'not_found':
    case 'device_mismatch':
    case 'agreement_mismatch':
    case 'agreement_without_standing':
    case 'device_exists':
    case 'device_limit':
    case 'org_exists':
    case 'not_an_org':
    case 'roster_version':
    case 'quorum_not_met':
    case 'acceptance_missing':
    case 'not_eligible':
      return new ApiError(refusal.reason)
    case 'unknown_head':
    case 'older_head':
      return new ApiError('device_mismatch', { message: ACCEPTANCE_ORDER[refusal.reason] })
    case 'budget_exhausted':
      return budgetError(refusal)
    case 'no_such_device':
      return new ApiError('not_found')
    case 'device_unchanged':
      return new ApiError('device_state')
    case 'device_retired':
      return new ApiError('device_revoked')
    case 'statement_expired':
      return new ApiError(refusal.reason, { details: appendedBefore, serverTime: now })
    case 'security_hold':
    case 'statement_replay':
      return new ApiError(refusal.reason, { details: appendedBefore })
    case 'stale_epoch':
      return new ApiError('stale_epoch', { details: { epoch: refusal.epoch } })
    case 'stale_inception_head':
      return new ApiError('stale_inception_head', { details: { head: refusal.head, ...appendedBefore } })
  }
}
