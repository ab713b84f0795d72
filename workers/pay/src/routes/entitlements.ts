import {
  entitlementSchema,
  grantSchema,
  redeemEntitlementSchema,
  renewalRequestSchema,
} from '@svc/protocol/entitlements'
import { ApiError, defineOperation } from '@svc/service'
import { payRoute } from '../route.ts'

export const readEntitlement = defineOperation({
  id: 'readEntitlement',
  method: 'get',
  path: '/entitlement',
  summary: 'Which tier the caller has, from what and until when',
  auth: 'assertion',
  answer: { status: 200, description: 'The entitlement', schema: entitlementSchema },
})

export const redeemEntitlement = defineOperation({
  id: 'redeemEntitlement',
  method: 'post',
  path: '/entitlement/redeem',
  summary: 'Redeem a code that gives a tier',
  description:
    'A code serves once; again for the identity that has redeemed it, it is answered with the same grant. Unknown, used ' +
    'and expired codes share one answer. What it gives begins when other codes and passes of that tier have ended.',
  auth: 'assertion',
  limit: { counter: 'redeemEntitlement', limit: 10 },
  body: redeemEntitlementSchema,
  answer: { status: 200, description: 'What was granted', schema: grantSchema },
  errors: ['code_unusable'],
})

export const setRenewal = defineOperation({
  id: 'setRenewal',
  method: 'post',
  path: '/entitlement/renewal',
  summary: 'End a subscription with its period, or take that back',
  description: 'The provider is asked; the entitlement shows it as soon as the provider has said so by an event.',
  auth: 'assertion',
  limit: { counter: 'setRenewal', limit: 20 },
  body: renewalRequestSchema,
  answer: { status: 200, description: 'The provider has taken it', schema: renewalRequestSchema },
  errors: ['not_found', 'payments_unavailable'],
})

export const entitlementRoutes = [
  payRoute(readEntitlement, ({ caller, deps, now }) => deps.entitlements.current(caller.did, now)),
  payRoute(redeemEntitlement, async ({ caller, body, deps, now }) => {
    const grant = await deps.entitlements.redeem(caller.did, body.code, now)
    if (!grant) throw new ApiError('code_unusable')
    return grant
  }),
  payRoute(setRenewal, async ({ caller, body, deps, now }) => {
    const set = await deps.entitlements.setRenewal(caller.did, body.id, body.renews, now)
    if (!set.ok) throw new ApiError(set.error.reason)
    return body
  }),
]
