import { joinRequestSchema, openOfferSchema, sealedSchema, sealRequestSchema } from '@svc/protocol/devices/rendezvous'
import { defineOperation } from '@svc/service'
import { coreRoute } from '../service.ts'
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

/** Everything under /api/pair/ shares a limit of twenty. */
const pairLimit = { counter: 'pair', limit: 20, protects: 'work', under: '/api/pair/' } as const

export const openPairing = defineOperation({
  id: 'openPairing',
  method: 'post',
  path: '/api/pair/offer',
  summary: 'Open an offer to pair a device',
  description:
    'Send the hash of the token that both devices derive from the secret of the invitation, and the proof of who offers. ' +
    'Without a body the service issues a token itself, and the device that joins cannot tell who offers. The offer ' +
    'expires after ten minutes.',
  auth: 'assertion',
  audiences: ['core'],
  capability: 'root',
  limit: pairLimit,
  body: openOfferSchema,
  isBodyOptional: true,
  answer: offered,
})

export const readPairing = defineOperation({
  id: 'readPairing',
  method: 'get',
  path: '/api/pair/offer/{code}',
  summary: 'Read the caller’s own offer and the device that joined it',
  description:
    'Ask every `pollIntervalMs` until `request` is present: it has the keys of the device that joined. Verify its ' +
    'acceptance and compare the confirmation code before you deliver anything. An offer that expired or ended, or ' +
    'another identity’s, is 404.',
  auth: 'assertion',
  audiences: ['core'],
  capability: 'root',
  limit: pairLimit,
  params,
  answer: state,
  errors: ['not_found'],
})

export const cancelPairing = defineOperation({
  id: 'cancelPairing',
  method: 'delete',
  path: '/api/pair/offer/{code}',
  summary: 'End an offer, from either side',
  description:
    'Send an assertion of the root key, or the token of the other device; if both are sent, the assertion counts. ' +
    'Ending an offer revokes nothing: a device that is attested already stays so until you revoke it.',
  auth: 'assertion-or-token',
  audiences: ['core'],
  capability: 'root',
  tokenHeader: 'X-Pairing-Token',
  limit: pairLimit,
  params,
  answer: cancelled,
  errors: ['not_found', 'dependency_unavailable'],
})

export const lookAtPairing = defineOperation({
  id: 'lookAtPairing',
  method: 'get',
  path: '/api/pair/offer/{code}/join',
  summary: 'See who offers, before joining',
  description:
    'For the device that has the invitation. It accepts nothing before `proofB64u` verifies for this DID and this root ' +
    'key, under the key that it derives from the secret of the invitation.',
  consumes: null,
  auth: 'token',
  tokenHeader: 'X-Pairing-Token',
  limit: pairLimit,
  params,
  answer: offerer,
  errors: ['not_found', 'dependency_unavailable'],
})

export const joinPairing = defineOperation({
  id: 'joinPairing',
  method: 'post',
  path: '/api/pair/offer/{code}/join',
  summary: 'Join an offer with a device’s keys',
  description:
    'One device can join. Idempotent, even if signed again. Five wrong tokens end the offer. Both people compare the ' +
    'confirmation code, which is derived from the keys and never sent.',
  auth: 'token',
  tokenHeader: 'X-Pairing-Token',
  limit: pairLimit,
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
  ],
})

export const sealPairing = defineOperation({
  id: 'sealPairing',
  method: 'post',
  path: '/api/pair/seal',
  summary: 'Deliver an encrypted envelope to the device that joined',
  description:
    'After the confirmation codes were compared and the device was attested. The envelope is opaque to core, its ' +
    'ciphertext at most 57,344 bytes. Delivers once: 409 `offer_state` if no device has joined yet or the envelope ' +
    'is there already.',
  auth: 'assertion',
  audiences: ['core'],
  capability: 'root',
  limit: pairLimit,
  body: sealRequestSchema,
  answer: delivered,
  errors: ['not_found', 'offer_state'],
})

export const takeSealed = defineOperation({
  id: 'takeSealed',
  method: 'get',
  path: '/api/pair/seal/{code}',
  summary: 'Collect the encrypted envelope, once',
  description:
    '409 `offer_state` until it is delivered: ask again after `details.pollIntervalMs`. One caller gets it, and the offer is ' +
    'deleted; if the answer is lost, open another offer. Trust the contents only if the delivery in it is signed by ' +
    'the root key. HEAD is 405, because it would consume the envelope.',
  consumes: 'the envelope',
  auth: 'token',
  tokenHeader: 'X-Pairing-Token',
  limit: pairLimit,
  params,
  answer: { status: 200, description: 'The encrypted envelope, deleted from the service', schema: sealedSchema },
  errors: ['not_found', 'offer_state', 'dependency_unavailable'],
})

export const pairingRoutes = [
  coreRoute(openPairing, ({ caller, body, deps, now }) => openOffer('pairing', caller.did, body, deps, now)),
  coreRoute(readPairing, async ({ caller, params: { code }, deps }) =>
    unwrap(await deps.rendezvous.state('pairing', code, caller.did)),
  ),
  coreRoute(cancelPairing, ({ caller, token, params: { code }, deps }) =>
    cancelOffer('pairing', code, caller, token, deps),
  ),
  coreRoute(lookAtPairing, ({ token, params: { code }, deps }) => lookAtOffer('pairing', code, token, deps)),
  coreRoute(joinPairing, ({ token, params: { code }, body, deps }) => joinOffer('pairing', code, token, body, deps)),
  coreRoute(sealPairing, async ({ caller, body: { code, sealed }, deps }) => {
    const { expiresAt } = unwrap(await deps.rendezvous.seal(code, caller.did, sealed))
    return { code, status: 'delivered' as const, expiresAt }
  }),
  coreRoute(takeSealed, async ({ token, params: { code }, deps }) =>
    sealedSchema.parse(JSON.parse(unwrap(await deps.rendezvous.consume('pairing', code, token)))),
  ),
]
