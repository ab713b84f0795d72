import {
  auditPageSchema,
  DEFAULT_PAGE_AUDIT,
  MAX_PAGE_AUDIT,
  policyRecordSchema,
  publishPolicySchema,
} from '@svc/protocol/ledger/governance'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { coreRoute } from '../service.ts'

const record = { status: 200, description: 'The policy', schema: policyRecordSchema } as const

export const readPolicy = defineOperation({
  id: 'readPolicy',
  method: 'get',
  path: '/api/governance/policy',
  summary: 'Read the current governance policy',
  description:
    'For signers, who name its `policyId` as `previousPolicyId` of the next one, and for everyone who checks ' +
    'attestations: `threshold` distinct `signers` must have signed. 404 before the operator has set the first ' +
    'policy.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'any',
  answer: record,
  errors: ['not_found'],
})

export const publishPolicy = defineOperation({
  id: 'publishPolicy',
  method: 'post',
  path: '/api/governance/policy',
  summary: 'Publish the next governance policy',
  description:
    'Any caller may send it; enough distinct signers of the current policy to reach its threshold sign the statement ' +
    '`svc/governance-policy/v1` over `policy`, `previousPolicyId` and `nonce`. It takes effect only after the policy ' +
    'that it names. Idempotent: returns the record.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'any',
  limit: { counter: 'publishPolicy', limit: 20, protects: 'storage' },
  body: publishPolicySchema,
  answer: record,
  errors: [
    'duplicate_signer',
    'threshold_out_of_range',
    'unknown_signer',
    'threshold_not_met',
    'invalid_signature',
    'no_policy',
    'stale_policy',
  ],
})

export const readAudit = defineOperation({
  id: 'readAudit',
  method: 'get',
  path: '/api/governance/audit',
  summary: 'List which policies came into force, when, and who signed them',
  description:
    'Each entry names the policy before it, so the list can be checked for gaps. `limit` is 50 by default and ' +
    'clamped to 1-200; pass `cursor` on until it is null.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'any',
  query: z.strictObject({
    limit: z
      .string()
      .regex(/^-?[0-9]{1,15}$/, 'must be an integer')
      .transform(Number)
      .optional()
      .meta({ description: `${DEFAULT_PAGE_AUDIT}, clamped to 1-${MAX_PAGE_AUDIT}` }),
    cursor: z
      .string()
      .regex(/^[0-9]{1,15}$/, 'must be a cursor')
      .transform(Number)
      .optional(),
  }),
  answer: { status: 200, description: 'One page, oldest first', schema: auditPageSchema },
})

export const governanceRoutes = [
  coreRoute(readPolicy, async ({ deps }) => {
    const policy = await deps.governance.current()
    if (!policy) throw new ApiError('not_found')
    return policy
  }),
  coreRoute(publishPolicy, async ({ caller, body: { attestations, ...proposal }, deps, now }) => {
    const published = await deps.governance.publish(proposal, attestations, caller.did, now)
    if (published.ok) return published.value
    throw new ApiError(published.error.reason)
  }),
  coreRoute(readAudit, async ({ query, deps }) => {
    const limit = Math.min(Math.max(query.limit ?? DEFAULT_PAGE_AUDIT, 1), MAX_PAGE_AUDIT)
    const found = await deps.governance.audit(query.cursor ?? 1, limit)
    const next = found[limit]
    const items = found.slice(0, limit)
    return { items, count: items.length, cursor: next ? String(next.position) : null }
  }),
]
