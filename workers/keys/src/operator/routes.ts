import { keysOperatorActSchema, operatorActAnswerSchema } from '@svc/protocol/operator/acts'
import { operatorRoute } from '@svc/service'

export const operatorRoutes = [
  operatorRoute({
    acts: keysOperatorActSchema,
    about: 'Opens an epoch.',
    answer: operatorActAnswerSchema,
    errors: ['epoch_conflict'],
  }),
]
