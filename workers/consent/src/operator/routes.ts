import { signedConsentSettleSchema } from '@svc/protocol/consent/settlement'
import { operatorActAnswerSchema } from '@svc/protocol/operator/acts'
import { operatorRoute } from '@svc/service'

export const operatorRoutes = [
  operatorRoute({
    acts: signedConsentSettleSchema,
    about: 'Passes an identifier to another creator.',
    answer: operatorActAnswerSchema,
    errors: ['not_found', 'non_native_consent_record'],
  }),
]
