import { signedConsentSettleSchema } from '@svc/protocol/consent/settlement'
import { operatorActAnswerSchema } from '@svc/protocol/operator/acts'
import { disputePageSchema, signedDisputeReadSchema } from '@svc/protocol/operator/reads'
import { operatorReadRoute, operatorRoute } from '@svc/service'
import type { Services } from '../services.ts'

export const operatorRoutes = [
  operatorRoute({
    acts: signedConsentSettleSchema,
    about: 'Passes an identifier to another creator.',
    answer: operatorActAnswerSchema,
    errors: ['not_found', 'non_native_consent_record'],
  }),
  operatorReadRoute(
    {
      id: 'readDisputes',
      path: '/api/operator/disputes',
      summary: 'List identifiers with claims that are not settled',
      about: 'Ordered by identifier, 50 per page, each with its holder and the claims of others.',
      read: signedDisputeReadSchema,
      answer: disputePageSchema,
    },
    ({ disputeReads }: Services, read, now) => disputeReads.take(read, now),
  ),
]
