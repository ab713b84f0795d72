import { encodeBase64url } from '#protocol/base/base64url'
import type { Capability } from '#protocol/base/device'
import { hashHexAsync } from '#protocol/base/hash'
import { type AssertionPayload, DEVICE_PURPOSE, PURPOSE, SCHEME } from './payload.ts'

/** A key that can make assertions. */
export interface AssertionSigner {
  readonly userId: string
  readonly publicKeyB64u: string
  sign(message: Uint8Array): Promise<Uint8Array>
}

/** A device key and the contents of its attestation. */
export interface DeviceSigner {
  readonly userId: string
  readonly scope: string
  readonly did: string
  readonly deviceId: string
  readonly devicePublicKeyB64u: string
  readonly origin: string
  readonly rootEpoch: number
  readonly capabilities: readonly Capability[]
  sign(message: Uint8Array): Promise<Uint8Array>
}

export interface AssertionRequest {
  readonly audience: string
  readonly method: string
  /** Absolute URL of the request, without fragment. */
  readonly url: string
  readonly body?: Uint8Array | undefined
  /** Epoch milliseconds. */
  readonly now: number
  /** Milliseconds until expiry. Default: one minute; at most one hour. */
  readonly lifetimeMs?: number | undefined
}

/** 144 random bits in 24 characters, which satisfies the strictest nonce rule of any route (16 to 64 characters). */
function freshNonce(): string {
  return encodeBase64url(crypto.getRandomValues(new Uint8Array(18)))
}

/** Returns an `Authorization` header value for exactly one request, bound to its method, URL and body. */
export async function makeAssertion(signer: AssertionSigner, request: AssertionRequest): Promise<string> {
  return signPayload(signer, {
    version: 1,
    purpose: PURPOSE,
    userId: signer.userId,
    chainId: signer.publicKeyB64u,
    publicChainKey: signer.publicKeyB64u,
    ...(await membersOf(request)),
  })
}

/** Like `makeAssertion`, signed by a device key (version 2). `capabilities` may be a subset of those granted. */
export async function makeDeviceAssertion(signer: DeviceSigner, request: AssertionRequest): Promise<string> {
  const { userId, scope, did, deviceId, devicePublicKeyB64u, origin, rootEpoch, capabilities } = signer
  return signPayload(signer, {
    version: 2,
    purpose: DEVICE_PURPOSE,
    userId,
    scope,
    did,
    deviceId,
    devicePublicKey: devicePublicKeyB64u,
    origin,
    rootEpoch,
    capabilities,
    ...(await membersOf(request)),
  })
}

async function membersOf(request: AssertionRequest) {
  return {
    issuedAt: request.now,
    expiresAt: request.now + (request.lifetimeMs ?? 60_000),
    nonce: freshNonce(),
    aud: request.audience,
    htm: request.method,
    htu: request.url,
    bodyHash: await hashHexAsync(request.body ?? new Uint8Array()),
  }
}

/** Signs an arbitrary payload. For tests and tools that need one `makeAssertion` would not create. */
export async function signPayload(
  signer: Pick<AssertionSigner, 'sign'>,
  payload: AssertionPayload | Record<string, unknown>,
): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(payload))
  return `${SCHEME} ${encodeBase64url(bytes)}.${encodeBase64url(await signer.sign(bytes))}`
}
