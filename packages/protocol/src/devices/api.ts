/** Requests and responses of core's inception routes, apart from the events themselves. */
import * as z from 'zod'
import { deviceIdSchema } from '../base/device.ts'
import { hashSchema } from '../base/hash.ts'
import { didSchema, scopeSchema } from '../base/identity.ts'
import { inceptionHeadSchema } from '../base/inception-head.ts'
import { pure } from '../base/pure.ts'
import { pendingMember } from '../chain/pending.ts'
import { inceptionEventSchema } from './inception.ts'

export const inceptionHeadRequestSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ scope: z.string().meta({ description: 'The caller’s own scope; any other text is 403' }) })
    .meta({ id: 'InceptionHeadRequest' }),
)

export const inceptionHeadAnswerSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      did: didSchema,
      scope: scopeSchema,
      ...inceptionHeadSchema.shape,
      rootEpoch: z.int().min(0).meta({ description: 'The current root epoch; the next event must name it' }),
      ...pendingMember,
    })
    .meta({ id: 'InceptionHeadAnswer' }),
)
export type InceptionHeadAnswer = z.infer<typeof inceptionHeadAnswerSchema>

export const inceptionAppendedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      sequence: z.int(),
      hash: hashSchema,
      acceptedAt: z.number().meta({ description: 'When the service accepted it, epoch ms' }),
      ...pendingMember,
    })
    .meta({ id: 'InceptionAppended', description: 'Head of the log after the last event of the request' }),
)
export type InceptionAppended = z.infer<typeof inceptionAppendedSchema>

export const waitingDeviceSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      deviceId: deviceIdSchema,
      countsAt: z.int().min(0).meta({ description: 'When the device gains standing, epoch ms' }),
    })
    .meta({
      id: 'WaitingDevice',
      description: 'A device that gains standing at a later time, if it stays active',
    }),
)

/** An event is up to 230 kB (with sixteen officers); a device event is 5 to 16 kB. */
export const MAX_PAGE_EVENTS = 20
export const inceptionEventsQuerySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    from: z
      .string()
      .regex(/^[0-9]{1,15}$/, 'must be an integer')
      .transform(Number)
      .optional()
      .meta({ description: 'First sequence. Default: 1' }),
  }),
)
export const inceptionEventsSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      events: z.array(inceptionEventSchema).max(MAX_PAGE_EVENTS),
      next: z.int().nullable().meta({ description: '`from` for the next page; null at the end' }),
      head: inceptionHeadSchema,
      unconfirmed: z
        .array(deviceIdSchema)
        .optional()
        .meta({ description: 'Devices that have not confirmed their attestation; absent if there is none' }),
      waiting: z
        .array(waitingDeviceSchema)
        .optional()
        .meta({ description: 'Active devices that have no standing yet; absent if there are none' }),
      ...pendingMember,
    })
    .meta({ id: 'InceptionEvents' }),
)
export type InceptionEvents = z.infer<typeof inceptionEventsSchema>

/** Idempotent: a device that asks again gets the same. */
export const deviceConfirmedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ deviceId: deviceIdSchema, confirmed: z.literal(true) })
    .meta({ id: 'DeviceConfirmed', description: 'The attestation of this device counts until its own expiry' }),
)
export type DeviceConfirmed = z.infer<typeof deviceConfirmedSchema>
