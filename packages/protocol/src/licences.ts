/** Activation codes and the licensing store (document 1 section 4.10). */
import * as z from 'zod'
import { hashTextHex } from './hash.ts'
import { didSchema } from './identity.ts'
import { TIERS } from './tiers.ts'

/** The tiers of document 2 section 2.4 are those of licences too. */
export const LICENCE_TIERS = TIERS

/** Eighty random bits in sixteen characters of Crockford's base32, in groups of four. */
export const activationCodePattern = /^[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){3}$/

export const redeemSchema = z
  .strictObject({
    code: z.string().regex(activationCodePattern, 'must be an activation code'),
    did: didSchema.meta({ description: 'The identity that the licence is for' }),
  })
  .meta({ id: 'RedeemCode', description: 'Whoever holds the code may redeem it, for any identity' })

export const licenceSchema = z
  .strictObject({
    licensed: z.boolean(),
    tier: z.enum(LICENCE_TIERS).nullable(),
    expiresAt: z.number().nullable().meta({ description: 'Epoch ms' }),
  })
  .meta({ id: 'Licence' })
export type Licence = z.infer<typeof licenceSchema>

/** What is stored and sent of a code: the code itself goes to its holder alone. */
export function activationCodeHash(code: string): string {
  return hashTextHex(code.replaceAll('-', ''))
}
