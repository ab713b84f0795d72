import { signedConsentSettleSchema } from '@svc/protocol/consent/settlement'
import { operatorActAnswerSchema } from '@svc/protocol/operator/acts'
import { importedSchema, signedConsentImportSchema } from '@svc/protocol/operator/imports'
import { disputePageSchema, signedDisputeReadSchema } from '@svc/protocol/operator/reads'
import { rebuildSchemas, rebuiltObjectsSchema } from '@svc/protocol/operator/rebuild-objects'
import { operatorReadRoute, operatorRoute } from '@svc/service'
import * as z from 'zod'
import type { Services } from '../services.ts'

const acts = z
  .union([signedConsentSettleSchema, signedConsentImportSchema, rebuildSchemas.consent])
  .meta({ id: 'ConsentOperatorAct', description: 'One operator act, identified by its `type`' })

export const operatorRoutes = [
  operatorRoute({
    acts,
    about: 'Passes an identifier to another creator, adds records without an owner, or rebuilds objects.',
    answer: z.union([importedSchema, rebuiltObjectsSchema, operatorActAnswerSchema]),
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
