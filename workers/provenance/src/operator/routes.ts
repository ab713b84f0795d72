import { provenanceActAnswerSchema, provenanceOperatorActSchema } from '@svc/protocol/operator/acts'
import { registrantPageSchema, signedTextReadSchema } from '@svc/protocol/operator/reads'
import { operatorReadRoute, operatorRoute, takedownReadRoute } from '@svc/service'
import type { Services } from '../services.ts'

export const operatorRoutes = [
  operatorRoute({
    acts: provenanceOperatorActSchema,
    about:
      'Rebuilds one page of a vector index, takes an asset down, adds historical commitments, or rebuilds capsules.',
    answer: provenanceActAnswerSchema,
    errors: ['index_not_provisioned', 'not_found'],
  }),
  takedownReadRoute('provenance'),
  operatorReadRoute(
    {
      id: 'listTextsOfRegistrant',
      path: '/api/operator/texts',
      summary: 'List what the registrant of a text has registered',
      about: 'Ids of texts by the same identity, which is not named, 100 per page.',
      read: signedTextReadSchema,
      answer: registrantPageSchema,
    },
    ({ textReads }: Pick<Services, 'textReads'>, read, now) => textReads.take(read, now),
  ),
]
