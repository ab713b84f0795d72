/** The schemas of the examples about consent. */
import * as consent from '@svc/protocol/consent'
import { consentQuestionSchema, consentVerdictSchema } from '@svc/protocol/consent-authority'
import { aiConsentSchema, tdmRepSchema } from '@svc/protocol/consent-discovery'
import { snapshotPageSchema } from '@svc/protocol/consent-snapshot'
import { envelopeOf } from '@svc/protocol/envelope'
import type * as z from 'zod'

export const CONSENT_SCHEMAS: Record<string, z.ZodType> = {
  'ai-consent': aiConsentSchema,
  'consent-batch': consent.consentBatchSchema,
  'consent-batch-answer': consent.consentBatchAnswerSchema,
  'consent-by-creator': consent.creatorPageSchema,
  'consent-create': consent.createConsentSchema,
  'consent-history': consent.consentHistorySchema,
  'consent-message': consent.consentMessageSchema,
  'consent-miss': consent.consentMissSchema,
  'consent-opt-out': consent.optOutSchema,
  'consent-question': consentQuestionSchema,
  'consent-record': consent.consentRecordSchema,
  'consent-revoked': envelopeOf(consent.revokedConsentSchema),
  'consent-snapshot': snapshotPageSchema,
  'consent-verdict': consentVerdictSchema,
  tdmrep: tdmRepSchema,
}
