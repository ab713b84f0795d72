/** Entitlements (document 2 section 4.6): which tier an identity has, from what and until when. */
import * as z from 'zod'
import { hashSchema, hashTextHex } from './hash.ts'
import { activationCodePattern } from './licences.ts'
import { signedSchema, statementNonceSchema, statementSchema } from './statement.ts'
import { tierLimitsSchema, tierSchema } from './tiers.ts'

const time = z.int().meta({ description: 'Epoch ms' })

export const ENTITLEMENT_SOURCES = ['subscription', 'pass', 'code'] as const

export const grantSchema = z
  .strictObject({
    id: z.string().max(100).meta({ description: 'Names this grant to its owner' }),
    tier: tierSchema,
    source: z.enum(ENTITLEMENT_SOURCES),
    periodStart: time,
    periodEnd: time,
    renews: z.boolean().meta({ description: 'Whether another period is paid for when this one ends' }),
    graceUntil: time.nullable().meta({ description: 'While a renewal is unpaid: how long the tier still holds' }),
    nextTier: tierSchema
      .nullable()
      .meta({ description: 'The tier from the end of the period on, where another was chosen' }),
  })
  .meta({ id: 'Grant', description: 'One thing that gives a tier for a time' })
export type Grant = z.infer<typeof grantSchema>

export const entitlementSchema = z
  .strictObject({
    tier: tierSchema.meta({ description: 'The one in force: the highest of the grants that hold now' }),
    source: z.enum(['signup', ...ENTITLEMENT_SOURCES]),
    until: time.nullable().meta({ description: 'When that grant ends as things stand; null for what everybody has' }),
    renews: z.boolean(),
    next: tierSchema.meta({ description: 'The tier after `until`, as things stand' }),
    limits: tierLimitsSchema,
    grants: z.array(grantSchema).meta({ description: 'Every grant that holds or is yet to begin' }),
  })
  .meta({ id: 'Entitlement' })
export type Entitlement = z.infer<typeof entitlementSchema>

export const redeemEntitlementSchema = z
  .strictObject({ code: z.string().regex(activationCodePattern, 'must be a code of four groups of four') })
  .meta({ id: 'RedeemEntitlement', description: 'For the caller; the code serves once' })

export const renewalRequestSchema = z
  .strictObject({
    id: grantSchema.shape.id,
    renews: z.boolean().meta({ description: 'False ends the subscription with its period; true takes that back' }),
  })
  .meta({ id: 'RenewalRequest' })

/** What is stored and sent of a code: the code itself goes to its holder alone. */
export function entitlementCodeHash(code: string): string {
  return hashTextHex(`svc/entitlement-code/v1:${code.replaceAll('-', '')}`)
}

export const entitlementCodeActSchema = statementSchema('svc/operator-entitlement-code/v1', {
  codeHash: hashSchema.meta({ description: 'SHA3-384 of `svc/entitlement-code/v1:` and the code without hyphens' }),
  tier: tierSchema,
  redeemableUntil: z.int().min(0).meta({ description: 'Epoch ms' }),
  days: z.int().min(1).max(3660).meta({ description: 'How long the tier is given for' }),
  nonce: statementNonceSchema,
}).meta({ id: 'EntitlementCodeAct', description: 'Issue one code that gives a tier' })

export const payOperatorActSchema = signedSchema(entitlementCodeActSchema).meta({
  id: 'PayOperatorAct',
  description: 'One act, by its `type`',
})
