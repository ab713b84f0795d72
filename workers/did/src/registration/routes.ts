import { registerRequestSchema, registrationSchema } from '@svc/protocol/did/registration'
import { ApiError, defineOperation } from '@svc/service'
import { didRoute } from '../service.ts'
import type { RegisterRefusal } from './service.ts'

export const registerDid = defineOperation({
  id: 'registerDid',
  method: 'post',
  path: '/1.0/register',
  summary: 'Register the caller’s DID for resolution, or update its services and key agreement',
  description:
    'The identity must exist at core. `services` replaces the registered ones; if absent, they stay unchanged. ' +
    'Checks in order: Origin, credential, audience, nonce (16 to 64 characters of A-Z a-z 0-9 . _ ~ -), times, signature.',
  auth: 'assertion',
  audiences: ['identity'],
  capability: 'root',
  body: registerRequestSchema,
  answer: { status: 200, description: 'Registered', schema: registrationSchema },
  errors: [
    'owner_mismatch',
    'invalid_signature',
    'key_agreement_stale',
    'key_agreement_limit',
    'statement_expired',
    'dependency_unavailable',
  ],
})

export const registrationRoutes = [
  didRoute(registerDid, async ({ caller, body, deps, now }) => {
    const registered = await deps.registrations.register(caller, body)
    if (registered.ok) return registered.value
    throw registerError(registered.error, now)
  }),
]

function registerError({ reason }: RegisterRefusal, now: number): ApiError {
  switch (reason) {
    case 'owner_mismatch':
    case 'invalid_signature':
    case 'key_agreement_stale':
    case 'key_agreement_limit':
      return new ApiError(reason)
    case 'statement_expired':
      return new ApiError(reason, { serverTime: now })
    case 'unavailable':
      return new ApiError('dependency_unavailable', { reason: 'core' })
  }
}
