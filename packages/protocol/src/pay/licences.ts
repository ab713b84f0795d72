/** What core answers about the entitlement of an identity, which pay keeps (workers/docs/pages/developer/account.md). */
import * as z from 'zod'
import { didSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { typedCodeSchema } from './codes.ts'
import { tierSchema } from './tiers.ts'

export const redeemSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      code: typedCodeSchema,
      did: didSchema.meta({ description: 'The identity that receives the licence' }),
    })
    .meta({ id: 'RedeemCode', description: 'The holder of a code can redeem it for any identity' }),
)

export const licenceSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      licensed: z.boolean().meta({ description: 'Whether any grant is in force, whatever its source' }),
      tier: tierSchema.nullable().meta({ description: 'The highest tier of the grants in force; null without one' }),
      expiresAt: z.number().nullable().meta({ description: 'When that tier ends as things stand, epoch ms' }),
    })
    .meta({ id: 'Licence' }),
)
export type Licence = z.infer<typeof licenceSchema>
