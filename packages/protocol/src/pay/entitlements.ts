/** Entitlements (workers/docs/pages/developer/pay.md): which tier an identity has, from which grant and until when. */
import * as z from 'zod'
import { pure } from '../base/pure.ts'
import { typedCodeSchema } from './codes.ts'
import { skuSchema } from './offers.ts'
import { tierLimitsSchema, tierSchema } from './tiers.ts'

const time = /* @__PURE__ */ pure(() => z.int().meta({ description: 'Epoch ms' }))

/** What gives a tier: a payment, a code that was redeemed, or an act of the operator. */
export const GRANT_SOURCES = ['subscription', 'pass', 'code', 'licence', 'organization'] as const
export const sourceSchema = /* @__PURE__ */ pure(() =>
  z.enum(['signup', ...GRANT_SOURCES]).meta({
    id: 'EntitlementSource',
    description:
      '`subscription`, `pass`: a payment. `code`: a code that was redeemed. `licence`: granted by the operator. ' +
      '`organization`: the plan of an organization. `signup`: none of them',
  }),
)

/** Why a paid grant gives nothing at present: its payment was refunded whole, or is disputed or lost in a dispute. */
export const REVERSALS = ['refunded', 'disputed'] as const
export type Reversed = (typeof REVERSALS)[number]

export const grantSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      id: z.string().max(100).meta({ description: 'Id of this grant' }),
      tier: tierSchema,
      source: z.enum(GRANT_SOURCES),
      periodStart: time,
      periodEnd: time,
      renews: z.boolean().meta({ description: 'Whether the grant renews at the end of the period' }),
      graceUntil: time.nullable().meta({ description: 'If a renewal is unpaid, when the tier lapses; epoch ms' }),
      nextTier: tierSchema
        .nullable()
        .meta({ description: 'The tier from the end of the period on, if it will change' }),
      reversed: z.enum(REVERSALS).nullable().meta({
        description:
          'Why it gives nothing now: its payment was refunded, or is disputed. Null while the payment stands',
      }),
    })
    .meta({ id: 'Grant', description: 'Gives an identity a tier for a period' }),
)
export type Grant = z.infer<typeof grantSchema>

export const entitlementSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      tier: tierSchema.meta({ description: 'The current tier: the highest of the active grants' }),
      source: sourceSchema,
      from: time.nullable().meta({ description: 'When that grant began, epoch ms; null for the signup tier' }),
      until: time.nullable().meta({
        description: 'When the tier ends as things stand, epoch ms; null for the signup tier',
      }),
      renews: z.boolean(),
      next: tierSchema.meta({ description: 'The tier after `until` if nothing changes' }),
      limits: tierLimitsSchema,
      grants: z.array(grantSchema).meta({ description: 'Active and future grants' }),
    })
    .meta({ id: 'Entitlement' }),
)
export type Entitlement = z.infer<typeof entitlementSchema>

export const redeemEntitlementSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ code: typedCodeSchema })
    .meta({ id: 'RedeemEntitlement', description: 'Redeems a single-use code for the caller' }),
)

export const renewalRequestSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      id: grantSchema.shape.id,
      renews: z
        .boolean()
        .meta({ description: 'False ends the subscription at the end of the period; true renews it again' }),
    })
    .meta({ id: 'RenewalRequest' }),
)

export const planChangeSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ id: grantSchema.shape.id, sku: skuSchema.meta({ description: 'The subscription to change to' }) })
    .meta({ id: 'PlanChange', description: 'Changes the plan of a subscription' }),
)

/**
 * What can be done instead of a purchase that is refused. `change`: change the plan of the subscription. `stack`: end its
 * renewal and buy a pass, which starts after it. `wait`: buy after `until`; end the renewal if there is one.
 */
export const PURCHASE_WAYS = ['change', 'stack', 'wait'] as const
export type PurchaseWay = (typeof PURCHASE_WAYS)[number]
