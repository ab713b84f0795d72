import { didSchema } from '@svc/protocol/identity'
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
  sealedSchema,
  sealRequestSchema,
} from '@svc/protocol/rendezvous'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import type { Flow } from '../rendezvous/offer-code.ts'
import type { GrantRefusal, JoinRefusal } from '../rendezvous/rendezvous-service.ts'
import { coreRoute } from '../route.ts'
import type { Services } from '../services.ts'

const params = z.strictObject({ code: codeSchema })
/** Document 1 section 8: every method of /api/pair/* shares twenty. */
const pairLimit = { counter: 'pair', limit: 20 } as const
const offered = { status: 200, description: 'The offer; its token is shown once', schema: offerSchema } as const
const state = { status: 200, description: 'The offer', schema: offerStateSchema } as const
const cancelled = { status: 200, description: 'Cancelled', schema: cancelledSchema } as const
const joined = { status: 200, description: 'Joined', schema: joinedSchema } as const
const delivered = { status: 200, description: 'Waiting for the joining device', schema: deliveredSchema } as const

export const openPairing = defineOperation({
  id: 'openPairing',
  method: 'post',
  path: '/api/pair/offer',
  summary: 'Offer to take in another device',
  description:
    'Takes no body. The code and the token go to the other device by sight; the offer ends after ten minutes.',
  auth: 'assertion',
  limit: pairLimit,
  answer: offered,
})

export const readPairing = defineOperation({
  id: 'readPairing',
  method: 'get',
  path: '/api/pair/offer/{code}',
  summary: 'The caller’s own offer, and the device that has joined it',
  auth: 'assertion',
  limit: pairLimit,
  params,
  answer: state,
  errors: ['not_found'],
})

export const cancelPairing = defineOperation({
  id: 'cancelPairing',
  method: 'delete',
  path: '/api/pair/offer/{code}',
  summary: 'End an offer, by either side',
  auth: 'assertion-or-token',
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
  summary: 'Bind the joining device’s keys to an offer',
  description:
    'One device joins. The same request again, signed anew or not, gives the same answer. Five wrong tokens end the offer. Both people ' +
    'compare the confirmation code, which is derived from the keys and never sent.',
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
  summary: 'Leave something sealed for the device that joined',
  auth: 'assertion',
  limit: pairLimit,
  body: sealRequestSchema,
  answer: delivered,
  errors: ['not_found', 'offer_state'],
})

export const takeSealed = defineOperation({
  id: 'takeSealed',
  method: 'get',
  path: '/api/pair/seal/{code}',
  summary: 'Take the sealed result; once',
  refusesHead: true,
  auth: 'token',
  tokenHeader: 'X-Pairing-Token',
  limit: pairLimit,
  params,
  answer: { status: 200, description: 'The sealed result, which is gone from the service', schema: sealedSchema },
  errors: ['not_found', 'offer_state', 'dependency_unavailable'],
})

export const openAuthorization = defineOperation({
  id: 'openAuthorization',
  method: 'post',
  path: '/api/authorize/offer',
  summary: 'Offer to authorize another device',
  description: 'Takes no body. By the root key alone.',
  auth: 'assertion',
  answer: offered,
})

export const readAuthorization = defineOperation({
  id: 'readAuthorization',
  method: 'get',
  path: '/api/authorize/offer/{code}',
  summary: 'The request of the device that has joined',
  auth: 'assertion',
  params,
  answer: state,
  errors: ['not_found'],
})

export const cancelAuthorization = defineOperation({
  id: 'cancelAuthorization',
  method: 'delete',
  path: '/api/authorize/offer/{code}',
  summary: 'End an offer, by either side',
  auth: 'assertion-or-token',
  tokenHeader: 'X-Offer-Token',
  params,
  answer: cancelled,
  errors: ['not_found', 'dependency_unavailable', 'device_keys_disabled'],
})

export const joinAuthorization = defineOperation({
  id: 'joinAuthorization',
  method: 'post',
  path: '/api/authorize/offer/{code}/join',
  summary: 'Bind a device’s authorization request to an offer',
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
  summary: 'Grant a joined device its attestation and a key wrapped for it',
  description:
    'The attestation must be in force in the caller’s inception log, for the device that joined. Nothing else fits into ' +
    'a grant: no session of the root passes here.',
  auth: 'assertion',
  body: grantRequestSchema,
  answer: delivered,
  errors: ['not_found', 'offer_state', 'attestation_unverifiable', 'device_index_unavailable'],
})

export const takeGrant = defineOperation({
  id: 'takeGrant',
  method: 'get',
  path: '/api/authorize/grant/{code}',
  summary: 'Take the grant; once',
  refusesHead: true,
  auth: 'token',
  tokenHeader: 'X-Offer-Token',
  params,
  answer: { status: 200, description: 'The grant, which is gone from the service', schema: deviceGrantSchema },
  errors: ['not_found', 'offer_state', 'dependency_unavailable', 'device_keys_disabled'],
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
  coreRoute(openAuthorization, ({ caller, deps, now }) => {
    requireDevices(deps)
    return open('authorization', caller.did, deps, now)
  }),
  coreRoute(readAuthorization, async ({ caller, params: { code }, deps }) => {
    requireDevices(deps)
    return unwrap(await deps.rendezvous.state('authorization', code, caller.did))
  }),
  coreRoute(cancelAuthorization, ({ caller, token, params: { code }, deps }) => {
    requireDevices(deps)
    return cancel('authorization', code, caller, token, deps)
  }),
  coreRoute(joinAuthorization, ({ token, params: { code }, body, deps }) => {
    requireDevices(deps)
    return join('authorization', code, token, body, deps)
  }),
  coreRoute(grantAuthorization, async ({ caller, body: { code, grant }, deps, now }) => {
    requireDevices(deps)
    const { expiresAt } = unwrap(await deps.rendezvous.grant(code, caller.did, grant, now))
    return { code, status: 'delivered' as const, expiresAt }
  }),
  coreRoute(takeGrant, async ({ token, params: { code }, deps }) => {
    requireDevices(deps)
    return deviceGrantSchema.parse(JSON.parse(unwrap(await deps.rendezvous.consume('authorization', code, token))))
  }),
]

/** Document 1 section 4.9: with device verification disabled the whole relay refuses. */
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
  return { did: didSchema.parse(did), status: 'joined', expiresAt, rootPublicKeyB64u }
}

/** The value, or the refusal as it is told. */
function unwrap<T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: JoinRefusal | GrantRefusal },
): T {
  if (result.ok) return result.value
  const { error } = result
  throw error.reason === 'offer_state'
    ? new ApiError('offer_state', { details: { status: error.status } })
    : new ApiError(error.reason)
}
