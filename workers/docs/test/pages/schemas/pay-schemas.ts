import * as envelope from '@svc/protocol/http/envelope'
import * as health from '@svc/protocol/http/health'
import * as operator from '@svc/protocol/operator/acts'
import * as deadLetters from '@svc/protocol/operator/dead-letters'
import * as reads from '@svc/protocol/operator/reads'
import * as entitlements from '@svc/protocol/pay/entitlements'
import * as intents from '@svc/protocol/pay/intents'
import { quotaLeaseSchema } from '@svc/protocol/pay/leases'
import * as licences from '@svc/protocol/pay/licences'
import * as offers from '@svc/protocol/pay/offers'
import * as quota from '@svc/protocol/pay/quota'
import type * as z from 'zod'

const { envelopeOf } = envelope

/** The schemas of the examples about payments, quotas and licences. */
export const PAY_SCHEMAS: Record<string, z.ZodType> = {
  'pay-banner': envelopeOf(quota.payBannerSchema),
  'pay-offers': envelopeOf(offers.offerListSchema),
  'intent-request': intents.intentRequestSchema,
  intent: envelopeOf(intents.intentSchema),
  entitlement: envelopeOf(entitlements.entitlementSchema),
  'plan-change': entitlements.planChangeSchema,
  'already-subscribed': envelope.errorEnvelopeSchema,
  renewal: entitlements.renewalRequestSchema,
  'redeem-entitlement': entitlements.redeemEntitlementSchema,
  'entitlement-code-act': operator.payOperatorActSchema,
  'licence-act': operator.payOperatorActSchema,
  'grant-end-act': operator.payOperatorActSchema,
  'dead-letter-act': operator.payOperatorActSchema,
  'disputes-read': reads.signedDisputeReadSchema,
  disputes: envelopeOf(reads.disputePageSchema),
  'grant-list': envelopeOf(reads.grantListSchema),
  'dead-letters-read': deadLetters.signedDeadLetterReadSchema,
  'dead-letters': envelopeOf(deadLetters.deadLetterPageSchema),
  meters: envelopeOf(quota.metersSchema),
  consume: quota.consumeSchema,
  'quota-lease': quotaLeaseSchema,
  'quota-receipt': envelopeOf(quota.quotaReceiptSchema),
  refund: quota.refundSchema,
  delta: quota.deltaSchema,
  reserve: quota.reserveSchema,
  reservation: quota.reservationSchema,
  'reserve-exhausted': quota.reserveAnswerSchema,
  'pay-health': health.livenessSchema,
  'pay-retired': envelope.errorEnvelopeSchema,
  licence: envelopeOf(licences.licenceSchema),
  'redeem-code': licences.redeemSchema,
  'quota-exhausted': envelope.quotaExhaustedSchema,
}
