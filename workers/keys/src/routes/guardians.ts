import { guardianAttestSchema, guardianStatusSchema } from '@svc/protocol/guardians'
import { hashSchema } from '@svc/protocol/hash'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { keysRoute } from '../route.ts'

export const attestAsGuardian = defineOperation({
  id: 'attestAsGuardian',
  method: 'post',
  path: '/api/guardian/attest',
  summary: 'Ask guardians to attest a subject, or attest one',
  description:
    '`request` opens one and names guardians and threshold; the same request again is the same answer. `attestation` is ' +
    'by one of them, once. Both are signed by the caller’s root key.',
  auth: 'assertion',
  body: guardianAttestSchema,
  answer: { status: 200, description: 'How the request stands', schema: guardianStatusSchema },
  errors: [
    'owner_mismatch',
    'duplicate_signer',
    'guardian_self',
    'threshold_out_of_range',
    'statement_expired',
    'invalid_signature',
    'not_found',
    'unknown_signer',
    'attestation_mismatch',
    'guardian_closed',
    'guardian_limit',
    'guardian_attested',
    'dependency_unavailable',
  ],
})

export const readGuardianStatus = defineOperation({
  id: 'readGuardianStatus',
  method: 'get',
  path: '/api/guardian/status/{id}',
  summary: 'How a request to guardians stands, with everything that was signed',
  description: 'Whoever knows the id may read it: it hashes a nonce that the owner has chosen.',
  auth: 'none',
  params: z.strictObject({ id: hashSchema }),
  answer: { status: 200, description: 'The request', schema: guardianStatusSchema },
  errors: ['not_found', 'dependency_unavailable'],
})

export const guardianRoutes = [
  keysRoute(attestAsGuardian, async ({ caller, body, deps, now }) => {
    const told =
      'request' in body
        ? await deps.guardians.open(caller, body.request, now)
        : await deps.guardians.attest(caller, body.attestation, now)
    if (told.ok) return told.value
    const { reason } = told.error
    throw reason === 'statement_expired' ? new ApiError(reason, { serverTime: now }) : new ApiError(reason)
  }),
  keysRoute(readGuardianStatus, async ({ params: { id }, deps, now }) => {
    const status = await deps.guardians.status(id, now)
    if (!status) throw new ApiError('not_found')
    return status
  }),
]
