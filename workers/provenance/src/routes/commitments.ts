import {
  commitmentIdSchema,
  commitmentSchema,
  createCommitmentSchema,
  createdCommitmentSchema,
} from '@svc/protocol/commitments'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { projected } from '../commitments/commitments.ts'
import { provenanceRoute } from '../route.ts'

export const createCommitment = defineOperation({
  id: 'createCommitment',
  method: 'post',
  path: '/api/commitment',
  summary: 'Keep a salted hash under the caller’s DID',
  description: 'The same hash by the same identity is the same commitment, with its first time.',
  auth: 'assertion',
  body: createCommitmentSchema,
  answer: { status: 200, description: 'Made, now or before', schema: createdCommitmentSchema },
  errors: ['commitment_limit'],
})

export const readCommitment = defineOperation({
  id: 'readCommitment',
  method: 'get',
  path: '/api/commitment/{id}',
  summary: 'A commitment and how it is verified',
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
