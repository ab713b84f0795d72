/**
 * What decides a theft, told to those who may look: how many devices an identity has, and which of them have begun or
 * ceased to count. With a watch token nobody needs a key for that, and a device that was revoked still can look.
 *
 * @module
 */
import * as z from 'zod'
import { deviceIdSchema } from '../base/device.ts'
import { hashSchema, hashTextHex } from '../base/hash.ts'
import { pure } from '../base/pure.ts'

/** Carries the token, a secret that shows the devices of the identity. */
export const WATCH_HEADER = 'X-Watch-Token'
/** 256 random bits. */
export const WATCH_TOKEN_BYTES = 32
/** Tokens that the root key of one epoch may have. One that was withdrawn counts while it works. */
export const MAX_ROOT_WATCH_TOKENS = 16
/** The same for each device: no other key can take their place. */
export const MAX_DEVICE_WATCH_TOKENS = 2

const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/

/** Whether a text can be a token: 256 bits as base64url. */
export function isWatchToken(text: string): boolean {
  return TOKEN_FORM.test(text)
}

/** All that core keeps of a token: SHA3-384 of its text. */
export function watchTokenHash(token: string): string {
  return hashTextHex(token)
}

export const standingChangeSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      kind: z.enum(['device_added', 'device_lost', 'cosign_lost']).meta({
        description:
          '`device_added`: attested, resumed, or given the right to co-sign. `device_lost`: revoked, suspended or ' +
          'expired. `cosign_lost`: without `rotation:cosign` from now on',
      }),
      deviceId: deviceIdSchema,
      cosigns: z
        .boolean()
        .meta({ description: 'Whether the device has `rotation:cosign`; of one that was lost, whether it had' }),
      at: z.number().meta({ description: 'When it happened, epoch ms' }),
      countsAt: z.number().nullable().meta({
        description: 'Of `device_added`: when the device begins to count, epoch ms; null if it no longer will',
      }),
      countsUntil: z.number().nullable().meta({
        description: 'Of the others: when what was lost ceases to count, epoch ms; null if it never counted',
      }),
    })
    .meta({ id: 'StandingChange', description: 'A change that gives or takes standing' }),
)
export type StandingChange = z.infer<typeof standingChangeSchema>

export const standingChangesSchema = /* @__PURE__ */ pure(() =>
  z.array(standingChangeSchema).meta({
    description:
      'What gave or took standing in the last waiting period (24 hours), and devices that wait for it longer. For each ' +
      'device the newest of each kind, the oldest first',
  }),
)

export const watchedDevicesSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      active: z.int().min(0).meta({ description: 'Devices that are active now' }),
      standing: z.int().min(0).meta({ description: 'Devices that have standing now, also if they were lost' }),
      newest: z
        .strictObject({ hash: hashSchema, time: z.number().meta({ description: 'When core accepted it, epoch ms' }) })
        .nullable()
        .meta({ description: 'The newest event of the inception log; null while that is empty' }),
    })
    .meta({ id: 'WatchedDevices', description: 'The devices of an identity, in numbers' }),
)

export type WatchedDevices = z.infer<typeof watchedDevicesSchema>

/** Members of an answer to those who may look. */
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
        description: 'Once it is withdrawn: 30 days after that, epoch ms. Null before',
      }),
    })
    .meta({ id: 'WatchToken', description: 'A token for looking, without its secret' }),
)
export type WatchTokenRecord = z.infer<typeof watchTokenRecordSchema>

export const watchTokensSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ tokens: z.array(watchTokenRecordSchema) }).meta({ id: 'WatchTokens' }),
)
export type WatchTokens = z.infer<typeof watchTokensSchema>
