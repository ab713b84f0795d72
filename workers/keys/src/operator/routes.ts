import { keysOperatorActSchema, operatorActAnswerSchema } from '@svc/protocol/operator/acts'
import { operatorRoute } from '@svc/service'

export const operatorRoutes = [
  operatorRoute({
    acts: keysOperatorActSchema,
    about: 'Opens an epoch, or admits an identity to the vault of one or removes it.',
    answer: operatorActAnswerSchema,
    errors: ['epoch_conflict', 'no_epoch', 'vault_member_limit', 'not_found'],
  }),
]
