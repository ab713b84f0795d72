import { preparedHeaderSchema, prepareHeader, prepareHeaderRequestSchema } from '@svc/protocol/headers'
import {
  hasUnsupportedHash,
  verifyRequestSchema,
  verifyResultSchema,
  verifySignature,
} from '@svc/protocol/verification'
import { ApiError, defineOperation } from '@svc/service'
import { coreRoute } from '../route.ts'

export const verifyPqc = defineOperation({
  id: 'verifyPqc',
  method: 'post',
  path: '/api/pqc/verify',
  summary: 'Verify one ML-DSA-65 signature',
  description:
    'Exactly one of `messageB64u` (pure ML-DSA, empty context) and `hashB64u` (HashML-DSA with SHA3-384, empty ' +
    'context, over a 48-byte digest). An omitted or unknown `alg`, or a value of a wrong decoded length, is not valid.',
  auth: 'none',
  limit: { counter: 'verifyPqc', limit: 30 },
  body: verifyRequestSchema,
  answer: { status: 200, description: 'Whether the signature is valid', schema: verifyResultSchema, bare: true },
  errors: ['unsupported_alg'],
})

export const prepareHeaders = defineOperation({
  id: 'prepareHeaders',
  method: 'post',
  path: '/api/headers/prepare',
  summary: 'Canonicalize a note header and digest it',
  auth: 'assertion',
  limit: { counter: 'prepareHeaders', limit: 60 },
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
