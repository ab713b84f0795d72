import { preparedHeaderSchema, prepareHeader, prepareHeaderRequestSchema } from '@svc/protocol/notes/headers'
import {
  hasUnsupportedHash,
  verifyRequestSchema,
  verifyResultSchema,
  verifySignature,
} from '@svc/protocol/provenance/verification'
import { ApiError, defineOperation } from '@svc/service'
import { coreRoute } from '../service.ts'

export const verifyPqc = defineOperation({
  id: 'verifyPqc',
  method: 'post',
  path: '/api/pqc/verify',
  summary: 'Verify one ML-DSA-65 signature',
  description:
    'Exactly one of `messageB64u` (pure ML-DSA, empty context) and `hashB64u` (HashML-DSA with SHA3-384, empty ' +
    'context, over a 48-byte digest). An omitted or unknown `alg`, or a value of a wrong decoded length, is not valid.',
  auth: 'none',
  limit: { counter: 'verifyPqc', limit: 30, protects: 'work' },
  body: verifyRequestSchema,
  answer: { status: 200, description: 'Whether the signature is valid', schema: verifyResultSchema, bare: true },
  errors: ['unsupported_alg'],
})

export const prepareHeaders = defineOperation({
  id: 'prepareHeaders',
  method: 'post',
  path: '/api/headers/prepare',
  summary: 'Canonicalize a note header and compute its digest',
  description:
    'Use it to check your own implementation: `aadB64u` is SHA3-384 over the JCS bytes of `header`, which the SDK ' +
    'computes itself. `header.userId` must be the caller’s. Nothing is stored.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'headers:prepare',
  limit: { counter: 'prepareHeaders', limit: 60, protects: 'work' },
  body: prepareHeaderRequestSchema,
  answer: { status: 200, description: 'The header and its digest', schema: preparedHeaderSchema },
  errors: ['owner_mismatch'],
})

export const verificationRoutes = [
  coreRoute(verifyPqc, async ({ body }) => {
    if (hasUnsupportedHash(body)) throw new ApiError('unsupported_alg')
    return { valid: await verifySignature(body) }
  }),
  coreRoute(prepareHeaders, ({ body, caller }) => {
    if (body.header.userId !== caller.userId) throw new ApiError('owner_mismatch')
    return prepareHeader(body.header)
  }),
]
