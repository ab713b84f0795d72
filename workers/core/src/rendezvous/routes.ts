import { didSchema } from '@svc/protocol/base/identity'
import {
  cancelledSchema,
  codeSchema,
  deliveredSchema,
  deviceGrantSchema,
  grantRequestSchema,
  joinedSchema,
  joinRequestSchema,
  offerSchema,
  offerStateSchema,
  POLL_INTERVAL_MS,
  sealedSchema,
  sealRequestSchema,
} from '@svc/protocol/devices/rendezvous'
import { ApiError, defineOperation, gated } from '@svc/service'
import * as z from 'zod'
import { coreRoute } from '../service.ts'
import type { Services } from '../services.ts'
import type { Flow } from './offer-code.ts'
import type { GrantRefusal, JoinRefusal } from './service.ts'

const params = z.strictObject({ code: codeSchema })
/** Everything under /api/pair/ shares a limit of twenty. */
const pairLimit = { counter: 'pair', limit: 20, protects: 'work', under: '/api/pair/' } as const
const offered = { status: 200, description: 'The offer; its token is returned only here', schema: offerSchema } as const
const state = { status: 200, description: 'The offer', schema: offerStateSchema } as const
const cancelled = { status: 200, description: 'Cancelled', schema: cancelledSchema } as const
const joined = { status: 200, description: 'Joined', schema: joinedSchema } as const
const delivered = { status: 200, description: 'Waiting for the joining device', schema: deliveredSchema } as const

export const openPairing = defineOperation({
  id: 'openPairing',
  method: 'post',
  path: '/api/pair/offer',
  summary: 'Open an offer to pair a device',
  description: 'Takes no body. Show the code and the token to the other device; the offer expires after ten minutes.',
  auth: 'assertion',
  audiences: ['core'],
  capability: 'root',
  limit: pairLimit,
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
    'ciphertext at most 49,152 bytes. Delivers once: 409 `offer_state` if no device has joined yet or the envelope ' +
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

export const openAuthorization = defineOperation({
  id: 'openAuthorization',
  method: 'post',
  path: '/api/authorize/offer',
  summary: 'Open an offer to authorize a device',
  description: 'Takes no body. Root key only.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'root',
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

export const rendezvousRoutes = [
  coreRoute(openPairing, ({ caller, deps, now }) => open('pairing', caller.did, deps, now)),
  coreRoute(readPairing, async ({ caller, params: { code }, deps }) =>
    unwrap(await deps.rendezvous.state('pairing', code, caller.did)),
  ),
  coreRoute(cancelPairing, ({ caller, token, params: { code }, deps }) => cancel('pairing', code, caller, token, deps)),
  coreRoute(joinPairing, ({ token, params: { code }, body, deps }) => join('pairing', code, token, body, deps)),
  coreRoute(sealPairing, async ({ caller, body: { code, sealed }, deps }) => {
    const { expiresAt } = unwrap(await deps.rendezvous.seal(code, caller.did, sealed))
    return { code, status: 'delivered' as const, expiresAt }
  }),
  coreRoute(takeSealed, async ({ token, params: { code }, deps }) =>
    sealedSchema.parse(JSON.parse(unwrap(await deps.rendezvous.consume('pairing', code, token)))),
  ),
  ...gated(requireDevices, [
    coreRoute(openAuthorization, ({ caller, deps, now }) => open('authorization', caller.did, deps, now)),
    coreRoute(readAuthorization, async ({ caller, params: { code }, deps }) =>
      unwrap(await deps.rendezvous.state('authorization', code, caller.did)),
    ),
    coreRoute(cancelAuthorization, ({ caller, token, params: { code }, deps }) =>
      cancel('authorization', code, caller, token, deps),
    ),
    coreRoute(joinAuthorization, ({ token, params: { code }, body, deps }) =>
      join('authorization', code, token, body, deps),
    ),
    coreRoute(grantAuthorization, async ({ caller, body: { code, grant }, deps, now }) => {
      const { expiresAt } = unwrap(await deps.rendezvous.grant(code, caller.did, grant, now))
      return { code, status: 'delivered' as const, expiresAt }
    }),
    coreRoute(takeGrant, async ({ token, params: { code }, deps }) =>
      deviceGrantSchema.parse(JSON.parse(unwrap(await deps.rendezvous.consume('authorization', code, token)))),
    ),
  ]),
]

/** With device keys off, the whole relay refuses. */
function requireDevices({ config }: Services): void {
  if (config.DEVICE_KEYS !== 'on') throw new ApiError('device_keys_disabled')
}

async function open(
  flow: Flow,
  did: string,
  { rendezvous }: Services,
  now: number,
): Promise<z.input<typeof offerSchema>> {
  const offer = await rendezvous.offer(flow, did, now)
  if (!offer) throw new ApiError('dependency_unavailable', { reason: 'offer codes' })
  return offer
}

async function cancel(
  flow: Flow,
  code: string,
  caller: { readonly did: string } | null,
  token: string | null,
  { rendezvous }: Services,
): Promise<z.input<typeof cancelledSchema>> {
  const as = caller ? { did: caller.did } : { token: token ?? '' }
  unwrap(await rendezvous.cancel(flow, code, as))
  return { cancelled: true }
}

async function join(
  flow: Flow,
  code: string,
  token: string,
  request: z.output<typeof joinRequestSchema>,
  { rendezvous }: Services,
): Promise<z.input<typeof joinedSchema>> {
  const { did, expiresAt, rootPublicKeyB64u } = unwrap(await rendezvous.join(flow, code, token, request))
  const pollIntervalMs = POLL_INTERVAL_MS
  return { did: didSchema.parse(did), status: 'joined', expiresAt, rootPublicKeyB64u, pollIntervalMs }
}

/** Returns the value, or throws the public error. */
function unwrap<T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: JoinRefusal | GrantRefusal },
): T {
  if (result.ok) return result.value
  throw refusalOf(result.error)
}

function refusalOf(refusal: JoinRefusal | GrantRefusal): ApiError {
  switch (refusal.reason) {
    case 'rate_limited':
      return new ApiError('rate_limited', { retryAfterSeconds: refusal.retryAfterSeconds, reason: 'limit: offer' })
    case 'offer_state':
      return new ApiError('offer_state', { details: { status: refusal.status, pollIntervalMs: POLL_INTERVAL_MS } })
    case 'not_found':
    case 'token_rejected':
    case 'owner_mismatch':
    case 'invalid_signature':
    case 'device_mismatch':
    case 'attestation_unverifiable':
    case 'device_index_unavailable':
      return new ApiError(refusal.reason)
  }
}
