/** The schemas of the examples about consent. */

import { hashSchema } from '@svc/protocol/base/hash'
import { consentQuestionSchema, consentVerdictSchema } from '@svc/protocol/consent/authority'
import { bucketSchema } from '@svc/protocol/consent/buckets'
import { consentClaimSchema, withdrawnClaimSchema } from '@svc/protocol/consent/claims'
import * as consent from '@svc/protocol/consent/consent'
import { aiConsentSchema, tdmRepSchema } from '@svc/protocol/consent/discovery'
import { consentHistorySchema } from '@svc/protocol/consent/history-page'
import { contentHashSchema } from '@svc/protocol/consent/identifiers'
import { creatorPageSchema, optOutSchema } from '@svc/protocol/consent/queries'
import { consentSettlementSchema, signedConsentSettleSchema } from '@svc/protocol/consent/settlement'
import { snapshotPageSchema } from '@svc/protocol/consent/snapshot'
import { envelopeOf, errorEnvelopeSchema } from '@svc/protocol/http/envelope'
import * as z from 'zod'

export const CONSENT_SCHEMAS: Record<string, z.ZodType> = {
  'ai-consent': aiConsentSchema,
  'consent-batch': consent.consentBatchSchema,
  'consent-batch-answer': consent.consentBatchAnswerSchema,
  'consent-budget': errorEnvelopeSchema,
  'consent-buckets': z.array(
    z.strictObject({ hash: contentHashSchema, identifierHash: hashSchema, bucket: bucketSchema }),
  ),
  'consent-by-creator': creatorPageSchema,
  'consent-claim': consentClaimSchema,
  'consent-create': consent.createConsentSchema,
  'consent-history': consentHistorySchema,
  'consent-message': consent.consentMessageSchema,
  'consent-miss': consent.consentMissSchema,
  'consent-opt-out': optOutSchema,
  'consent-question': consentQuestionSchema,
  'consent-record': consent.consentRecordSchema,
  'consent-revoked': envelopeOf(consent.revokedConsentSchema),
  'consent-settle': signedConsentSettleSchema,
  'consent-settlement': consentSettlementSchema,
  'consent-snapshot': snapshotPageSchema,
  'consent-verdict': consentVerdictSchema,
  'consent-withdrawn': envelopeOf(withdrawnClaimSchema),
  tdmrep: tdmRepSchema,
}
