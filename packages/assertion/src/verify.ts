/**
 * Whether an assertion may be spent: everything that can be known from the request alone. Key lifecycle and the
 * nonce come after it, in the object that owns them, and only for an assertion that got through here.
 *
 * The order is the contract: well-formed, audience, nonce form, times, request binding, signature, body binding.
 * Nothing here touches storage.
 *
 * @module
 */
import { mlDsa65 } from '@svc/pqc'
import { decodeBase64url } from '@svc/protocol/base64url'
import { didOf, userIdOf } from '@svc/protocol/identity'
import { PUBLIC_KEY_BYTES } from '@svc/protocol/labels'
import { err, ok, type Result } from '@svc/protocol/result'
import { type AssertionPayload, MAX_LIFETIME_MS, parseCredential, payloadSchema } from './payload.ts'

/** What a verifier expects; everything in it is trusted configuration. */
export interface AssertionPolicy {
  readonly expectedAudiences: readonly string[]
  readonly skewMs: number
  readonly noncePattern: RegExp
  /** The deployment's own origins and aliases, for `htu`. */
  readonly expectedOrigins: readonly string[]
}

/** The request that the assertion came with. */
export interface AssertedRequest {
  readonly authorization: string | undefined
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
  /**
   * SHA3-384 hex of the body, computed only when the assertion binds it; null when the caller refuses the body itself
   * once the assertion is spent.
   */
  readonly bodyHash: () => Promise<string | null>
}

export type AssertionRefusal =
  | { readonly reason: 'missing' }
  | { readonly reason: 'malformed'; readonly detail: string }
  | { readonly reason: 'audience' }
  | { readonly reason: 'nonce_form' }
  | { readonly reason: 'device_keys_disabled' }
  | { readonly reason: 'expired' | 'not_yet_valid' | 'too_long' }
  | { readonly reason: 'binding'; readonly member: 'htm' | 'htu' | 'bodyHash' }
  | { readonly reason: 'signature' }

/** A good signature by a key whose standing is not known yet; the nonce is not spent yet. */
export interface VerifiedAssertion {
  readonly userId: string
  /** DID derived from the signing key; the object of this name knows the key or its scope. */
  readonly keyDid: string
  readonly publicKeyB64u: string
  readonly nonce: string
  /** The nonce must be remembered until this time: expiry plus skew, or the skew would be a replay window. */
  readonly keepUntil: number
}

/** 1 to 256 visible ASCII characters, where no route says otherwise. */
export const GENERAL_NONCE = /^[!-~]{1,256}$/

export async function verifyAssertion(
  request: AssertedRequest,
  policy: AssertionPolicy,
  now: number,
): Promise<Result<VerifiedAssertion, AssertionRefusal>> {
  if (request.authorization === undefined) return err({ reason: 'missing' })
  const credential = parseCredential(request.authorization)
  if (!credential) return err({ reason: 'malformed', detail: 'credential' })
  const { claimed, payloadBytes, signature } = credential
  if (!policy.expectedAudiences.some((audience) => audience === claimed['aud'])) return err({ reason: 'audience' })
  if (typeof claimed['nonce'] !== 'string' || !policy.noncePattern.test(claimed['nonce'])) {
    return err({ reason: 'nonce_form' })
  }
  if (claimed['version'] === 2) return err({ reason: 'device_keys_disabled' })
  const parsed = payloadSchema.safeParse(claimed)
  if (!parsed.success) return err({ reason: 'malformed', detail: parsed.error.issues[0]?.path.join('.') ?? 'payload' })
  const payload = parsed.data

  const timeFault = checkTimes(payload, policy.skewMs, now)
  if (timeFault) return err(timeFault)
  const unbound = checkRequestBinding(payload, request, policy.expectedOrigins)
  if (unbound) return err({ reason: 'binding', member: unbound })

  if (payload.chainId !== payload.publicChainKey) return err({ reason: 'malformed', detail: 'chainId' })
  const publicKey = decodeBase64url(payload.publicChainKey)
  if (publicKey?.length !== PUBLIC_KEY_BYTES) return err({ reason: 'malformed', detail: 'publicChainKey' })
  if (userIdOf(publicKey) !== payload.userId) return err({ reason: 'malformed', detail: 'userId' })
  if (!(await mlDsa65.verify(publicKey, payloadBytes, signature))) return err({ reason: 'signature' })

  if (payload.bodyHash !== undefined) {
    const hash = await request.bodyHash()
    if (hash !== null && hash !== payload.bodyHash) return err({ reason: 'binding', member: 'bodyHash' })
  }
  return ok({
    userId: payload.userId,
    keyDid: didOf(payload.userId),
    publicKeyB64u: payload.publicChainKey,
    nonce: payload.nonce,
    keepUntil: payload.expiresAt + policy.skewMs,
  })
}

function checkTimes({ issuedAt, expiresAt }: AssertionPayload, skewMs: number, now: number): AssertionRefusal | null {
  if (expiresAt <= issuedAt) return { reason: 'malformed', detail: 'expiresAt' }
  if (expiresAt - issuedAt > MAX_LIFETIME_MS) return { reason: 'too_long' }
  if (issuedAt > now + skewMs) return { reason: 'not_yet_valid' }
  if (expiresAt + skewMs <= now) return { reason: 'expired' }
  return null
}

/** `htm` and `htu` are optional, and each is enforced when present. */
function checkRequestBinding(
  payload: AssertionPayload,
  request: AssertedRequest,
  expectedOrigins: readonly string[],
): 'htm' | 'htu' | null {
  if (payload.htm !== undefined && payload.htm !== request.method) return 'htm'
  if (payload.htu !== undefined && !expectedOrigins.some((origin) => payload.htu === origin + request.target))
    return 'htu'
  return null
}
