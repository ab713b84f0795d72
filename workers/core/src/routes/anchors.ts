import {
  anchorBundleSchema,
  anchorIdSchema,
  anchorListSchema,
  anchorRecordSchema,
  consistencySchema,
  DEFAULT_PAGE_ANCHORS,
  DEFAULT_WINDOW,
  eligibilitySchema,
  MAX_PAGE_ANCHORS,
  MAX_WINDOW,
  signedCheckpointSchema,
  signedPublicationSchema,
  stateProofSchema,
  submitAnchorSchema,
} from '@svc/protocol/anchors'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import type { PublicationRefusal } from '../anchors/anchor-service.ts'
import { coreRoute } from '../route.ts'

/** Sixty-four attestations of 7 kB. */
const MAX_ATTESTED_BYTES = 512 * 1024

const wholeNumber = z
  .string()
  .regex(/^-?[0-9]{1,15}$/, 'must be an integer')
  .transform(Number)
const clamped = (value: number | undefined, fallback: number, max: number) =>
  Math.min(Math.max(value ?? fallback, 1), max)
const anchorParams = z.strictObject({ id: anchorIdSchema })
const record = { status: 200, description: 'The anchor', schema: anchorRecordSchema, bare: true } as const

export const listAnchors = defineOperation({
  id: 'listAnchors',
  method: 'get',
  path: '/api/anchors',
  summary: 'Anchors, newest first',
  auth: 'none',
  query: z.strictObject({
    limit: wholeNumber.optional().meta({ description: `${DEFAULT_PAGE_ANCHORS}, clamped to 1-${MAX_PAGE_ANCHORS}` }),
    cursor: z
      .string()
      .regex(/^[0-9]{1,15}$/, 'must be a cursor')
      .transform(Number)
      .optional()
      .meta({ description: '`cursor` of the page before' }),
    attestations: z.enum(['include', 'omit']).optional().meta({ description: '`omit` unless given: 7 kB each' }),
  }),
  answer: { status: 200, description: 'One page', schema: anchorListSchema, bare: true },
  errors: ['dependency_unavailable'],
})

export const readStateProof = defineOperation({
  id: 'readStateProof',
  method: 'get',
  path: '/api/anchors/state-proof',
  summary: 'The newest anchors as a tree, with every leaf',
  description: 'Recompute the root from the leaves (RFC 9162 with SHA3-384). Over no anchors it is the empty tree.',
  auth: 'none',
  query: z.strictObject({
    window: wholeNumber.optional().meta({ description: `${DEFAULT_WINDOW}, clamped to 1-${MAX_WINDOW}` }),
  }),
  answer: { status: 200, description: 'The proof', schema: stateProofSchema, bare: true },
  errors: ['dependency_unavailable'],
})

export const readEligibility = defineOperation({
  id: 'readEligibility',
  method: 'get',
  path: '/api/anchors/eligibility',
  summary: 'Whether the caller should be offered an anchor, and why not',
  auth: 'assertion',
  answer: { status: 200, description: 'With its reasons', schema: eligibilitySchema, bare: true },
})

export const readCheckpoint = defineOperation({
  id: 'readCheckpoint',
  method: 'get',
  path: '/api/anchors/checkpoint',
  summary: 'Size and root of the whole log, signed',
  auth: 'none',
  answer: { status: 200, description: 'The checkpoint', schema: signedCheckpointSchema, bare: true },
  errors: ['log_unavailable', 'dependency_unavailable'],
})

export const readConsistency = defineOperation({
  id: 'readConsistency',
  method: 'get',
  path: '/api/anchors/consistency',
  summary: 'That one size of the log is a prefix of another',
  auth: 'none',
  query: z.strictObject({
    first: wholeNumber.meta({ description: 'At least 1' }),
    second: wholeNumber.meta({ description: 'At most the size of the log' }),
  }),
  answer: { status: 200, description: 'The proof', schema: consistencySchema, bare: true },
  errors: ['dependency_unavailable'],
})

export const readAnchor = defineOperation({
  id: 'readAnchor',
  method: 'get',
  path: '/api/anchors/{id}',
  summary: 'One anchor',
  auth: 'none',
  params: anchorParams,
  answer: record,
  errors: ['not_found', 'dependency_unavailable'],
})

export const readBundle = defineOperation({
  id: 'readBundle',
  method: 'get',
  path: '/api/anchors/{id}/bundle',
  summary: 'Everything that verifies one anchor without a network',
  description:
    'The record, its audit path and a signed checkpoint. It proves that the log held the anchor, and no more.',
  auth: 'none',
  params: anchorParams,
  answer: { status: 200, description: 'The bundle', schema: anchorBundleSchema, bare: true },
  errors: ['not_found', 'log_unavailable', 'dependency_unavailable'],
})

export const submitAnchor = defineOperation({
  id: 'submitAnchor',
  method: 'post',
  path: '/api/anchors',
  summary: 'Submit a root',
  description:
    'A record of this service, and no ledger write. Attested by the caller’s current root key alone, or by distinct ' +
    'signers of the governance policy that reach its threshold. The same owner, root and epoch again is the same anchor.',
  auth: 'assertion',
  limit: { counter: 'submitAnchor', limit: 20 },
  body: submitAnchorSchema,
  maxBodyBytes: MAX_ATTESTED_BYTES,
  answer: record,
  errors: ['duplicate_signer', 'unknown_signer', 'threshold_not_met', 'invalid_signature', 'history_partial'],
})

export const reportPublication = defineOperation({
  id: 'reportPublication',
  method: 'post',
  path: '/api/anchors/publish-callback',
  summary: 'The publisher reports a transaction',
  description:
    'The credential is the statement’s signature by the configured publisher key. A nonce is taken once; reporting the ' +
    'same transaction again under another changes nothing, and what is confirmed stays confirmed.',
  auth: 'none',
  body: signedPublicationSchema,
  answer: record,
  errors: [
    'publisher_disabled',
    'invalid_signature',
    'statement_expired',
    'statement_replay',
    'not_found',
    'dependency_unavailable',
  ],
})

/** Fixed names stand before `{id}`, which would match them. */
export const anchorRoutes = [
  coreRoute(listAnchors, ({ query, deps }) =>
    deps.anchors.list(
      query.cursor ?? Number.MAX_SAFE_INTEGER,
      clamped(query.limit, DEFAULT_PAGE_ANCHORS, MAX_PAGE_ANCHORS),
      query.attestations === 'include',
    ),
  ),
  coreRoute(readStateProof, ({ query, deps, now }) =>
    deps.anchors.stateProof(clamped(query.window, DEFAULT_WINDOW, MAX_WINDOW), now),
  ),
  coreRoute(readEligibility, ({ caller, deps }) => deps.anchors.eligibility(caller)),
  coreRoute(readCheckpoint, async ({ deps, now }) => {
    const checkpoint = await deps.anchors.checkpoint(now)
    if (!checkpoint) throw new ApiError('log_unavailable')
    return checkpoint
  }),
  coreRoute(readConsistency, async ({ query: { first, second }, deps }) => {
    const proof = await deps.anchors.consistency(first, second)
    if (proof.ok) return { first, second, proof: proof.value }
    throw new ApiError('invalid_request', { message: 'query: the log has no such sizes' })
  }),
  coreRoute(readAnchor, async ({ params, deps }) => {
    const anchor = await deps.anchors.find(params.id)
    if (!anchor) throw new ApiError('not_found')
    return anchor
  }),
  coreRoute(readBundle, async ({ params, deps, now }) => {
    const bundle = await deps.anchors.bundle(params.id, now)
    if (bundle.ok) return bundle.value
    throw new ApiError(bundle.error.reason)
  }),
  coreRoute(submitAnchor, async ({ caller, body, deps }) => {
    const submitted = await deps.anchors.submit(caller, body)
    if (submitted.ok) return submitted.value
    throw new ApiError(submitted.error.reason)
  }),
  coreRoute(reportPublication, async ({ body, deps, now, requestId }) => {
    const taken = await deps.anchors.publish(body, requestId, now)
    if (taken.ok) return taken.value
    throw publicationError(taken.error, now)
  }),
]

function publicationError({ reason }: PublicationRefusal, now: number): ApiError {
  switch (reason) {
    case 'disabled':
      return new ApiError('publisher_disabled')
    case 'expired':
      return new ApiError('statement_expired', { serverTime: now })
    case 'replay':
      return new ApiError('statement_replay')
    case 'invalid_signature':
    case 'not_found':
      return new ApiError(reason)
  }
}
