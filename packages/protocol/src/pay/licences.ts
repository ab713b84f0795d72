/** Activation codes and the licences of identities. */
import * as z from 'zod'
import { hashTextHex } from '../base/hash.ts'
import { didSchema } from '../base/identity.ts'
import { TIERS } from './tiers.ts'

/** Licences use the same tiers as entitlements. */
export const LICENCE_TIERS = TIERS

/** 80 random bits as 16 characters of Crockford's base32, in groups of four. */
export const activationCodePattern = /^[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){3}$/

export const redeemSchema = z
  .strictObject({
    code: z.string().regex(activationCodePattern, 'must be an activation code'),
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

/** Hash of a code, which is what is stored and sent. Only the holder has the code itself. */
export function activationCodeHash(code: string): string {
  return hashTextHex(code.replaceAll('-', ''))
}
