/** Epochs of the key directory: opened by the operator, joined and acknowledged by owners. */
import * as z from 'zod'
import { userIdSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'

export const epochNumberSchema = /* @__PURE__ */ pure(() =>
  z.int().min(1).meta({ description: 'Epoch number; increases with every epoch' }),
)
const time = (description: string) =>
  z
    .int()
    .min(0)
    .meta({ description: `${description}, epoch ms` })

export const currentEpochSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      epoch: z
        .strictObject({
          number: epochNumberSchema,
          opensAt: time('When it began'),
          closesAt: time('When it ends'),
          joined: z.int(),
          acknowledged: z.int(),
        })
        .nullable(),
      message: z.string().optional().meta({ description: 'Set if there is no epoch' }),
    })
    .meta({ id: 'CurrentEpoch' }),
)
export type CurrentEpoch = z.infer<typeof currentEpochSchema>

export const joinEpochSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ user_id: userIdSchema.meta({ description: 'The caller’s own userId; any other returns 403' }) })
    .meta({ id: 'JoinEpoch' }),
)
export const ackEpochSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      user_id: userIdSchema.meta({ description: 'The caller’s own userId; any other returns 403' }),
      epoch: epochNumberSchema,
    })
    .meta({ id: 'AckEpoch' }),
)
export const epochMemberSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      epoch: epochNumberSchema,
      user_id: userIdSchema,
      joinedAt: time('When it joined'),
      acknowledgedAt: time('When it acknowledged').nullable(),
    })
    .meta({ id: 'EpochMember' }),
)
export type EpochMember = z.infer<typeof epochMemberSchema>
