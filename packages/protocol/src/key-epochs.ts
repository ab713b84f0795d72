/** Epochs of the key directory (document 2 section 4.4): opened by the operator, joined and acknowledged by owners. */
import * as z from 'zod'
import { userIdSchema } from './identity.ts'
import { signedSchema, statementNonceSchema, statementSchema } from './statement.ts'

const number = z.int().min(1).meta({ description: 'Grows with every epoch' })
const time = (description: string) =>
  z
    .int()
    .min(0)
    .meta({ description: `${description}, epoch ms` })

export const operatorEpochSchema = statementSchema('svc/operator-epoch/v1', {
  epoch: number,
  opensAt: time('When it begins; not before the one before it has closed'),
  closesAt: time('When it ends'),
  nonce: statementNonceSchema,
}).meta({ id: 'EpochAct', description: 'Open an epoch' })
export const keysOperatorActSchema = signedSchema(operatorEpochSchema).meta({ id: 'SignedEpochAct' })
export type KeysOperatorAct = z.infer<typeof keysOperatorActSchema>

export const currentEpochSchema = z
  .strictObject({
    epoch: z
      .strictObject({
        number,
        opensAt: time('When it began'),
        closesAt: time('When it ends'),
        joined: z.int(),
        acknowledged: z.int(),
      })
      .nullable(),
    message: z.string().optional().meta({ description: 'Where there is none' }),
  })
  .meta({ id: 'CurrentEpoch' })
export type CurrentEpoch = z.infer<typeof currentEpochSchema>

export const joinEpochSchema = z
  .strictObject({ user_id: userIdSchema.meta({ description: 'The caller’s own; another is 403' }) })
  .meta({ id: 'JoinEpoch' })
export const ackEpochSchema = z
  .strictObject({ user_id: userIdSchema.meta({ description: 'The caller’s own; another is 403' }), epoch: number })
  .meta({ id: 'AckEpoch' })
export const epochMemberSchema = z
  .strictObject({
    epoch: number,
    user_id: userIdSchema,
    joinedAt: time('When it joined'),
    acknowledgedAt: time('When it acknowledged').nullable(),
  })
  .meta({ id: 'EpochMember' })
export type EpochMember = z.infer<typeof epochMemberSchema>
