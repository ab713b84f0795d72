import {
  deviceGrantSchema,
  grantRequestSchema,
  joinRequestSchema,
  openOfferSchema,
} from '@svc/protocol/devices/rendezvous'
import { ApiError, defineOperation, gated } from '@svc/service'
import { coreRoute } from '../service.ts'
import type { Services } from '../services.ts'
import {
  cancelled,
  cancelOffer,
  delivered,
  joined,
  joinOffer,
  lookAtOffer,
  offered,
  offerer,
  openOffer,
  params,
  state,
  unwrap,
} from './offers.ts'

export const openAuthorization = defineOperation({
  id: 'openAuthorization',
  method: 'post',
  path: '/api/authorize/offer',
  summary: 'Open an offer to authorize a device',
  description: 'Root key only. The body is that of a pairing offer.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'root',
  body: openOfferSchema,
  isBodyOptional: true,
  answer: offered,
})

export const readAuthorization = defineOperation({
  id: 'readAuthorization',
  method: 'get',
  path: '/api/authorize/offer/{code}',
  summary: 'Read the request of the device that joined',
  description:
    'Ask every `pollIntervalMs` until `request` is present. Verify the acceptance in it and compare the confirmation ' +
    'code before you attest the device. An offer that expired or ended, or another identity’s, is 404.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'root',
  params,
  answer: state,
  errors: ['not_found', 'rate_limited'],
})

export const cancelAuthorization = defineOperation({
  id: 'cancelAuthorization',
  method: 'delete',
  path: '/api/authorize/offer/{code}',
  summary: 'End an offer, from either side',
  description:
    'Send an assertion of the root key, or the token of the other device; if both are sent, the assertion counts. ' +
    'Ending an offer revokes nothing: a device that is attested already stays so until you revoke it.',
  auth: 'assertion-or-token',
  audiences: ['chain'],
  capability: 'root',
  tokenHeader: 'X-Offer-Token',
  params,
  answer: cancelled,
  errors: ['not_found', 'dependency_unavailable', 'device_keys_disabled'],
})

export const lookAtAuthorization = defineOperation({
  id: 'lookAtAuthorization',
  method: 'get',
  path: '/api/authorize/offer/{code}/join',
  summary: 'See who offers, before joining',
  description:
    'For the device that has the invitation. It accepts nothing before `proofB64u` verifies for this DID and this root ' +
    'key, under the key that it derives from the secret of the invitation.',
  consumes: null,
  auth: 'token',
  tokenHeader: 'X-Offer-Token',
  params,
  answer: offerer,
  errors: ['not_found', 'dependency_unavailable', 'device_keys_disabled', 'rate_limited'],
})

export const joinAuthorization = defineOperation({
  id: 'joinAuthorization',
  method: 'post',
  path: '/api/authorize/offer/{code}/join',
  summary: 'Join an offer with a device’s authorization request',
  description:
    'One device can join. Idempotent, even if signed again. Five wrong tokens end the offer. Check ' +
    '`rootPublicKeyB64u` against the DID that the device was shown, and compare the confirmation code, which is ' +
    'derived from the keys and never sent.',
  auth: 'token',
  tokenHeader: 'X-Offer-Token',
  params,
  body: joinRequestSchema,
  answer: joined,
  errors: [
    'not_found',
    'owner_mismatch',
    'invalid_signature',
    'device_mismatch',
    'offer_state',
    'dependency_unavailable',
    'device_keys_disabled',
  ],
})

export const grantAuthorization = defineOperation({
  id: 'grantAuthorization',
  method: 'post',
  path: '/api/authorize/grant',
  summary: 'Deliver to a joined device its attestation and a wrapped key',
  description:
    'The attestation must be in force in the caller’s inception log, for the device that joined. A grant has room for ' +
    'nothing else, so it cannot carry a session of the root key.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'root',
  body: grantRequestSchema,
  answer: delivered,
  errors: ['not_found', 'offer_state', 'attestation_unverifiable', 'device_index_unavailable'],
})

export const takeGrant = defineOperation({
  id: 'takeGrant',
  method: 'get',
  path: '/api/authorize/grant/{code}',
  summary: 'Collect the grant, once',
  description:
    '409 `offer_state` until it is delivered: ask again after `details.pollIntervalMs`. One caller gets it, and the offer is ' +
    'deleted; if the answer is lost, open another offer. Use the attestation inside `wrappedKey` once its delivery ' +
    'is verified. HEAD is 405, because it would consume the grant.',
  consumes: 'the grant',
  auth: 'token',
  tokenHeader: 'X-Offer-Token',
  params,
  answer: { status: 200, description: 'The grant, deleted from the service', schema: deviceGrantSchema },
  errors: ['not_found', 'offer_state', 'dependency_unavailable', 'device_keys_disabled', 'rate_limited'],
})

export const authorizationRoutes = gated(requireDevices, [
  coreRoute(openAuthorization, ({ caller, body, deps, now }) =>
    openOffer('authorization', caller.did, body, deps, now),
  ),
  coreRoute(readAuthorization, async ({ caller, params: { code }, deps }) =>
    unwrap(await deps.rendezvous.state('authorization', code, caller.did)),
  ),
  coreRoute(cancelAuthorization, ({ caller, token, params: { code }, deps }) =>
    cancelOffer('authorization', code, caller, token, deps),
  ),
  coreRoute(lookAtAuthorization, ({ token, params: { code }, deps }) =>
    lookAtOffer('authorization', code, token, deps),
  ),
  coreRoute(joinAuthorization, ({ token, params: { code }, body, deps }) =>
    joinOffer('authorization', code, token, body, deps),
  ),
  coreRoute(grantAuthorization, async ({ caller, body: { code, grant }, deps, now }) => {
    const { expiresAt } = unwrap(await deps.rendezvous.grant(code, caller.did, grant, now))
    return { code, status: 'delivered' as const, expiresAt }
  }),
  coreRoute(takeGrant, async ({ token, params: { code }, deps }) =>
    deviceGrantSchema.parse(JSON.parse(unwrap(await deps.rendezvous.consume('authorization', code, token)))),
  ),
])

/** With device keys off, the whole relay refuses. */
function requireDevices({ config }: Services): void {
  if (config.DEVICE_KEYS !== 'on') throw new ApiError('device_keys_disabled')
}
