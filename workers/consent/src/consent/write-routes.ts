import { withdrawnClaimSchema } from '@svc/protocol/consent/claims'
import {
  consentRecordSchema,
  createConsentSchema,
  deleteConsentSchema,
  missOf,
  revokedConsentSchema,
  updateConsentSchema,
} from '@svc/protocol/consent/consent'
import type { ErrorName } from '@svc/protocol/http/errors'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { consentRoute } from '../service.ts'
import type { PublishingRefusal } from './publishing-service.ts'
import { hashParams, MISS } from './read-routes.ts'

const REFUSALS = [
  'non_native_consent_record',
  'consent_replay',
  'dependency_unavailable',
  'invalid_signature',
  'key_not_entitled',
] as const satisfies ErrorName[]
const record = { status: 200, description: 'The current record', schema: consentRecordSchema } as const

export const createConsent = defineOperation({
  id: 'createConsent',
  method: 'post',
  path: '/api/v1/consent',
  summary: 'Declare preferences for an identifier',
  description:
    '`X-Svc-Signature` is over the base64url text of the JCS of `{content_hash, preferences, creator_did}`, by the key in ' +
    'the body. Idempotent while the record is unchanged. If another creator holds the identifier, a signed declaration is ' +
    'kept as a competing claim: `details.claimed` of the 409 tells.',
  auth: 'signature',
  body: createConsentSchema,
  answer: record,
  errors: [...REFUSALS, 'consent_held', 'consent_exists', 'consent_limit', 'budget_exhausted'],
})

export const updateConsent = defineOperation({
  id: 'updateConsent',
  method: 'put',
  path: '/api/v1/consent/{hash}',
  summary: 'Change preferences of a record',
  description:
    'The signature is over `{content_hash, preferences, creator_did}` with `preferences` exactly as sent and the creator ' +
    'of the record; members that are not sent stay unchanged.',
  auth: 'signature',
  params: hashParams,
  body: updateConsentSchema,
  answer: record,
  otherAnswers: [MISS],
  errors: [...REFUSALS, 'consent_limit', 'budget_exhausted'],
  namesWhatIsMissing: true,
})

export const deleteConsent = defineOperation({
  id: 'deleteConsent',
  method: 'delete',
  path: '/api/v1/consent/{hash}',
  summary: 'Revoke a record',
  description:
    'The signature is over `{content_hash, action: "delete", creator_did}`. Reads then answer as if there had never been ' +
    'a record; the history stays, and the creator keeps the identifier. With `creator_did`, it withdraws the competing ' +
    'claim of that creator instead.',
  auth: 'signature',
  params: hashParams,
  body: deleteConsentSchema,
  answer: {
    status: 200,
    description: 'Revoked, or the claim withdrawn',
    schema: z.union([revokedConsentSchema, withdrawnClaimSchema]),
  },
  otherAnswers: [MISS],
  errors: REFUSALS,
  namesWhatIsMissing: true,
})

export const writingRoutes = [
  consentRoute(createConsent, async ({ body, signature, deps }) => {
    const { content_hash: hash, creator_did: creatorDid, public_key_b64u: publicKeyB64u, preferences } = body
    const request = {
      action: 'create',
      hash,
      creatorDid,
      preferences,
      publicKeyB64u,
      signatureB64u: signature,
    } as const
    const written = await deps.publishing.declare(request)
    if (written.ok) return written.value
    throw refusalOf(written.error)
  }),
  consentRoute(updateConsent, async ({ params: { hash }, body, signature, deps }) => {
    const { public_key_b64u: publicKeyB64u, preferences } = body
    const request = { action: 'update', hash, preferences, publicKeyB64u, signatureB64u: signature } as const
    const written = await deps.publishing.declare(request)
    if (written.ok) return written.value
    return missing(written.error, hash)
  }),
  consentRoute(deleteConsent, async ({ params: { hash }, body, signature, deps }) => {
    const publicKeyB64u = body.public_key_b64u
    const request = { action: 'delete', hash, preferences: null, publicKeyB64u, signatureB64u: signature } as const
    const { creator_did: creatorDid } = body
    const written =
      creatorDid === undefined
        ? await deps.publishing.revoke(request)
        : await deps.publishing.withdraw({ ...request, creatorDid })
    if (written.ok) return written.value
    return missing(written.error, hash)
  }),
]

/** If there is no record, the body has `found` false. */
function missing(refusal: PublishingRefusal, hash: string): Response {
  if (refusal.reason !== 'not_found') throw refusalOf(refusal)
  return Response.json(missOf(hash), { status: 404 })
}

function refusalOf(refusal: PublishingRefusal): ApiError {
  switch (refusal.reason) {
    case 'authority_unavailable':
      return new ApiError('dependency_unavailable', { reason: 'provenance' })
    case 'consent_held':
      return new ApiError(refusal.reason, { details: { creator_did: refusal.holder, claimed: refusal.isClaimed } })
    case 'budget_exhausted': {
      const { budget, used, limit, tier } = refusal
      return new ApiError(refusal.reason, { details: { budget, used, limit, tier } })
    }
    case 'not_found':
    case 'non_native_consent_record':
    case 'consent_exists':
    case 'consent_replay':
    case 'consent_limit':
    case 'invalid_signature':
    case 'key_not_entitled':
      return new ApiError(refusal.reason)
  }
}
