/**
 * What an account page lists and ends: sessions, known devices, and the secrets that are kept with passkeys
 * (workers/docs/pages/developer/auth.md). Public ids are random and work only with a session of the same account.
 *
 * @module
 */
import * as z from 'zod'
import { base64urlOf } from '../base/base64url.ts'
import { pure } from '../base/pure.ts'
import { locallyWrappedSchema } from './local-wrap.ts'
import { labelSchema, signInMethodSchema } from './sign-in.ts'

const time = /* @__PURE__ */ pure(() => z.number().meta({ description: 'Epoch ms', example: 1_790_000_000_000 }))
const publicId = /* @__PURE__ */ pure(() =>
  base64urlOf(16).meta({
    description: 'Random; neither the token nor its hash',
    example: 'HBwcHBwcHBwcHBwcHBwcHA',
  }),
)

export const listedSessionSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      sessionId: publicId,
      method: signInMethodSchema,
      createdAt: time,
      lastUsedAt: time.meta({ description: 'Epoch ms, to the minute' }),
      expiresAt: time,
      isCurrent: z.boolean().meta({ description: 'Whether it is the session of this request' }),
    })
    .meta({ id: 'ListedSession' }),
)
export type ListedSession = z.infer<typeof listedSessionSchema>
export const sessionListSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ sessions: z.array(listedSessionSchema) }).meta({ id: 'SessionList' }),
)
export const sessionParamsSchema = /* @__PURE__ */ z.strictObject({ sessionId: publicId })
export const sessionsEndedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ ended: z.int().min(0).meta({ description: 'How many sessions ended' }) })
    .meta({ id: 'SessionsEnded' }),
)

export const knownDeviceSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      deviceId: publicId,
      label: labelSchema.nullable().meta({ description: 'As given with the login; null without one' }),
      createdAt: time,
      expiresAt: time.meta({ description: 'Epoch ms, 180 days after its last sign-in' }),
    })
    .meta({ id: 'KnownDevice' }),
)
export type KnownDevice = z.infer<typeof knownDeviceSchema>
export const knownDeviceListSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ devices: z.array(knownDeviceSchema) }).meta({ id: 'KnownDeviceList' }),
)
export const knownDeviceParamsSchema = /* @__PURE__ */ z.strictObject({ deviceId: publicId })
export const devicesForgottenSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ forgotten: z.int().min(0).meta({ description: 'How many devices are no longer known' }) })
    .meta({ id: 'DevicesForgotten' }),
)

export const keptSecretSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ wrapped: locallyWrappedSchema, updatedAt: time }).meta({
    id: 'KeptSecret',
    description: 'Encrypted under the PRF output of the passkey, which the service never gets',
  }),
)
export const secretRemovedSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ removed: z.literal(true) }).meta({ id: 'SecretRemoved' }),
)
