import { hashSchema } from '@svc/protocol/base/hash'
import { didSchema } from '@svc/protocol/base/identity'
import { consistencySchema } from '@svc/protocol/ledger/anchor-log'
import { publicationsOfAnchorSchema } from '@svc/protocol/ledger/anchor-publications'
import { submitAnchorSchema } from '@svc/protocol/ledger/anchor-submission'
import {
  anchorIdSchema,
  anchorListSchema,
  anchorRecordSchema,
  anchorStatusSchema,
  DEFAULT_PAGE_ANCHORS,
  DEFAULT_WINDOW,
  eligibilitySchema,
  MAX_PAGE_ANCHORS,
  MAX_WINDOW,
  signedCheckpointSchema,
  signedPublicationSchema,
  stateProofSchema,
} from '@svc/protocol/ledger/anchors'
import { MAX_ATTESTED_BYTES } from '@svc/protocol/ledger/attestations'
import { type AnchorBundle, anchorBundleSchema } from '@svc/protocol/ledger/bundle/anchor-bundle'
import { cursorSchema } from '@svc/protocol/merkle/cursor'
import { logQuery } from '@svc/protocol/merkle/log-name'
import { ApiError, defineOperation, IMMUTABLE, logListOperation } from '@svc/service'
import * as z from 'zod'
import { coreRoute } from '../service.ts'
import { budgetError } from '../storage/error.ts'
import { GROWING, WITHHELD_AFTER } from './feed-routes.ts'
import type { FindRefusal, LogRefusal, PublicationRefusal } from './service.ts'

const wholeNumber = z
  .string()
  .regex(/^-?[0-9]{1,15}$/, 'must be an integer')
  .transform(Number)
const clamped = (value: number | undefined, fallback: number, max: number) =>
  Math.min(Math.max(value ?? fallback, 1), max)
const anchorParams = z.strictObject({ id: anchorIdSchema })
const record = { status: 200, description: 'The anchor', schema: anchorRecordSchema, bare: true } as const

export const readLogList = logListOperation('/api/logs')

export const listAnchors = defineOperation({
  id: 'listAnchors',
  method: 'get',
  path: '/api/anchors',
  summary: 'List anchors, newest first, or those of a root, oldest first',
  description:
    'Goes through all logs; `limit` is 100 by default and clamped to 1-500. A page ends at `limit` or at 1 MiB, whichever ' +
    'comes first. Pass `cursor` on, with the same `owner`, `status` and `root`, until it is null: one that was changed or comes ' +
    'from another list is 400 `invalid_cursor`. Items are complete records; `attestations=omit` saves 7 kB each. May ' +
    'lack the newest anchors for a moment.',
  auth: 'none',
  query: z.strictObject({
    limit: wholeNumber.optional().meta({ description: `${DEFAULT_PAGE_ANCHORS}, clamped to 1-${MAX_PAGE_ANCHORS}` }),
    cursor: cursorSchema.optional(),
    attestations: z.enum(['include', 'omit']).optional().meta({ description: 'Default `include`' }),
    owner: didSchema.optional().meta({ description: 'Only anchors of this DID' }),
    status: anchorStatusSchema.optional().meta({ description: 'Only anchors that have this status now' }),
    root: hashSchema.optional().meta({
      description:
        'Only anchors of this root, such as the hash of a file, oldest first; a page can have fewer of them than there ' +
        'are, or none, with a `cursor`. Who was first is not who made it',
    }),
  }),
  answer: { status: 200, description: 'One page', schema: anchorListSchema, bare: true },
  errors: ['invalid_cursor', 'dependency_unavailable'],
})

export const readStateProof = defineOperation({
  id: 'readStateProof',
  method: 'get',
  path: '/api/anchors/state-proof',
  summary: 'Prove the newest anchors, with every leaf',
  description:
    'Recompute the root from the leaves (RFC 9162 with SHA3-384). Without anchors it is the empty ' +
    'tree. May lack the newest anchors for a moment.',
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
  summary: 'Check whether the caller has something to anchor',
  description:
    'Ask before you sign: `root` is what to anchor, the hash of the newest block. `reasons` says why there is ' +
    'nothing to anchor, or why it would be refused.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'anchors:read',
  answer: { status: 200, description: 'With its reasons', schema: eligibilitySchema, bare: true },
})

export const readCheckpoint = defineOperation({
  id: 'readCheckpoint',
  method: 'get',
  path: '/api/anchors/checkpoint',
  summary: 'Read the signed size and root of a log',
  description:
    'Keep one: a later checkpoint of the same log must extend it, which the consistency route proves. Compare ' +
    '`publicKeyB64u` with the key in the log list. A deployment without a log key returns 503 `log_unavailable`.',
  auth: 'none',
  query: z.strictObject(logQuery),
  answer: { status: 200, description: 'The checkpoint', schema: signedCheckpointSchema, bare: true },
  errors: ['not_found', 'log_unavailable', 'dependency_unavailable'],
})

export const readConsistency = defineOperation({
  id: 'readConsistency',
  method: 'get',
  path: '/api/anchors/consistency',
  summary: 'Prove that one size of a log is a prefix of another',
  description:
    'For two checkpoints that you keep: a log that dropped or reordered anything between them cannot produce the ' +
    'proof. At most 64 hashes, verified as in RFC 9162 section 2.1.4.',
  auth: 'none',
  query: z.strictObject({
    ...logQuery,
    first: wholeNumber.meta({ description: 'At least 1' }),
    second: wholeNumber.meta({ description: 'At most the size of the log' }),
  }),
  answer: { status: 200, description: 'The proof', schema: consistencySchema, bare: true },
  errors: ['not_found', 'log_unavailable', 'dependency_unavailable'],
  // Without a name it is another log after the next roll.
  cacheControl: (_, { log }) => (log === undefined ? GROWING : IMMUTABLE),
})

export const readPublications = defineOperation({
  id: 'readPublications',
  method: 'get',
  path: '/api/anchors/{id}/publications',
  summary: 'Read the signed reports of the publisher about an anchor',
  description:
    'What `status` and `chains` of the record come from. Verify each report with the keys of the publisher in the ' +
    'signed list. It says what the publisher saw; look the transaction up on the ledger to be sure.',
  auth: 'none',
  params: anchorParams,
  answer: { status: 200, description: 'The reports', schema: publicationsOfAnchorSchema, bare: true },
  errors: ['not_found', 'withheld', 'dependency_unavailable'],
})

export const readAnchor = defineOperation({
  id: 'readAnchor',
  method: 'get',
  path: '/api/anchors/{id}',
  summary: 'Read an anchor',
  description:
    'A record of this service, not evidence of a ledger transaction: `status` and `chains` are what the publisher ' +
    'reported. `position` is null until a log has taken the anchor. To verify one offline, read its bundle instead.',
  auth: 'none',
  params: anchorParams,
  answer: record,
  errors: ['not_found', 'withheld', 'dependency_unavailable'],
})

export const readBundle = defineOperation({
  id: 'readBundle',
  method: 'get',
  path: '/api/anchors/{id}/bundle',
  summary: 'Read everything that verifies one anchor offline',
  description:
    'The record, the entry of its log in the log list, the audit path and a signed checkpoint: they prove that the log ' +
    'contained the anchor. `cosigned` proves since when, by the clocks of witnesses; without it, the time is the log’s own ' +
    'word. Can be cached: once its status is `confirmed`, for an hour.',
  auth: 'none',
  params: anchorParams,
  answer: { status: 200, description: 'The bundle', schema: anchorBundleSchema, bare: true },
  errors: ['not_found', 'withheld', 'log_unavailable', 'dependency_unavailable'],
  cacheControl: (answer) => ((answer as AnchorBundle).record.status === 'confirmed' ? WITHHELD_AFTER : GROWING),
})

export const submitAnchor = defineOperation({
  id: 'submitAnchor',
  method: 'post',
  path: '/api/anchors',
  summary: 'Submit a root',
  description:
    'A record of this service, not a ledger transaction. Attested by the caller’s current root key, or by enough distinct ' +
    'signers of the governance policy to reach its threshold. Idempotent per owner, root and epoch.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'anchors:submit',
  limit: { counter: 'submitAnchor', limit: 20, protects: 'storage' },
  body: submitAnchorSchema,
  maxBodyBytes: MAX_ATTESTED_BYTES,
  answer: record,
  errors: [
    'duplicate_signer',
    'unknown_signer',
    'threshold_not_met',
    'invalid_signature',
    'budget_exhausted',
    'statement_expired',
    'history_partial',
    'withheld',
  ],
})

export const reportPublication = defineOperation({
  id: 'reportPublication',
  method: 'post',
  path: '/api/anchors/publish-callback',
  summary: 'Report a transaction, as the publisher',
  description:
    'The credential is the statement’s signature by the configured publisher key. Nonces are single-use; reporting the ' +
    'same transaction with a new nonce changes nothing, and a confirmed one stays confirmed.',
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

/** Fixed names come before `{id}`, which would match them. */
export const anchorRoutes = [
  coreRoute(readLogList, async ({ query: { since }, deps, now }) => {
    const lists = await deps.anchorLogs.lists.answer(since ?? null, now)
    if (lists.ok) return lists.value
    throw new ApiError(lists.error.reason)
  }),
  coreRoute(listAnchors, async ({ query: { cursor, limit, attestations, owner, status, root }, deps }) => {
    const page = await deps.anchors.list(
      { owner, status, root },
      {
        cursor,
        limit: clamped(limit, DEFAULT_PAGE_ANCHORS, MAX_PAGE_ANCHORS),
        withAttestations: attestations !== 'omit',
      },
    )
    if (page.ok) return page.value
    throw new ApiError(page.error.reason)
  }),
  coreRoute(readStateProof, ({ query, deps, now }) =>
    deps.anchors.stateProof(clamped(query.window, DEFAULT_WINDOW, MAX_WINDOW), now),
  ),
  coreRoute(readEligibility, ({ caller, deps }) => deps.anchors.eligibility(caller)),
  coreRoute(readCheckpoint, async ({ query, deps, now }) => {
    const checkpoint = await deps.anchors.checkpoint(query.log, now)
    if (checkpoint.ok) return checkpoint.value
    throw new ApiError(checkpoint.error.reason)
  }),
  coreRoute(readConsistency, async ({ query: { log, first, second }, deps }) => {
    const proved = await deps.anchors.consistency(log, first, second)
    if (proved.ok) return { ...proved.value, first, second }
    if (proved.error.reason !== 'out_of_range') throw new ApiError(proved.error.reason)
    throw new ApiError('invalid_request', { message: 'query: the log has no such sizes' })
  }),
  coreRoute(readAnchor, async ({ params, deps }) => {
    const anchor = await deps.anchors.find(params.id)
    if (anchor.ok) return anchor.value
    throw findError(anchor.error)
  }),
  coreRoute(readBundle, async ({ params, deps, now }) => {
    const bundle = await deps.anchors.bundle(params.id, now)
    if (bundle.ok) return bundle.value
    throw findError(bundle.error)
  }),
  coreRoute(readPublications, async ({ params, deps }) => {
    const found = await deps.anchors.publications(params.id)
    if (found.ok) return found.value
    throw findError(found.error)
  }),
  coreRoute(submitAnchor, async ({ caller, body, deps, now }) => {
    const submitted = await deps.anchors.submit(caller, body, now)
    if (submitted.ok) return submitted.value
    const { reason } = submitted.error
    if (reason === 'budget_exhausted') throw budgetError(submitted.error)
    if (reason === 'withheld') throw findError(submitted.error)
    throw reason === 'expired' ? new ApiError('statement_expired', { serverTime: now }) : new ApiError(reason)
  }),
  coreRoute(reportPublication, async ({ body, deps, now, requestId }) => {
    const taken = await deps.anchors.publish(body, requestId, now)
    if (taken.ok) return taken.value
    throw publicationError(taken.error, now)
  }),
]

export function findError(refusal: FindRefusal | LogRefusal): ApiError {
  return new ApiError(refusal.reason, refusal.reason === 'withheld' ? { details: { ...refusal.notice } } : {})
}

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
