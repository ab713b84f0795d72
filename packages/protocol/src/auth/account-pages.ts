/**
 * What an account page lists and ends: sessions, known devices, and the secrets that are kept with passkeys
 * (workers/docs/pages/developer/auth.md). Public ids are random and work only with a session of the same account.
 *
 * @module
 */
import * as z from 'zod'
import { base64urlOf } from '../base/base64url.ts'
import { locallyWrappedSchema } from './local-wrap.ts'
import { labelSchema, signInMethodSchema } from './sign-in.ts'

const time = z.number().meta({ description: 'Epoch ms', example: 1_790_000_000_000 })
const publicId = base64urlOf(16).meta({
  description: 'Random; neither the token nor its hash',
  example: 'HBwcHBwcHBwcHBwcHBwcHA',
})

export const listedSessionSchema = z
  .strictObject({
    sessionId: publicId,
    method: signInMethodSchema,
    createdAt: time,
    lastUsedAt: time.meta({ description: 'Epoch ms, to the minute' }),
    expiresAt: time,
    isCurrent: z.boolean().meta({ description: 'Whether it is the session of this request' }),
  })
  .meta({ id: 'ListedSession' })
export type ListedSession = z.infer<typeof listedSessionSchema>
export const sessionListSchema = z.strictObject({ sessions: z.array(listedSessionSchema) }).meta({ id: 'SessionList' })
export const sessionParamsSchema = z.strictObject({ sessionId: publicId })
export const sessionsEndedSchema = z
  .strictObject({ ended: z.int().min(0).meta({ description: 'How many sessions ended' }) })
  .meta({ id: 'SessionsEnded' })

export const knownDeviceSchema = z
  .strictObject({
    deviceId: publicId,
    label: labelSchema.nullable().meta({ description: 'As given with the login; null without one' }),
    createdAt: time,
    expiresAt: time.meta({ description: 'Epoch ms, 180 days after its last sign-in' }),
  })
  .meta({ id: 'KnownDevice' })
export type KnownDevice = z.infer<typeof knownDeviceSchema>
export const knownDeviceListSchema = z
  .strictObject({ devices: z.array(knownDeviceSchema) })
  .meta({ id: 'KnownDeviceList' })
export const knownDeviceParamsSchema = z.strictObject({ deviceId: publicId })
export const devicesForgottenSchema = z
  .strictObject({ forgotten: z.int().min(0).meta({ description: 'How many devices are no longer known' }) })
  .meta({ id: 'DevicesForgotten' })

export const keptSecretSchema = z.strictObject({ wrapped: locallyWrappedSchema, updatedAt: time }).meta({
  id: 'KeptSecret',
  description: 'Encrypted under the PRF output of the passkey, which the service never gets',
})
export const secretRemovedSchema = z.strictObject({ removed: z.literal(true) }).meta({ id: 'SecretRemoved' })
