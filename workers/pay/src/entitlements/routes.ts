import { codeHash } from '@svc/protocol/pay/codes'
import {
  entitlementSchema,
  grantSchema,
  planChangeSchema,
  redeemEntitlementSchema,
  renewalRequestSchema,
} from '@svc/protocol/pay/entitlements'
import { ApiError, defineOperation } from '@svc/service'
import { payRoute } from '../service.ts'

export const readEntitlement = defineOperation({
  id: 'readEntitlement',
  method: 'get',
  path: '/entitlement',
  summary: 'Read the caller’s tier, its source and its end',
  description:
    '`tier` is the highest of all grants in force, and `until` is when it ends as things stand, in epoch ms. ' +
    '`limits` are units per calendar month, UTC. When a grant ends, the tier follows at once.',
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'quota:read',
  answer: { status: 200, description: 'The entitlement', schema: entitlementSchema },
})

export const redeemEntitlement = defineOperation({
  id: 'redeemEntitlement',
  method: 'post',
  path: '/entitlement/redeem',
  summary: 'Redeem a code that gives a tier',
  description:
    'A code works once; for the identity that redeemed it, it returns the same grant. Unknown, used and expired codes ' +
    'share one answer. The grant starts when other codes and passes of that tier have ended.',
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'payments:write',
  window: { counter: 'redeem-code', limit: 10, seconds: 60, protects: 'guess' },
  body: redeemEntitlementSchema,
  answer: { status: 200, description: 'The grant', schema: grantSchema },
  errors: ['code_unusable'],
})

export const setRenewal = defineOperation({
  id: 'setRenewal',
  method: 'post',
  path: '/entitlement/renewal',
  summary: 'Cancel a subscription at the end of its period, or resume it',
  description: 'Asks the provider; the entitlement changes as soon as the provider confirms it with an event.',
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'payments:write',
  callerWindow: { counter: 'setRenewal', limit: 20, seconds: 60, protects: 'money', tier: 'payments' },
  body: renewalRequestSchema,
  answer: { status: 200, description: 'The provider accepted it', schema: renewalRequestSchema },
  errors: ['not_found', 'payments_unavailable'],
})

export const changePlan = defineOperation({
  id: 'changePlan',
  method: 'post',
  path: '/entitlement/change',
  summary: 'Change the plan of a subscription',
  description:
    'Asks the provider at the price of the request’s country; the entitlement changes as soon as the provider confirms ' +
    'it with an event. A higher tier is charged and given at once, a lower one from the next period on.',
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'payments:write',
  callerWindow: { counter: 'changePlan', limit: 20, seconds: 60, protects: 'money', tier: 'payments' },
  body: planChangeSchema,
  answer: { status: 200, description: 'The provider accepted it', schema: planChangeSchema },
  errors: ['not_found', 'unknown_sku', 'sku_not_payable', 'change_refused', 'payments_unavailable'],
})

export const entitlementRoutes = [
  payRoute(readEntitlement, ({ caller, deps, now }) => deps.entitlements.current(caller.did, now)),
  payRoute(redeemEntitlement, async ({ caller, body, deps, now }) => {
    const grant = await deps.entitlements.redeem(caller.did, codeHash(body.code), now)
    if (!grant) throw new ApiError('code_unusable')
    return grant
  }),
  payRoute(setRenewal, async ({ caller, body, deps, now }) => {
    const set = await deps.entitlements.setRenewal(caller.did, body.id, body.renews, now)
    if (!set.ok) throw new ApiError(set.error.reason)
    return body
  }),
  payRoute(changePlan, async ({ caller, body, country, deps, now }) => {
    const changed = await deps.entitlements.changePlan(caller.did, { ...body, country }, now)
    if (!changed.ok) throw new ApiError(changed.error.reason)
    return body
  }),
]
