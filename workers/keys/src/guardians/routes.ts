import { hashSchema } from '@svc/protocol/base/hash'
import { guardianAttestSchema, guardianStatusSchema } from '@svc/protocol/keys/guardians'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { keysRoute } from '../service.ts'

export const attestAsGuardian = defineOperation({
  id: 'attestAsGuardian',
  method: 'post',
  path: '/api/guardian/attest',
  summary: 'Request guardian attestations, or attest as a guardian',
  description:
    '`request` opens a request and names guardians and threshold; it is idempotent. `attestation` is by a guardian, once. ' +
    'Both are signed by the caller’s root key. Bookkeeping: nothing on this platform acts on the result.',
  auth: 'assertion',
  audiences: ['keys'],
  capability: 'root',
  body: guardianAttestSchema,
  answer: { status: 200, description: 'The status of the request', schema: guardianStatusSchema },
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
  summary: 'Read a guardian request with everything that was signed',
  description: 'Anyone who knows the id can read it; the id is a hash over a nonce of the owner.',
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
