/**
 * Assertion payload and wire form (workers/docs/pages/developer/assertions.md): `ServiceAssertion
 * <payload>.<signature>`, both base64url. The signature covers the payload bytes as sent; they are never re-serialized.
 * Clients that are generated from OpenAPI documents send the same under the name `Bearer`.
 *
 * @module
 */

import * as z from 'zod'
import { decodeBase64url } from '#protocol/base/base64url'
import { capabilitiesSchema, deviceIdSchema, deviceOriginSchema } from '#protocol/base/device'
import { didSchema, scopeSchema, userIdSchema } from '#protocol/base/identity'
import { SIGNATURE_BYTES } from '#protocol/base/labels'
import { pure } from '#protocol/base/pure'
import { objectOf, utf8Of } from '#protocol/base/utf8'
import { DEVICE_PURPOSE, PURPOSE } from '#protocol/statements/assertion-form'

export { DEVICE_PURPOSE, PURPOSE }

export const SCHEME = 'ServiceAssertion'
export const MAX_LIFETIME_MS = 3_600_000

/** A version 1 header is 11.9 kB; even with bindings and hints it stays far below this. */
const MAX_CREDENTIAL_CHARS = 32 * 1024

/** Members of both versions. `nonce` and `aud` have rules of their own and are checked separately. */
const common = /* @__PURE__ */ pure(() => ({
  issuedAt: z.int(),
  expiresAt: z.int(),
  nonce: z.string(),
  aud: z.string(),
  htm: z.string().optional(),
  htu: z.string().optional(),
  bodyHash: z.string().optional(),
}))

/** Version 1, signed by the root key. Unknown members are ignored. */
export const payloadSchema = /* @__PURE__ */ pure(() =>
  z.object({
    version: z.literal(1),
    purpose: z.literal(PURPOSE),
    userId: z.string(),
    chainId: z.string(),
    publicChainKey: z.string(),
    ...common,
  }),
)
export type AssertionPayload = z.infer<typeof payloadSchema>

/** Version 2, signed by a device key. Each member is checked against the device's current state. */
export const devicePayloadSchema = /* @__PURE__ */ pure(() =>
  z.object({
    version: z.literal(2),
    purpose: z.literal(DEVICE_PURPOSE),
    userId: userIdSchema,
    scope: scopeSchema,
    did: didSchema,
    deviceId: deviceIdSchema,
    devicePublicKey: z.string(),
    origin: deviceOriginSchema,
    rootEpoch: z.int().min(0),
    capabilities: capabilitiesSchema,
    ...common,
  }),
)
export type DevicePayload = z.infer<typeof devicePayloadSchema>

export interface Credential {
  /** The parsed payload; not verified yet. */
  readonly claimed: { readonly [member: string]: unknown }
  readonly payloadBytes: Uint8Array
  readonly signature: Uint8Array
}

/** The only place that reads the name of the scheme, in any case (RFC 9110 section 11.1). */
const FORM = /^(ServiceAssertion|Bearer) ([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/i

/**
 * Parses a credential; null if it is not a well-formed ServiceAssertion. Others use the name Bearer for credentials of many
 * forms, so what comes under it is one only if it has all of an assertion: a token of somebody else gets one answer,
 * whatever it says.
 */
export function parseCredential(header: string): Credential | null {
  if (header.length > MAX_CREDENTIAL_CHARS) return null
  const [, scheme, payload, signed] = FORM.exec(header) ?? []
  if (!scheme || !payload || !signed) return null
  const payloadBytes = decodeBase64url(payload)
  const signature = decodeBase64url(signed)
  if (!payloadBytes || !signature) return null
  const claimed = objectOf(utf8Of(payloadBytes))
  // What has a type is a statement, and was signed as one.
  if (!claimed || 'type' in claimed) return null
  const credential = { claimed: { ...claimed }, payloadBytes, signature }
  return scheme.toLowerCase() === 'bearer' && !isAssertion(credential) ? null : credential
}

function isAssertion({ claimed, signature }: Credential): boolean {
  const schema = claimed['version'] === 2 ? devicePayloadSchema : payloadSchema
  return signature.length === SIGNATURE_BYTES && schema.safeParse(claimed).success
}
