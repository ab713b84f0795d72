import { operatorActAnswerSchema, payOperatorActSchema } from '@svc/protocol/operator/acts'
import { operatorRoute } from '@svc/service'

export const operatorRoutes = [
  operatorRoute({
    acts: payOperatorActSchema,
    about: 'Issues a code that grants a tier, or ends a grant.',
    answer: operatorActAnswerSchema,
    errors: ['not_found'],
  }),
]
