import { actOrRebuildAnswerSchema, keysOperatorActSchema } from '@svc/protocol/operator/acts'
import { operatorRoute } from '@svc/service'

export const operatorRoutes = [
  operatorRoute({
    acts: keysOperatorActSchema,
    about:
      'Opens an epoch or withdraws one that has not begun, goes on to the next log of the directory, or rebuilds accounts.',
    answer: actOrRebuildAnswerSchema,
    errors: ['epoch_conflict', 'epoch_begun', 'not_found', 'log_closed', 'log_not_announced'],
  }),
]
