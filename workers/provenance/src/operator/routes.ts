import { provenanceActAnswerSchema, provenanceOperatorActSchema } from '@svc/protocol/operator/acts'
import { operatorRoute, takedownReadRoute } from '@svc/service'

export const operatorRoutes = [
  operatorRoute({
    acts: provenanceOperatorActSchema,
    about: 'Rebuilds one page of a vector index, or takes an asset down.',
    answer: provenanceActAnswerSchema,
    errors: ['index_not_provisioned', 'not_found'],
  }),
  takedownReadRoute('provenance'),
]
