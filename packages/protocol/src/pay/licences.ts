/** Activation codes and the licences of identities. */
import * as z from 'zod'
import { didSchema } from '../base/identity.ts'
import { typedCodeSchema } from './codes.ts'
import { TIERS } from './tiers.ts'

/** Licences use the same tiers as entitlements. */
export const LICENCE_TIERS = TIERS

export const redeemSchema = z
  .strictObject({
    code: typedCodeSchema,
    did: didSchema.meta({ description: 'The identity that receives the licence' }),
  })
  .meta({ id: 'RedeemCode', description: 'The holder of a code can redeem it for any identity' })

export const licenceSchema = z
  .strictObject({
    licensed: z.boolean(),
    tier: z.enum(LICENCE_TIERS).nullable(),
    expiresAt: z.number().nullable().meta({ description: 'Epoch ms' }),
  })
  .meta({ id: 'Licence' })
export type Licence = z.infer<typeof licenceSchema>
