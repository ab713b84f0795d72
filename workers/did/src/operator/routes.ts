import { actOrRebuildAnswerSchema } from '@svc/protocol/operator/acts'
import { rebuildSchemas } from '@svc/protocol/operator/rebuild-objects'
import { operatorRoute } from '@svc/service'

export const operatorRoutes = [
  operatorRoute({
    acts: rebuildSchemas.did,
    about: 'Rebuilds organizations or memberships from their records.',
    answer: actOrRebuildAnswerSchema,
    errors: ['not_found'],
  }),
]
