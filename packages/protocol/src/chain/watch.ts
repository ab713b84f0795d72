/**
 * Device changes that affect who can rotate the root key: how many devices an identity has, and which of them gained or
 * lost standing. A watch token lets its holder read them without a key, even after a device was revoked.
 *
 * @module
 */
import * as z from 'zod'
import { deviceIdSchema } from '../base/device.ts'
import { hashSchema, hashTextHex } from '../base/hash.ts'
import { pure } from '../base/pure.ts'

/** Carries the watch token, a secret that gives read access to the device counts and changes of an identity. */
export const WATCH_HEADER = 'X-Watch-Token'
/** 256 random bits. */
export const WATCH_TOKEN_BYTES = 32
/** Tokens per root key. A withdrawn token counts towards the limit until it stops working. */
export const MAX_ROOT_WATCH_TOKENS = 16
/** Tokens per device. Each device has a limit of its own, so no other key can use it up. */
export const MAX_DEVICE_WATCH_TOKENS = 2

const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/

/** Returns whether a text has the form of a token: 256 bits as base64url. */
export function isWatchToken(text: string): boolean {
  return TOKEN_FORM.test(text)
}

/** Returns SHA3-384 of the token's text. Core stores this hash, never the token. */
export function watchTokenHash(token: string): string {
  return hashTextHex(token)
}

export const standingChangeSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      kind: z.enum(['device_added', 'device_lost', 'cosign_lost']).meta({
        description:
          '`device_added`: attested, resumed, or given the right to co-sign. `device_lost`: revoked, suspended or ' +
          'expired. `cosign_lost`: `rotation:cosign` was withdrawn',
      }),
      deviceId: deviceIdSchema,
      cosigns: z.boolean().meta({ description: 'Whether the device has `rotation:cosign`, or had it before the loss' }),
      at: z.number().meta({ description: 'When it happened, epoch ms' }),
      countsAt: z.number().nullable().meta({
        description: 'For `device_added`: when the device gains standing, epoch ms; null if it no longer will',
      }),
      countsUntil: z.number().nullable().meta({
        description: 'For the other kinds: when the standing ends, epoch ms; null if there was none',
      }),
    })
    .meta({ id: 'StandingChange', description: 'A change that gives or takes standing' }),
)
export type StandingChange = z.infer<typeof standingChangeSchema>

export const standingChangesSchema = /* @__PURE__ */ pure(() =>
  z.array(standingChangeSchema).meta({
    description:
      'Changes of standing in the last 24 hours (the waiting period of a rotation), and devices that wait longer for ' +
      'standing. Lists the newest change of each kind per device, oldest first',
  }),
)

export const watchedDevicesSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      active: z.int().min(0).meta({ description: 'Devices that are active now' }),
      standing: z.int().min(0).meta({ description: 'Devices that have standing now, including lost devices' }),
      newest: z
        .strictObject({ hash: hashSchema, time: z.number().meta({ description: 'When core accepted it, epoch ms' }) })
        .nullable()
        .meta({ description: 'The newest event of the inception log; null if the log is empty' }),
    })
    .meta({ id: 'WatchedDevices', description: 'Device counts of an identity' }),
)

export type WatchedDevices = z.infer<typeof watchedDevicesSchema>

/** Members of a response to a caller with a valid watch token. */
export const watchedMembers = /* @__PURE__ */ pure(() => ({
  devices: watchedDevicesSchema.optional(),
  changes: standingChangesSchema.optional(),
}))

export const watchTokenHashSchema = /* @__PURE__ */ pure(() =>
  hashSchema.meta({ description: 'SHA3-384 of the token’s text, 96 lowercase hex characters' }),
)

export const watchTokenRequestSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ tokenHash: watchTokenHashSchema }).meta({ id: 'WatchTokenRequest' }),
)

export const watchTokenRecordSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      tokenHash: watchTokenHashSchema,
      madeBy: z.union([z.literal('root'), deviceIdSchema]).meta({ description: '`root`, or the id of a device' }),
      epoch: z.int().min(0).meta({ description: 'The root epoch in which it was made' }),
      madeAt: z.number().meta({ description: 'Epoch ms' }),
      worksUntil: z.number().nullable().meta({
        description: '30 days after the token was withdrawn, epoch ms; null if it was not',
      }),
    })
    .meta({ id: 'WatchToken', description: 'The record of a watch token, without its secret' }),
)
export type WatchTokenRecord = z.infer<typeof watchTokenRecordSchema>

export const watchTokensSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ tokens: z.array(watchTokenRecordSchema) }).meta({ id: 'WatchTokens' }),
)
export type WatchTokens = z.infer<typeof watchTokensSchema>
