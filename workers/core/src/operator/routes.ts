import { operatorActAnswerSchema, operatorActSchema } from '@svc/protocol/operator/acts'
import { operatorRoute } from '@svc/service'

export const operatorRoutes = [
  operatorRoute({
    acts: operatorActSchema,
    about:
      'Rebuilds the chain index of an identity, approves a version-1 rotation, sets the first governance policy, or ' +
      'takes content down.',
    answer: operatorActAnswerSchema,
    errors: ['not_found', 'policy_founded', 'duplicate_signer', 'threshold_out_of_range', 'cid_unsupported'],
  }),
]
