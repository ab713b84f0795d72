/**
 * Device keys: a root key attests one, the device counter-signs, and from then on it signs version-2 assertions
 * within the capabilities it was given (document 1 sections 4.3 and 5.6).
 *
 * A device is named by its key as a DID is by its scope, so nobody can claim another's name, and a key that was
 * revoked cannot come back under a new one.
 *
 * @module
 */
import * as z from 'zod'
import { base64urlOf } from './base64url.ts'
import { didOf, didSchema, publicKeySchema, scopeSchema, userIdOfKey, userIdSchema } from './identity.ts'
import { kemPublicKeySchema } from './key-agreement.ts'
import { signedSchema, statementSchema } from './statement.ts'

/** What a device may be allowed to do. The route → capability table says which route needs which. */
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

export const capabilitiesSchema = z
  .array(z.enum(CAPABILITIES))
  .max(CAPABILITIES.length)
  .refine((names) => new Set(names).size === names.length, 'must differ')
  .meta({ description: 'What the device may do; a route says which one it needs' })

const DID_PREFIX = 'did:svc:'

/** 24 bytes of the SHA3-384 of the device's public key, as base64url: 32 characters. */
export function deviceIdOf(publicKeyB64u: string): string {
  return didOf(userIdOfKey(publicKeyB64u)).slice(DID_PREFIX.length)
}

/** The object name that a device key shares with the DID that it would have as a root key: it can only be one. */
export function deviceKeyDid(deviceId: string): string {
  return DID_PREFIX + deviceId
}

export const deviceIdSchema = base64urlOf(24).meta({
  id: 'DeviceId',
  description: 'Base64url of the first 24 bytes of SHA3-384 over the device’s raw public key',
  example: 'PDw8'.repeat(8),
})

export const deviceOriginSchema = z
  .string()
  .max(255)
  .regex(/^(?:https?:\/\/[a-z0-9.-]+(?::[0-9]{1,5})?|app:[a-z0-9][a-z0-9.-]*)$/, 'must be a web origin or app:name')
  .meta({
    description: 'Where the device signs: a web origin, or `app:` and a name for software that has none',
    example: 'https://app.example',
  })

const expiry = z
  .int()
  .min(0)
  .nullable()
  .meta({ description: 'When the device stops being accepted, epoch ms; null when only a revocation ends it' })

/** The device's own word that it joins this identity, so that nobody attests a key that is not theirs. */
export const deviceAcceptanceSchema = statementSchema('svc/device-acceptance/v1', {
  did: didSchema.meta({ description: 'The identity that the device joins' }),
  deviceId: deviceIdSchema,
  devicePublicKeyB64u: publicKeySchema,
  kemPublicKeyB64u: kemPublicKeySchema.meta({ description: 'What is sealed for the device is sealed to this key' }),
  origin: deviceOriginSchema,
  capabilities: capabilitiesSchema.meta({ description: 'What the device asks for' }),
}).meta({ id: 'DeviceAcceptance', description: 'A device joins an identity; signed by the device key' })
export const signedDeviceAcceptanceSchema = signedSchema(deviceAcceptanceSchema).meta({ id: 'SignedDeviceAcceptance' })
export type SignedDeviceAcceptance = z.infer<typeof signedDeviceAcceptanceSchema>

export type DeviceStatus = 'active' | 'suspended' | 'revoked'

/** What is in force for a device, folded from the inception log. */
export const deviceRecordSchema = z
  .strictObject({
    deviceId: deviceIdSchema,
    did: didSchema,
    scope: scopeSchema,
    userId: userIdSchema.meta({ description: 'The userId of the owner’s current root key' }),
    publicKeyB64u: publicKeySchema.meta({ description: 'The device key' }),
    rootEpoch: z.int().min(0).meta({ description: 'The root epoch that attested it' }),
    currentEpoch: z.int().min(0).meta({ description: 'The current root epoch; another than rootEpoch is stale' }),
    rootPublicKeyB64u: publicKeySchema.meta({ description: 'The owner’s current root key' }),
    origin: deviceOriginSchema,
    capabilities: capabilitiesSchema,
    expiresAt: expiry,
    status: z.enum(['active', 'suspended', 'revoked']),
  })
  .meta({ id: 'DeviceRecord', description: 'A device key and its standing' })
export type DeviceRecord = z.infer<typeof deviceRecordSchema>

export { expiry as deviceExpirySchema }
