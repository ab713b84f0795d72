/**
 * Verifies an assertion as far as the request alone allows. Key status and nonce are checked afterwards, in the object
 * that owns them, and only for an assertion that passed here.
 *
 * The order of checks is part of the contract: well-formed, audience, nonce form, times, request binding, signature,
 * body binding. Nothing here touches storage.
 *
 * @module
 */
import { mlDsa65 } from '#pqc'
import { decodeBase64url } from '#protocol/base/base64url'
import { type Capability, deviceIdOfAsync } from '#protocol/base/device'
import { didOf, userIdOfAsync } from '#protocol/base/identity'
import { PUBLIC_KEY_BYTES } from '#protocol/base/labels'
import { err, ok, type Result } from '#protocol/base/result'
import {
  type AssertionPayload,
  type DevicePayload,
  devicePayloadSchema,
  MAX_LIFETIME_MS,
  parseCredential,
  payloadSchema,
} from './payload.ts'
import type { RouteCapability } from './requirement.ts'

/** What a verifier expects. All of it is trusted configuration. */
export interface AssertionPolicy {
  readonly expectedAudiences: readonly string[]
  readonly skewMs: number
  readonly noncePattern: RegExp
  /** The deployment's own origins and aliases, for `htu`. */
  readonly expectedOrigins: readonly string[]
  /** Whether this deployment accepts assertions signed by device keys. */
  readonly acceptsDevices: boolean
  /** What the route requires of a device; checked when the assertion is spent. */
  readonly requiredCapability: RouteCapability
}

/** The request that carries the assertion. */
export interface AssertedRequest {
  readonly authorization: string | undefined
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
  /** The Origin header, if any. */
  readonly origin: string | undefined
  /**
   * SHA3-384 hex of the body, called last and only if the assertion binds it, so that a large body can be left unread
   * for a key without standing. Null if the caller will reject the body itself once the assertion is spent.
   */
  readonly bodyHash: (signed: VerifiedAssertion) => Promise<string | null>
}

export type AssertionRefusal =
  | { readonly reason: 'missing' }
  | { readonly reason: 'malformed'; readonly detail: string }
  | { readonly reason: 'audience' }
  | { readonly reason: 'nonce_form' }
  | { readonly reason: 'device_keys_disabled' }
  | { readonly reason: 'expired' | 'not_yet_valid' | 'too_long' }
  | { readonly reason: 'binding'; readonly member: 'htm' | 'htu' | 'bodyHash' | 'origin' }
  | { readonly reason: 'signature' }

/** A valid signature by a key whose status is not known yet. The nonce is not spent yet. */
export interface VerifiedAssertion {
  /** userId of the root key the caller acts under; in version 1, of the signing key. */
  readonly userId: string
  /** DID of the object that knows the key's status: derived from a root key, claimed by a device. */
  readonly keyDid: string
  /** The signing key. */
  readonly publicKeyB64u: string
  /** Nonce namespace: the userId of a root key, or `dev:` and a deviceId. */
  readonly signer: string
  /** Claims of a device, to be checked against its record; null if the root key signed. */
  readonly device: DeviceClaim | null
  /** What the route requires of a device; checked once the nonce is spent. */
  readonly requiredCapability: RouteCapability
  readonly nonce: string
  /** The nonce must be remembered until this time: expiry plus skew, or the skew would be a replay window. */
  readonly keepUntil: number
  /** Absent in calls of a Worker of an older release. */
  readonly issuedAt?: number
}

/** Claims of a device's assertion; only the signature and the deviceId are verified. */
export interface DeviceClaim {
  readonly deviceId: string
  readonly scope: string
  readonly origin: string
  readonly rootEpoch: number
  readonly capabilities: readonly Capability[]
}

/** 1 to 256 visible ASCII characters, unless a route has a stricter rule. */
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
  if (claimed['version'] === 2 && !policy.acceptsDevices) return err({ reason: 'device_keys_disabled' })
  const parsed = (claimed['version'] === 2 ? devicePayloadSchema : payloadSchema).safeParse(claimed)
  if (!parsed.success) return err({ reason: 'malformed', detail: parsed.error.issues[0]?.path.join('.') ?? 'payload' })
  const payload = parsed.data

  const timeFault = checkTimes(payload, policy.skewMs, now)
  if (timeFault) return err(timeFault)
  const unbound = checkRequestBinding(payload, request, policy.expectedOrigins)
  if (unbound) return err({ reason: 'binding', member: unbound })

  const key = payload.version === 1 ? await rootKeyOf(payload) : await deviceKeyOf(payload)
  if (!key.ok) return err({ reason: 'malformed', detail: key.error })
  if (!(await mlDsa65.verify(key.value, payloadBytes, signature))) return err({ reason: 'signature' })

  const { nonce, issuedAt, expiresAt } = payload
  const { requiredCapability } = policy
  const signed = { ...identified(payload), requiredCapability, nonce, keepUntil: expiresAt + policy.skewMs, issuedAt }
  if (payload.bodyHash !== undefined) {
    const hash = await request.bodyHash(signed)
    if (hash !== null && hash !== payload.bodyHash) return err({ reason: 'binding', member: 'bodyHash' })
  }
  return ok(signed)
}

/** The key that must have signed, or the name of the member that is inconsistent with it. */
async function rootKeyOf({ chainId, publicChainKey, userId }: AssertionPayload): Promise<Result<Uint8Array, string>> {
  if (chainId !== publicChainKey) return err('chainId')
  const publicKey = decodeBase64url(publicChainKey)
  if (publicKey?.length !== PUBLIC_KEY_BYTES) return err('publicChainKey')
  return (await userIdOfAsync(publicKey)) === userId ? ok(publicKey) : err('userId')
}

async function deviceKeyOf({
  devicePublicKey,
  deviceId,
  scope,
  did,
}: DevicePayload): Promise<Result<Uint8Array, string>> {
  const publicKey = decodeBase64url(devicePublicKey)
  if (publicKey?.length !== PUBLIC_KEY_BYTES) return err('devicePublicKey')
  if ((await deviceIdOfAsync(publicKey)) !== deviceId) return err('deviceId')
  return didOf(scope) === did ? ok(publicKey) : err('did')
}

function identified(payload: AssertionPayload | DevicePayload) {
  const { userId } = payload
  if (payload.version === 1) {
    return { userId, keyDid: didOf(userId), publicKeyB64u: payload.publicChainKey, signer: userId, device: null }
  }
  const { did, devicePublicKey, deviceId, scope, origin, rootEpoch, capabilities } = payload
  const device = { deviceId, scope, origin, rootEpoch, capabilities }
  return { userId, keyDid: did, publicKeyB64u: devicePublicKey, signer: `dev:${deviceId}`, device }
}

function checkTimes(
  { issuedAt, expiresAt }: { readonly issuedAt: number; readonly expiresAt: number },
  skewMs: number,
  now: number,
): AssertionRefusal | null {
  if (expiresAt <= issuedAt) return { reason: 'malformed', detail: 'expiresAt' }
  if (expiresAt - issuedAt > MAX_LIFETIME_MS) return { reason: 'too_long' }
  if (issuedAt > now + skewMs) return { reason: 'not_yet_valid' }
  if (expiresAt + skewMs <= now) return { reason: 'expired' }
  return null
}

/** `htm` and `htu` are optional but enforced if present. A device is bound to the origin of its page, if it has one. */
function checkRequestBinding(
  payload: AssertionPayload | DevicePayload,
  request: AssertedRequest,
  expectedOrigins: readonly string[],
): 'htm' | 'htu' | 'origin' | null {
  if (payload.htm !== undefined && payload.htm !== request.method) return 'htm'
  if (payload.htu !== undefined && !expectedOrigins.some((origin) => payload.htu === origin + request.target))
    return 'htu'
  if (payload.version === 2 && !isAtHome(payload.origin, request.origin)) return 'origin'
  return null
}

/**
 * A browser sends the origin of the page, which must be the device's. Software without an origin of its own can send any
 * Origin header, which proves nothing about it; only the CORS allowlist applies.
 */
function isAtHome(deviceOrigin: string, requestOrigin: string | undefined): boolean {
  return requestOrigin === undefined || deviceOrigin.startsWith('app:') || deviceOrigin === requestOrigin
}
