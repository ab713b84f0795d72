import {
  commitmentIdSchema,
  commitmentSchema,
  createCommitmentSchema,
  createdCommitmentSchema,
} from '@svc/protocol/provenance/commitments'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { provenanceRoute } from '../service.ts'
import { projected } from './rules.ts'

export const createCommitment = defineOperation({
  id: 'createCommitment',
  method: 'post',
  path: '/api/commitment',
  summary: 'Store a salted hash under the caller’s DID',
  description: 'Idempotent per identity: the same hash returns the existing commitment with its original time.',
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'provenance:write',
  body: createCommitmentSchema,
  answer: { status: 200, description: 'Created, now or earlier', schema: createdCommitmentSchema },
  errors: ['commitment_limit'],
})

export const readCommitment = defineOperation({
  id: 'readCommitment',
  method: 'get',
  path: '/api/commitment/{id}',
  summary: 'Read a commitment and how to verify it',
  description:
    'Everyone can read it. Verify it with salt and content by `verification.rule`; the service has neither. A ' +
    'historical record may not be verifiable: `verification.reason` says why. `created_at_ms` is when the service ' +
    'accepted it, in epoch ms.',
  auth: 'none',
  params: z.strictObject({ id: commitmentIdSchema }),
  answer: { status: 200, description: 'The commitment', schema: commitmentSchema },
  errors: ['not_found', 'dependency_unavailable'],
})

export const commitmentRoutes = [
  provenanceRoute(createCommitment, async ({ caller, body, deps, now }) => {
    const made = await deps.commitments.make(caller.did, body.commitment_hash, now)
    if (!made.ok) throw new ApiError(made.error.reason)
    return { ...projected(made.value.commitment), duplicate: made.value.duplicate }
  }),
  provenanceRoute(readCommitment, async ({ params, deps }) => {
    const found = await deps.commitments.find(params.id)
    if (!found) throw new ApiError('not_found')
    return projected(found)
  }),
]
