import { actOrRebuildAnswerSchema, payOperatorActSchema } from '@svc/protocol/operator/acts'
import { deadLetterPageSchema, signedDeadLetterReadSchema } from '@svc/protocol/operator/dead-letters'
import { grantListSchema, signedGrantReadSchema } from '@svc/protocol/operator/reads'
import { operatorReadRoute, operatorRoute } from '@svc/service'
import type { Services } from '../services.ts'

export const operatorRoutes = [
  operatorRoute({
    acts: payOperatorActSchema,
    about:
      'Issues a code that gives a tier or withdraws it, grants or revokes a licence or a plan, ends a grant, decides a dead letter, or rebuilds meters.',
    answer: actOrRebuildAnswerSchema,
    errors: ['not_found', 'code_redeemed', 'event_not_understood'],
  }),
  operatorReadRoute(
    {
      id: 'listDeadLetters',
      path: '/api/operator/dead-letters',
      summary: 'List events of the payment provider that were not understood',
      about: 'Oldest first, without the objects that the events carry.',
      read: signedDeadLetterReadSchema,
      answer: deadLetterPageSchema,
    },
    ({ deadLetterReads }: Services, read, now) => deadLetterReads.take(read, now),
  ),
  operatorReadRoute(
    {
      id: 'listGrants',
      path: '/api/operator/grants',
      summary: 'List what gives an identity its tier',
      about: 'Active and future grants, with the ids by which they are ended.',
      read: signedGrantReadSchema,
      answer: grantListSchema,
    },
    ({ grantReads }: Services, read, now) => grantReads.take(read, now),
  ),
]
