import { didOperatorActSchema, operatorActAnswerSchema } from '@svc/protocol/operator/acts'
import { operatorRoute } from '@svc/service'

export const operatorRoutes = [
  operatorRoute({
    acts: didOperatorActSchema,
    about: 'Grants or revokes the licence of an organization. Like every write here, it needs an allowlisted Origin.',
    answer: operatorActAnswerSchema,
  }),
]
