/**
 * Device keys (workers/docs/pages/developer/devices.md): the root key attests a device key, the device countersigns,
 * and from then on the device signs version 2 assertions within its granted capabilities.
 *
 * A device id is derived from the device key, as a DID is from its scope: an id cannot be claimed by another key, and
 * a revoked key cannot return under a new id.
 *
 * @module
 */
import * as z from 'zod'
import { base64urlOf } from './base64url.ts'
import { didOf, didSchema, publicKeySchema, scopeSchema, userIdOfAsync, userIdOfKey, userIdSchema } from './identity.ts'
import { kemPublicKeySchema, x25519KeySchema } from './key-agreement.ts'
import { pure } from './pure.ts'
import { ownedStatementSchema, signedSchema } from './statement.ts'

/** Capabilities a device can be granted. Each operation declares the one it requires. */
export const CAPABILITIES = [
  'account:read',
  'anchors:read',
  'anchors:submit',
  'assets:read',
  'assets:write',
  'chain:append',
  'chain:read',
  'consent:write',
  'directory:read',
  'epochs:write',
  'headers:prepare',
  'inbox:delete',
  'inbox:read',
  'notes:delete',
  'notes:read',
  'notes:write',
  'org:read',
  'org:write',
  'payments:write',
  'prekeys:reserve',
  'prekeys:write',
  'provenance:write',
  'quota:consume',
  'quota:read',
  'rotation:cosign',
  'rotation:request',
] as const
export type Capability = (typeof CAPABILITIES)[number]

export const capabilitiesSchema = /* @__PURE__ */ pure(() =>
  z
    .array(z.enum(CAPABILITIES))
    .max(CAPABILITIES.length)
    .refine((names) => new Set(names).size === names.length, 'must not contain duplicates')
    .meta({ description: 'Capabilities of the device; each route states the one it requires' }),
)

const DID_PREFIX = 'did:svc:'

/** Base64url of the first 24 bytes of SHA3-384 over the device's public key: 32 characters. */
export function deviceIdOf(publicKeyB64u: string): string {
  return didOf(userIdOfKey(publicKeyB64u)).slice(DID_PREFIX.length)
}

/** The same from the raw key, native where the runtime has it. */
export async function deviceIdOfAsync(publicKey: Uint8Array): Promise<string> {
  return didOf(await userIdOfAsync(publicKey)).slice(DID_PREFIX.length)
}

/** The DID this device key would have as a root key. Both use the same object name, so a key can only ever be one. */
export function deviceKeyDid(deviceId: string): string {
  return DID_PREFIX + deviceId
}

export const deviceIdSchema = /* @__PURE__ */ pure(() =>
  base64urlOf(24).meta({
    id: 'DeviceId',
    description: 'Base64url of the first 24 bytes of SHA3-384 over the device’s raw public key',
    example: 'PDw8'.repeat(8),
  }),
)

export const deviceOriginSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .max(255)
    .regex(/^(?:https?:\/\/[a-z0-9.-]+(?::[0-9]{1,5})?|app:[a-z0-9][a-z0-9.-]*)$/, 'must be a web origin or app:name')
    .meta({
      description: 'Where the device signs: a web origin, or `app:` and a name for software without one',
      example: 'https://app.example',
    }),
)

const expiry = /* @__PURE__ */ pure(() =>
  z
    .int()
    .min(0)
    .nullable()
    .meta({ description: 'When the device expires, epoch ms; null if it stays valid until revoked' }),
)

/** How long an acceptance can be attested after the device signed it. */
export const ACCEPTANCE_VALIDITY_MS = 3_600_000
/** How far a device's clock may be ahead. */
export const ACCEPTANCE_SKEW_MS = 300_000

/** The device's signed consent to join this identity, so that an identity cannot attest a key it does not control. */
export const deviceAcceptanceSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/device-acceptance/v1', {
    did: didSchema.meta({ description: 'The identity the device joins' }),
    deviceId: deviceIdSchema,
    devicePublicKeyB64u: publicKeySchema,
    kemPublicKeyB64u: kemPublicKeySchema.meta({ description: 'Data sealed for the device is encrypted to this key' }),
    x25519B64u: x25519KeySchema.meta({ description: 'And to this one: a key of both is derived' }),
    origin: deviceOriginSchema,
    capabilities: capabilitiesSchema.meta({ description: 'Capabilities the device requests' }),
  }).meta({
    id: 'DeviceAcceptance',
    description: 'A device joins an identity; signed by the device key. For one attestation, within an hour',
  }),
)
export const signedDeviceAcceptanceSchema = /* @__PURE__ */ pure(() =>
  signedSchema(deviceAcceptanceSchema).meta({ id: 'SignedDeviceAcceptance' }),
)
export type SignedDeviceAcceptance = z.infer<typeof signedDeviceAcceptanceSchema>

export type DeviceStatus = 'active' | 'suspended' | 'revoked'

/** Current state of a device, folded from the inception log. */
export const deviceRecordSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      deviceId: deviceIdSchema,
      did: didSchema,
      scope: scopeSchema,
      userId: userIdSchema.meta({ description: 'The userId of the owner’s current root key' }),
      publicKeyB64u: publicKeySchema.meta({ description: 'The device key' }),
      rootEpoch: z.int().min(0).meta({ description: 'The root epoch that attested it' }),
      currentEpoch: z.int().min(0).meta({ description: 'The current root epoch; a different rootEpoch is stale' }),
      rootPublicKeyB64u: publicKeySchema.meta({ description: 'The owner’s current root key' }),
      origin: deviceOriginSchema,
      capabilities: capabilitiesSchema,
      expiresAt: expiry,
      status: z.enum(['active', 'suspended', 'revoked']),
    })
    .meta({ id: 'DeviceRecord', description: 'A device key and its status' }),
)
export type DeviceRecord = z.infer<typeof deviceRecordSchema>

export { expiry as deviceExpirySchema }
