/** What pairing and authorization have in common: how an offer is opened, joined and ended, and what is answered. */
import { didSchema } from '@svc/protocol/base/identity'
import {
  cancelledSchema,
  codeSchema,
  deliveredSchema,
  joinedSchema,
  type joinRequestSchema,
  type OpenOffer,
  offererSchema,
  offerSchema,
  offerStateSchema,
  POLL_INTERVAL_MS,
} from '@svc/protocol/devices/rendezvous'
import { ApiError } from '@svc/service'
import * as z from 'zod'
import type { Services } from '../services.ts'
import type { Flow } from './offer-code.ts'
import type { GrantRefusal, JoinRefusal } from './service.ts'

export const params = z.strictObject({ code: codeSchema })
export const offered = {
  status: 200,
  description: 'The offer; a token that the service issued is returned only here',
  schema: offerSchema,
} as const
export const offerer = { status: 200, description: 'Who offers', schema: offererSchema } as const
export const state = { status: 200, description: 'The offer', schema: offerStateSchema } as const
export const cancelled = { status: 200, description: 'Cancelled', schema: cancelledSchema } as const
export const joined = { status: 200, description: 'Joined', schema: joinedSchema } as const
export const delivered = {
  status: 200,
  description: 'Waiting for the joining device',
  schema: deliveredSchema,
} as const

export async function openOffer(
  flow: Flow,
  did: string,
  asked: OpenOffer | undefined,
  { rendezvous }: Services,
  now: number,
): Promise<z.input<typeof offerSchema>> {
  const offer = await rendezvous.offer(flow, did, asked, now)
  if (!offer) throw new ApiError('dependency_unavailable', { reason: 'offer codes' })
  return offer
}

export async function cancelOffer(
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

export async function lookAtOffer(
  flow: Flow,
  code: string,
  token: string,
  { rendezvous }: Services,
): Promise<z.input<typeof offererSchema>> {
  const { did, ...rest } = unwrap(await rendezvous.offerer(flow, code, token))
  return { did: didSchema.parse(did), ...rest }
}

export async function joinOffer(
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
export function unwrap<T>(
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
